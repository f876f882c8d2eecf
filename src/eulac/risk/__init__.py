"""The paper's formulas on score matrices, for arrays and tensors alike.

Enters: scores with one column per known class and the augmented class last, row weights, a known
proportion. Leaves: risks, `RiskEstimate` with interval, thresholds, `DecisionRule`. Formulas use
only operators that NumPy and PyTorch share. No models, no solvers, no random numbers.
"""
