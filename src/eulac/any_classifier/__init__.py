"""Any scikit-learn classifier as one of K + 1 classes, and the best of several: the default.

`two_stage_classifier` wraps one classifier, `eulac_classifier` compares and mixes candidates by
label-free risk. `stages` fits folds, `two_stage_model` both stages, `weighted_base` any classifier
to weighted rows, `selection` weighs candidates. Other families come in as candidates that the user
passes, never by import.
"""
