"""Two real processes against one with the joint batch."""

import pytest

torch = pytest.importorskip("torch", reason="needs the extra `deep`")

from deep.runs.two_processes import (  # noqa: E402
    LOSSES,
    ROWS,
    gradients,
    joint_batch,
    network,
    second_process,
    work,
)

CASES = [(name, scale) for name in LOSSES for scale in (1.0, 30.0)]


@pytest.fixture(scope="module")
def two_processes(tmp_path_factory):
    """Return what both processes found: this one, and one it starts."""
    folder = tmp_path_factory.mktemp("processes")
    arguments = str(folder / "store"), str(folder / "second.pt")
    second = torch.multiprocessing.spawn(second_process, arguments, nprocs=1, join=False)
    first = work(0, arguments[0])
    while not second.join():
        pass
    return [first, torch.load(arguments[1], weights_only=True)]


@pytest.mark.parametrize(("name", "scale"), CASES)
def test_gradients_are_those_of_one_process_with_the_joint_batch(two_processes, name, scale):
    risk, bracket, expected = gradients(network(scale), LOSSES[name](), *joint_batch())
    for process in two_processes:
        found_risk, found_bracket, found = process["found"][name, scale]
        torch.testing.assert_close(found_risk, risk, rtol=0, atol=1e-10)
        torch.testing.assert_close(found_bracket, bracket, rtol=0, atol=1e-10)
        for one, other in zip(found, expected, strict=True):
            torch.testing.assert_close(one, other, rtol=0, atol=1e-6)


def test_the_cases_have_brackets_on_both_sides_of_zero(two_processes):
    brackets = {case: float(two_processes[0]["found"][case][1]) for case in CASES}
    assert min(brackets.values()) < 0 < max(brackets.values())


def test_a_loss_in_evaluation_mode_is_that_of_its_own_batch(two_processes):
    X, y, U = joint_batch()
    n_rows, n_others = (first for first, _ in ROWS.values())
    own = LOSSES["generalized"]().double()(X[:n_rows], y[:n_rows], U[:n_others])
    torch.testing.assert_close(two_processes[0]["alone"], own.risk)
    assert float(two_processes[1]["alone"]) != float(own.risk)
