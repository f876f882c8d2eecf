"""Answers and fits where the rows are: Arrow batches, Parquet folders, the workers of an engine.

Enters: batches of Arrow, or lazy frames of an engine, and a model or its file. Leaves: answers as
batches of one schema, or the landmark classifier, fitted to the same coefficients as in memory.
The only room that imports an engine; each comes with an extra of its name. Formulas stay below.
"""
