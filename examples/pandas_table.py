"""A raw table with strings and missing values, as it comes from a shop, through boosting.

Orders of three known kinds of customers were labeled by hand. Among this month's orders a new kind
has appeared, resellers, which nobody has labeled. Strings and gaps go into the classifier as they
are: pandas categories, which gradient boosting takes natively. Nothing is downloaded.

    python examples/pandas_table.py
"""

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier

from eulac import TwoStageEulacClassifier
from eulac.evaluation.metrics import evaluate

KINDS = {
    #            mean log amount, items, cities, payment
    "student": (3.0, 2, ["Lyon", "Graz", "Pisa"], ["card", "wallet"]),
    "family": (4.5, 8, ["Lyon", "Bonn", "Oslo"], ["card", "invoice"]),
    "office": (6.0, 15, ["Bonn", "Graz", "Oslo"], ["invoice"]),
    "reseller": (6.2, 60, ["Lyon", "Bonn", "Pisa", "Oslo"], ["transfer", "card"]),
}
COLUMNS = {"city": "category", "payment": "category", "coupon": "category"}


def orders(kinds, rng):
    """Return one order per entry, a tenth of the cells missing."""
    rows = []
    for kind in kinds:
        amount, items, cities, payments = KINDS[kind]
        rows.append(
            {
                "amount": np.exp(rng.normal(amount, 0.7)),
                "items": float(rng.poisson(items)),
                "hour": float(rng.integers(24) if kind == "student" else rng.normal(13, 3) % 24),
                "city": rng.choice(cities),
                "payment": rng.choice(payments),
                "coupon": rng.choice(["SPRING", "none"], p=[0.3, 0.7]),
            }
        )
    table = pd.DataFrame(rows)
    return table.mask(rng.random(table.shape) < 0.1).astype(COLUMNS)


def main():
    rng = np.random.default_rng(0)
    known = ["student", "family", "office"]
    y_labeled = rng.choice(known, 600)
    y_deployed, y_test = (rng.choice(list(KINDS), 1500, p=[0.25, 0.2, 0.15, 0.4]) for _ in "ab")
    labeled, deployed, test = (orders(kinds, rng) for kinds in (y_labeled, y_deployed, y_test))
    print(labeled.head(4).to_string(), end="\n\n")

    base = HistGradientBoostingClassifier(max_iter=50, min_samples_leaf=10)
    classifier = TwoStageEulacClassifier(base, random_state=0)
    classifier.fit(labeled, y_labeled, X_unlabeled=deployed)

    metrics = evaluate(classifier, test, y_test)
    print(f"known proportion  {classifier.proportion_}")
    print(f"true              {np.mean(y_deployed != 'reseller'):.3f}")
    print(f"estimated error   {classifier.risk_}")
    print(f"true error        {1 - metrics.accuracy:.3f}")
    print(f"macro-F1          {metrics.macro_f1:.3f}")
    print(f"AUC of new rows   {metrics.auc:.3f}")
    newest = classifier.augmented_score(test).argsort()[::-1][:5]
    print("\nlook at these first:")
    print(test.iloc[newest].assign(truth=y_test[newest]).to_string())


if __name__ == "__main__":
    main()
