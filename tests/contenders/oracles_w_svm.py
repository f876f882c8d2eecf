"""W-SVM by loops over rows and classes, with scipy's Weibull distribution."""

import numpy as np
from scipy.optimize import brentq
from scipy.stats import weibull_min


def slow_weibull(values):
    """Shape and scale of the largest likelihood, by a bracketing root finder."""
    values = np.asarray(values)

    def slope(k):
        powers = (values / values.max()) ** k
        return (powers * np.log(values)).sum() / powers.sum() - 1 / k - np.log(values).mean()

    shape = brentq(slope, 1e-2, 1e8, xtol=1e-13, rtol=1e-14)
    scale = values.max() * np.mean((values / values.max()) ** shape) ** (1 / shape)
    return weibull_min(shape, scale=scale)


def slow_low_tail(values, n_support):
    """Distribution of the smallest values, negated and shifted so that its smallest is 1."""
    n_tail = min(max(int(1.5 * n_support), 3), len(values))
    tail = sorted(values)[:n_tail]
    largest = tail[-1]
    return slow_weibull([largest - value + 1 for value in tail]), largest + 1


def slow_probabilities(machines, one_class, X, y, X_test):
    """Products and one-class probabilities, rows by classes, from the machines of a model."""
    n_classes = len(set(y))
    product, inlying = np.empty((2, len(X_test), n_classes))
    for k in range(n_classes):
        n_negative, n_positive = machines.n_support[k]
        values = [float(machines.decision(x[None])[0, k]) for x in X]
        own = [value for value, label in zip(values, y, strict=True) if label == k]
        others = [-value for value, label in zip(values, y, strict=True) if label != k]
        inner = [float(one_class.decision(x[None])[0, k]) for x in X[y == k]]
        eta, eta_zero = slow_low_tail(own, n_positive)
        psi, psi_zero = slow_low_tail(others, n_negative / (n_classes - 1))
        tau, tau_zero = slow_low_tail(inner, one_class.n_support[k, 1])
        for i, x in enumerate(X_test):
            value = machines.decision(x[None])[0, k]
            product[i, k] = eta.sf(eta_zero - value) * psi.cdf(psi_zero + value)
            inlying[i, k] = tau.sf(tau_zero - one_class.decision(x[None])[0, k])
    return product, inlying


def slow_answers(decision, product, one_class, one_class_threshold, rejection):
    """Class codes, the number of classes where a row is new."""
    answers = []
    for values, products, probabilities in zip(decision, product, one_class, strict=True):
        passing = [k for k in range(len(values)) if probabilities[k] >= one_class_threshold]
        best = max(passing or range(len(values)), key=lambda k: values[k])
        score = products[best] if passing else 0.0
        answers.append(len(values) if score < rejection else best)
    return np.array(answers)
