"""What classifiers are made of, as nodes of an ONNX graph.

Enters: a graph in the making, the name of its rows, and a fitted part: a forest, a kernel, a rule.
Leaves: the name of what comes out. Parts without nodes are refused in a sentence.
"""
