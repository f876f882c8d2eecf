"""The methods the paper compares with, each behind the same interface.

Enters: a `LacSample`. Leaves: evidence for the known classes and a number for how new a row looks,
cut at the threshold of the method's own paper or, on request, where the label-free risk is
smallest. A contender is one module; what all share is `OpenSetClassifier`.
"""
