"""B: every input's own force, however many loads there are."""

import numpy as np
import pytest

from helpers import ROBOTS, difference_jacobian, relative_error
from load_cases import loaded_case
from load_kinds import KINDS, add_kinds, host

ACTUATORS = ("tendon", "tendon_through_eyelets", "elastic_tendon", "chamber", "joint_drive", "thruster")


@pytest.mark.parametrize("seed", range(0, ROBOTS, 4))
def test_against_differences(seed):
    _, model, q, v, _, u = (np.array(x) if isinstance(x, np.ndarray) else x for x in loaded_case(seed))
    found = model.internal_force_derivatives(q, v, u).du
    assert found.shape == (model.n, model.nu)
    if model.nu:
        expected = difference_jacobian(lambda x: model.internal_force(q, v, x), u)
        assert relative_error(found, expected, floor=1e-6) < 1e-7


def test_all_actuators_at_once():
    """Each in a robot with all the others: nobody answers for another's input."""
    rng = np.random.default_rng(0)
    assert set(ACTUATORS) <= set(KINDS)
    robot = add_kinds(rng, host(), ACTUATORS + ACTUATORS)
    model = robot.compile()
    assert model.nu >= 2 * len(ACTUATORS) - 2
    q, v, u = 0.2 * rng.standard_normal(model.n), rng.standard_normal(model.n), rng.uniform(0.5, 1.0, model.nu)
    found = model.internal_force_derivatives(q, v, u).du
    expected = difference_jacobian(lambda x: model.internal_force(q, v, x), u)
    assert relative_error(found, expected, floor=1e-6) < 1e-7
    owners = np.concatenate([np.arange(*load.inputs) for load in model.loads])
    assert sorted(owners) == list(range(model.nu))
