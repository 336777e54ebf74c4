"""Transposed products with dR/dq, dR/dv and dR/da against these matrices, with every kind of robot and load."""

import numpy as np
import pytest

import supple as sp
from helpers import ROBOTS, case, random_coordinates, random_robot, size
from kernel_entry import entry
from load_kinds import KINDS, add_kinds
from soft_robots import soft_cone
from supple.core.jacobian_products import TRANSPOSED_JACOBIANS, call_transposed_jacobians
from supple.jit import inner


@inner
def _products(function, tree, space, q, v, a, y, out):
    at = (tree.ctypes.data, space.ctypes.data, q.ctypes.data, v.ctypes.data, a.ctypes.data)
    return call_transposed_jacobians(function, (*at, y.ctypes.data, out.ctypes.data))


products = entry(_products)


def check_products(model, q, v, a, y, u=None, lam=None, t=0.0):
    expected = model.residual_derivatives(q, v, a, u, lam, t)
    out = np.full((3, model.n), np.nan)  # nothing of it is read
    work = model.workspace
    assert products(TRANSPOSED_JACOBIANS.address, work.tree, work.space(u, t, lam), q, v, a, y, out)
    for found, matrix in zip(out, (expected.dq, expected.dv, expected.da), strict=True):
        assert np.abs(found - matrix.T @ y).max() <= 1e-11 * max(size(matrix) * np.abs(y).sum(), 1e-3)


@pytest.mark.parametrize("seed", range(0, ROBOTS, 3))
def test_random_robots(seed):
    _, model, q, v, a = case(seed)
    check_products(model, q, v, a, np.random.default_rng(seed).standard_normal(model.n))


@pytest.mark.filterwarnings("ignore::supple.errors.ModelWarning")
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_kind_of_load(kind):
    for seed in (7, 8):
        rng = np.random.default_rng(seed)
        robot = add_kinds(rng, random_robot(rng), [kind])
        model = robot.compile()
        q, v, a, y = random_coordinates(rng, robot, "moderate"), *rng.standard_normal((3, model.n))
        check_products(model, q, v, a, y, rng.uniform(0.1, 1.0, model.nu), rng.standard_normal(model.nc), 0.3)


@pytest.mark.filterwarnings("ignore::supple.errors.ModelWarning")
@pytest.mark.parametrize("seed", range(4))
def test_many_kinds_at_once(seed):
    rng = np.random.default_rng([78, seed])
    robot = add_kinds(rng, random_robot(rng), list(rng.choice(sorted(KINDS), 8, replace=False)))
    model = robot.compile()
    q, v, a, y = random_coordinates(rng, robot, "moderate"), *rng.standard_normal((3, model.n))
    check_products(model, q, v, a, y, rng.uniform(0.1, 1.0, model.nu), rng.standard_normal(model.nc), 0.3)


def test_joints_that_rub_and_end():
    """Friction of joints follows rates, limits follow positions."""
    robot = sp.Robot("rubbing")
    joint = sp.Revolute("y", damping=0.1, stiffness=2.0, limits=(-0.1, 0.1), friction=sp.Friction(0.3, 0.5))
    for k in range(3):
        parent = f"bar{k - 1}" if k else "world"
        robot.add_link(f"bar{k}", sp.Rigid.cylinder(0.2, 0.01, density=900.0), joint, parent=parent)
    model = robot.compile()
    q, v, a, y = np.random.default_rng(3).standard_normal((4, model.n))
    check_products(model, q, 0.1 * v, a, y)


def test_soft_bodies():
    robot = sp.Robot("cones")
    robot.add_link("one", soft_cone(0), joint=sp.Free())
    robot.add_link("two", soft_cone(0), joint=sp.Revolute("y"), parent="one")
    model = robot.compile()
    q, v, a, y = 0.2 * np.random.default_rng(4).standard_normal((4, model.n))
    check_products(model, q, v, a, y)
