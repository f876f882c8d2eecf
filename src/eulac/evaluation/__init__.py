"""Metrics with true labels, the label-free scorer, and paired comparison of methods.

Enters: a fitted classifier or its answers, and labels. Leaves: numbers with names. Here is what
users call on their own results; what classifiers need to judge themselves without labels is in
`risk`. Nothing here fits a model.
"""
