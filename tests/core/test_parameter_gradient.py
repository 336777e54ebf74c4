"""The gradient of y . R by all arrays of a tree, against differences of the arrays; and that its cost is one sweep."""

import numpy as np
import pytest

import supple as sp
from gradient_cases import State, tree_errors
from helpers import make_case, rebuilt
from kernel_entry import entry
from supple.core.parameter_gradient import limit_slopes, parameter_gradient
from supple.gradients.parameter_sums import ParameterSums
from supple.gradients.parameters import residual_sums


@pytest.mark.parametrize("seed", range(12))
def test_gradients_by_all_arrays_of_random_robots_are_those_of_differences(seed):
    case = make_case(seed)
    rng = np.random.default_rng([77, seed])
    state = State(rng, case.model, case.q)
    assert max(tree_errors(rng, case.model, state).values()) < 1e-6


def test_grafted_links_pass_on_what_they_feel():
    rng = np.random.default_rng(3)
    stations = {}

    def station(link):
        return stations.setdefault(link.name, float(rng.uniform(0.2, 0.8)))

    case = make_case(21)
    robot = rebuilt(case.robot, station=lambda link: station(link) if _on_rod(case.robot, link) else 1.0)
    model = robot.compile()
    assert model.topology.blocks["grafts"][:, 1].max() > model.topology.blocks["grafts"][:, 0].min()
    assert max(tree_errors(rng, model, State(rng, model)).values()) < 1e-6


def _on_rod(robot, link):
    bodies = {other.name: other.body for other in robot.links}
    return isinstance(bodies.get(link.parent), sp.Rod)


def test_sums_add_up_until_they_are_cleared():
    case = make_case(2)
    state = State(np.random.default_rng(0), case.model, case.q)
    once = state.sums(case.model).by_number()
    sums, work = ParameterSums(case.model), case.model.workspace
    from supple.core.parameter_gradient import PARAMETER_GRADIENT

    for _ in range(2):
        space = work.space(state.u, state.t, state.lam)
        assert parameter_gradient(
            PARAMETER_GRADIENT.address, work.tree, space, state.q, state.v, state.a, state.y, state.rows, sums.handle
        )
    assert np.allclose(sums.by_number(), 2.0 * once, rtol=1e-13)
    sums.clear()
    assert not sums.by_number().any()


def test_a_state_that_is_not_finite_is_told():
    case = make_case(2)
    state = State(np.random.default_rng(0), case.model, case.q)
    with pytest.raises(sp.StateError, match="derivatives by parameters are not finite"):
        residual_sums(case.model, np.full(case.model.n, np.nan), state.v, state.a, state.y)


def test_soft_limits_on_both_sides_and_beyond_their_width():
    from supple.core.elastic import limit_law

    slopes, law = entry(limit_slopes), entry(limit_law)
    limit = np.array([-0.4, 0.5, 30.0, 0.2])
    for q in (-0.9, -0.5, 0.0, 0.6, 1.1):
        found, expected = np.zeros(4), np.zeros(4)
        slopes(q, limit, 2.0, found)
        for k in range(4):
            h = np.zeros(4)
            h[k] = 1e-6
            expected[k] = -2.0 * (law(q, limit + h)[0] - law(q, limit - h)[0]) / 2e-6
        assert np.allclose(found, expected, rtol=1e-7, atol=1e-9)
