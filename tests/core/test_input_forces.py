"""Derivatives of the residual by inputs: as a matrix, and times a vector, with every kind of load."""

import numpy as np
import pytest

from helpers import random_coordinates, random_robot
from kernel_entry import entry
from load_kinds import KINDS, add_kinds
from supple.core.arrays import space_at, tree_at
from supple.core.columns import fill_columns
from supple.core.input_forces import INPUT_COLUMNS, INPUT_POWER, call_input_columns, call_input_power
from supple.core.sweep_out import sweep_out
from supple.jit import inner


@inner
def _both(columns_at, power_at, tree_handle, space_handle, q, v, a, y, columns, power):
    """The matrix, and y times it, after a sweep."""
    tree, space = tree_at(tree_handle), space_at(space_handle)
    sweep_out(tree, q, v, a, space, 2)
    fill_columns(tree, 0.0, 0.0, space)
    at = (tree_handle.ctypes.data, space_handle.ctypes.data, q.ctypes.data, v.ctypes.data)
    call_input_columns(columns_at, (*at, columns.ctypes.data))
    call_input_power(power_at, (*at, y.ctypes.data, power.ctypes.data))


both = entry(_both)
#: Kinds with inputs, and one without.
DRIVEN = ("tendon", "tendon_through_eyelets", "elastic_tendon", "chamber", "joint_drive", "thruster", "fluid")


@pytest.mark.filterwarnings("ignore::supple.errors.ModelWarning")
@pytest.mark.parametrize("seed", range(3))
def test_against_the_actuation_of_the_model(seed):
    assert set(DRIVEN) <= set(KINDS)
    rng = np.random.default_rng([77, seed])
    robot = add_kinds(rng, random_robot(rng), DRIVEN)
    model = robot.compile()
    assert model.nu
    q, v, a, y = random_coordinates(rng, robot, "moderate"), *rng.standard_normal((3, model.n))
    u = rng.uniform(0.1, 1.0, model.nu)
    expected = model.residual_derivatives(q, v, a, u).du
    columns, power = np.zeros((model.nu, model.n)), np.zeros(model.nu)
    work = model.workspace
    both(INPUT_COLUMNS.address, INPUT_POWER.address, work.tree, work.space(u), q, v, a, y, columns, power)
    assert np.allclose(columns.T, expected, rtol=1e-12, atol=1e-12 * np.abs(expected).max())
    assert np.allclose(power, y @ expected, rtol=1e-10, atol=1e-11 * np.abs(expected).max())
