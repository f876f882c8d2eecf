"""Model files, written whole and read without running anything in them; ONNX graphs.

What may enter: formats of files that hold a fitted model, and the checks before one is believed.
What a model of a table is stands in `tables`; a classifier says itself what must be kept.
"""
