"""Minimizers of the regularized risk, and exact cross validation of them.

Enters: a `KernelProblem` (kernel matrix, targets, weights) or sums over rows (`LacMoments`).
Leaves: a `KernelSolution`, held-out scores, the best kernel and penalty of a search. A solver says
itself which losses it takes. No raw rows of users, no labels of theirs, no scikit-learn classes.
"""
