"""The tables and figures of README and docs, as trials that can be stopped and resumed.

An experiment (`experiments/`) lists trials: a draw of rows and a method (`methods/`). `run.py` runs
what is missing in a file of records, `summary.py` turns records into a page. Whatever a page of
the documentation claims in numbers enters here as an experiment; examples and timings do not.
"""
