"""The command line: parse, one library call, print.

Enters: arguments and files. Leaves: text or JSON on standard output, messages on standard error,
exit code 2 for wrong usage and 1 for failed work. The only room that prints and the only one that
imports click and rich. A command is one module and a line in `main.COMMANDS`; it computes nothing.
"""
