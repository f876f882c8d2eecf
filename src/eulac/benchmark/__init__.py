"""Every table and figure of README and docs, as trials that can be resumed.

Enters: an experiment's name and its scope (datasets, methods, draws). Leaves: records, one line a
trial, then tables and figures made from records alone. All parameters are drawn before any trial
runs. A method or dataset is a line of registration; methods themselves live in their families.
"""
