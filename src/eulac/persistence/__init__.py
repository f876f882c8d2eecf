"""Model files, and nothing but files: safe to load, with a manifest; ONNX graphs.

Enters: a fitted classifier or `TableModel`, or the path of a file. Leaves: a file, or the same
model. Loading never runs code from a file: what may stand in one is listed in `allowed`. How a
table becomes a model is not decided here but in `tables`.
"""
