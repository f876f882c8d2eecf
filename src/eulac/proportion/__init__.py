"""How much of the unlabeled sample is of known classes: estimators and their one result.

Enters: a `LacSample`, or held-out scores of it. Leaves: a `ProportionEstimate` with interval and
share per class. An estimator is a class with `estimate(sample)` and a line in `PROPORTIONS`.
Estimators that come with a classifier of their own (its scores) live beside that classifier.
"""
