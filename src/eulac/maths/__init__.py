"""NumPy and SciPy without any notion of labeled, unlabeled or new.

Enters and leaves: arrays, and small frozen objects made of them (kernels, losses, feature maps,
linear systems, distances to hulls, Weibull fits). What belongs here could be used by another
library as it is. What speaks of known classes or proportions belongs to `risk` or above.
"""
