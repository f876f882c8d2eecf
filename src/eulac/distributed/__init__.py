"""The sums behind a landmark fit, made by the workers of an engine.

What may enter: how an engine's collections become pieces, and how partial results are merged. The
sums themselves belong in `solvers`, the fit in `landmark`; engines are imported here alone.
"""
