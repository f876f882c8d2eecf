"""Models trained on the unbiased risk itself: a linear one and boosted trees.

`path_classifier` is what they share: a path of settings, of which held-out rows choose one. A
module `<name>_model` holds the model and its fit, `<name>_classifier` the scikit-learn class. The
risk and its correction are in `risk`, the losses in `maths`.
"""
