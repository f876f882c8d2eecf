"""Linear and boosted models that step down the unbiased risk itself.

Enters: a `LacSample` and a multiclass loss. Leaves: a model chosen along a path of settings
(penalties, numbers of trees) by label-free error, and its held-out probabilities. No row is given
a label it may not have; models that need labels belong to `any_classifier`.
"""
