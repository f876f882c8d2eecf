"""The command `eulac`: each command parses its options, calls the library once, and prints.

What may enter: options, sentences, tables and JSON for the terminal. Nothing here reads a table or
computes a number; `click` and `rich` live here alone. A command is one file and a line in `main`.
"""
