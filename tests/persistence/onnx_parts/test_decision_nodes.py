import numpy as np
import pytest

from eulac.maths.losses import LOSSES
from eulac.persistence.onnx_parts.decision_nodes import (
    decided_probabilities,
    decided_scores,
    rule_probabilities,
)
from eulac.risk.decision_rule import DecisionRule
from eulac.risk.evidence import ClassShares, LogProbabilities
from persistence.onnx_answers import computed

pytest.importorskip("onnx", reason="needs the extra `onnx`")
rng = np.random.default_rng(0)
PROBABILITIES = np.vstack([rng.dirichlet(np.ones(3), size=60), np.eye(3)])
RULES = [DecisionRule(0.4, 2.0), DecisionRule(closed_set=True)]
IDS = ["open", "closed"]


@pytest.mark.parametrize("rule", RULES, ids=IDS)
def test_probabilities_are_decided_as_in_python_also_where_one_is_zero(rule):
    expected = rule.decide(LogProbabilities().of(PROBABILITIES))
    found = computed(
        lambda graph, x: decided_probabilities(graph, x, rule, 2), PROBABILITIES, expected.shape[1]
    )
    np.testing.assert_allclose(found, expected, atol=1e-7)


@pytest.mark.parametrize("loss", [n for n, loss in LOSSES.items() if loss.certainty is not None])
@pytest.mark.parametrize("rule", RULES, ids=IDS)
@pytest.mark.parametrize("pull", [0.0, 0.01])
def test_scores_are_decided_as_in_python_also_where_they_fade(loss, rule, pull):
    scores = np.vstack([rng.normal(size=(60, 3)), 1e-4 * rng.normal(size=(20, 3))])
    kind = ClassShares(loss, outlier_pull=pull)
    expected = rule.decide_outputs(scores, kind)
    found = computed(
        lambda graph, x: decided_scores(graph, x, kind, rule, 2), scores, expected.shape[1]
    )
    np.testing.assert_allclose(found, expected, atol=1e-7)


def test_sharpness():
    found = computed(lambda graph, x: rule_probabilities(graph, x, 3.0), PROBABILITIES, 3)
    expected = DecisionRule(sharpness=3.0).probabilities(PROBABILITIES)
    np.testing.assert_allclose(found, expected, atol=1e-9)
