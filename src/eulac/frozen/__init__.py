"""A classifier that is deployed already and may not be retrained: only its scores are at hand.

Enters: a table of scores, a column per known class and perhaps one of oddness, for labeled rows the
classifier has not seen and for the pool. Leaves: known share, class shares, label-free error, and
answers of K + 1 classes. Models that see features belong to other families.
"""
