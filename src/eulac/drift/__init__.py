"""What moved besides the shares of classes: the known share under two assumptions.

Enters: labeled and unlabeled rows as numbers (a `LacSample`). Leaves: a `ProportionEstimate` that
carries two readings, one under the paper's condition that known classes look as in the labels, one
that lets them move, and which of them is used. What reads held-out scores of single rows, or rows
as classifiers of the known classes see them, belongs here; estimators of one reading do not.
"""
