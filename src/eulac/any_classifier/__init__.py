"""Two stages around any classifier, and `EulacClassifier`, which mixes several families.

Enters: a `LacTable` (rows of any kind) and classifiers with scikit-learn's interface. Leaves:
held-out probabilities of K + 1 classes, weights of the candidates, a proportion refined by their
scores. Candidates are used through their interface; no other family is imported here.
"""
