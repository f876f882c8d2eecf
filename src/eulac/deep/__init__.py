"""PyTorch: the losses, `DeepEulacClassifier` and the contenders that are networks.

Enters: rows or images and an `nn.Module`. Leaves: a trained network, held-out logits, the decision
on them. The only room that imports torch; it comes with the extra `deep`. Formulas are those of
`risk`, applied to tensors; only training, checkpoints and networks are written here.
"""
