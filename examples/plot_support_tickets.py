"""
Support tickets: a topic that has no queue yet
==============================================

Tickets are sorted into three queues by a text classifier. Since the last release people write about
things no queue is for. The classifier stays what it is, TF-IDF and logistic regression;
``TwoStageEulacClassifier`` wraps it and learns from this week's unsorted tickets what is new.

The tickets are put together from phrases here, so they are easier to tell apart than real ones.
"""

import re

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from eulac import TwoStageEulacClassifier

rng = np.random.default_rng(0)
PHRASES = {
    "billing": "charged twice;refund for the invoice;wrong amount on my card;cancel the payment;"
    "the invoice shows the old price;VAT is missing on the bill",
    "login": "forgot my password;the code by mail never came;my account is locked;"
    "cannot sign in on my phone;reset link has expired;two factor code is refused",
    "delivery": "parcel never came;wrong address on the label;courier left it in the rain;"
    "tracking shows nothing;delivery is late again;half of the order is missing",
    "crash": "screen stays black after the update;the app closes by itself;photos freeze the phone;"
    "the new version eats the battery;it hangs when I open the map",
}
FILLER = """hello;please help;thanks in advance;I have been a customer for years;since monday
this is the third time;on my phone;kind regards;I need an answer today;my order is important"""


def ticket(topic):
    """Return one to three phrases of the topic among what everybody writes."""
    words = [*rng.choice(PHRASES[topic].split(";"), rng.integers(1, 4), replace=False)]
    words += [*rng.choice(re.split("[;\n]", FILLER), 3, replace=False)]
    return ". ".join(rng.permutation(words))


y = rng.choice(["billing", "login", "delivery"], 240)
truth = rng.choice(list(PHRASES), 480, p=[0.2, 0.35, 0.2, 0.25])
tickets = np.array([ticket(topic) for topic in y])
this_week = np.array([ticket(topic) for topic in truth])
print(this_week[0])

# %%
# A pipeline is a classifier, and strings reach it as they are.

sorter = make_pipeline(TfidfVectorizer(sublinear_tf=True), LogisticRegression(C=10.0))
clf = TwoStageEulacClassifier(sorter, random_state=0)
answers = clf.fit_predict(tickets, y, X_unlabeled=this_week)
print("known share:", clf.proportion_)
print("error, estimated:", clf.risk_)

# %%
# What is the new topic about? Words of tickets called new, against those of the rest.

words = TfidfVectorizer(stop_words="english").fit(this_week)
use = words.transform(this_week).toarray()
called_new = answers == clf.classes_[-1]
gain = use[called_new].mean(axis=0) - use[~called_new].mean(axis=0)
first = np.argsort(gain)[-10:]

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
is_new = truth == "crash"
probability = clf.held_out_probabilities_[len(tickets) :, -1]
bins = np.linspace(0, 1, 25)
left.hist(probability[~is_new], bins, color="#0072b2", alpha=0.75, label="has a queue")
left.hist(probability[is_new], bins, color="#e69f00", alpha=0.75, label="has none (the truth)")
left.set(xlabel="probability of new", ylabel="tickets of this week")
left.legend(frameon=False)
right.barh(words.get_feature_names_out()[first], gain[first], color="#e69f00")
right.set(xlabel="used more in tickets called new")
right.locator_params(axis="x", nbins=4)

expected = np.where(is_new, clf.classes_[-1], truth)
print(f"true known share {np.mean(~is_new):.3f}, true error {np.mean(answers != expected):.3f}")

# %%
# Before you believe it
# ---------------------
#
# - **Read twenty tickets called new.** If they are about an old topic in new words (a campaign, a
#   renamed product), the known classes moved, and the new share is too large.
# - **Templates and signatures** that only this week's tickets carry tell old from new by
#   themselves. Strip them, from both sides.
# - **Copies**: the same ticket sent twice must not stand on both sides.
# - **Few words, small interval?** Look at ``clf.proportion_.interval`` and at what its estimators
#   say (``clf.proportion_.diagnostics``), not at one number.
