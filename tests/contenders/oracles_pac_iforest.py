"""PAC-iForest one row, one tree and one score at a time."""

import math


def slow_average_path_length(n):
    if n <= 1:
        return 0.0
    if n == 2:
        return 1.0
    return 2.0 * (math.log(n - 1) + 0.5772156649015329) - 2.0 * (n - 1) / n


def slow_path_length(tree, x):
    """Walk down a tree of scikit-learn."""
    node, depth = 0, 0
    while tree.children_left[node] != -1:
        goes_left = x[tree.feature[node]] <= tree.threshold[node]
        node = tree.children_left[node] if goes_left else tree.children_right[node]
        depth += 1
    return depth + slow_average_path_length(int(tree.n_node_samples[node]))


def slow_out_of_bag_score(forest, X, i):
    """Return the score of row i of the rows a forest was fitted on."""
    lengths = [
        slow_path_length(estimator.tree_, X[i])
        for estimator, bag in zip(forest.estimators_, forest.estimators_samples_, strict=True)
        if i not in bag.tolist()
    ]
    return 2.0 ** (-(sum(lengths) / len(lengths)) / slow_average_path_length(forest.max_samples_))


def slow_cdf(scores, at):
    return sum(1 for score in scores if score <= at) / len(scores)


def slow_augmented_cdf(clean, mixed, share, at):
    return (slow_cdf(mixed, at) - (1.0 - share) * slow_cdf(clean, at)) / share


def slow_threshold(clean, mixed, share, missed_share):
    """Return the largest of all scores at which at most `missed_share` of the new rows lie."""
    best = -math.inf
    for score in [*clean, *mixed]:
        if slow_augmented_cdf(clean, mixed, share, score) <= missed_share + 1e-12:
            best = max(best, score)
    return best


def slow_slack(n_rows, share, confidence):
    """Return the epsilon for which the theorem asks for `n_rows` in each sample, by bisection."""
    delta = 1.0 - confidence
    low, high = 1e-9, 1e9
    for _ in range(200):
        epsilon = math.sqrt(low * high)
        needed = (
            0.5
            * math.log(2.0 / (1.0 - math.sqrt(1.0 - delta)))
            * (1.0 / epsilon) ** 2
            * ((2.0 - share) / share) ** 2
        )
        low, high = (epsilon, high) if needed > n_rows else (low, epsilon)
    return epsilon
