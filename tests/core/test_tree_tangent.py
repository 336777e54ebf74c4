"""Tangents factorised over the tree: exact for all blocks, loads and locks; in doubt where they should be."""

import numpy as np
import pytest

import supple as sp
from helpers import ROBOTS, case, rebuilt
from load_kinds import KINDS, add_kinds, host
from soft_robots import CREEPING, mixed_robot, random_soft, soft_cone
from supple.core.tree_factors import TIES
from tree_entry import TreeCase, backward_error

#: Rounding, times what elimination without pivots across blocks may lose.
EXACT = 1e-9

#: c_v and c_a of small, middling and no steps.
RATES = ((1e3, 1e6), (3.0, 2.0), (0.0, 0.0))


def check(model, q, v, a, rates, order=None, u=None, lam=None, t=0.0, seed=0):
    """T x = r and T^T x = r against the dense tangent; returns the case, or None if it is in doubt."""
    tree = TreeCase(model, order)
    R, T = model.residual_tangent(q, v, a, u, lam, t, *rates)
    np.testing.assert_allclose(tree.evaluate(q, v, a, *rates, u, lam, t), R, rtol=1e-12, atol=1e-12 * np.abs(R).max())
    if not tree.factorise():
        return None
    T = T[np.ix_(tree.order, tree.order)]
    if rates == (0.0, 0.0) and np.linalg.cond(T) > 1e12:  # nothing holds some coordinate: rows of rounding
        return tree
    r = np.random.default_rng(seed).standard_normal(len(T))
    assert backward_error(T, tree.solve(r), r) < EXACT
    assert backward_error(T.T, tree.solve(r, True), r) < EXACT
    return tree


@pytest.mark.parametrize("rates", RATES)
@pytest.mark.parametrize("seed", range(0, ROBOTS, 8))
def test_inverts_the_tangent(seed, rates):
    _, model, q, v, a = case(seed)
    assert check(model, q, v, a, rates) is not None or rates == (0.0, 0.0)


@pytest.mark.parametrize("seed", range(2, ROBOTS, 12))
def test_links_that_leave_rods_before_their_tips(seed):
    robot, *_ = case(seed)
    rods = {link.name for link in robot.links if isinstance(link.body, sp.Rod)}
    rng = np.random.default_rng(seed)
    grafted = rebuilt(robot, station=lambda link: float(rng.uniform(0.1, 0.9)) if link.parent in rods else 1.0)
    model = grafted.compile()
    assert check(model, *(0.3 * rng.standard_normal((3, model.n))), RATES[0]) is not None


@pytest.mark.parametrize("seed", range(1, ROBOTS, 10))
def test_locked_coordinates(seed):
    """All others move as if locked ones were not there, in any order of unknowns."""
    _, model, q, v, a = case(seed)
    rng = np.random.default_rng(seed)
    free = np.flatnonzero(rng.random(model.n) < 0.6)
    if len(free):
        tree = check(model, q, v, a, RATES[0], rng.permutation(free))
        assert tree is not None
        assert (tree.factors.x[np.setdiff1d(np.arange(model.n), free)] == 0.0).all()


@pytest.mark.filterwarnings("ignore::supple.errors.ModelWarning")
@pytest.mark.parametrize("kind", KINDS)
def test_every_load(kind):
    """Loads of all kinds; only contact between stations of rods asks for the dense matrix."""
    rng = np.random.default_rng(3)
    model = add_kinds(rng, host(), [kind]).compile()
    q, v, a = 0.3 * rng.standard_normal((3, model.n))
    u, lam = rng.uniform(0.0, 2.0, model.nu), rng.standard_normal(model.nc)
    tree = check(model, q, v, a, RATES[0], None, u, lam, 0.3)
    assert tree is not None or kind == "contact_of_rods"


@pytest.mark.filterwarnings("ignore::supple.errors.ModelWarning")
@pytest.mark.parametrize("seed", range(1, 7))
def test_many_loads_at_once(seed):
    rng = np.random.default_rng(seed)
    kinds = [kind for kind in KINDS if "contact" not in kind]
    model = add_kinds(rng, case(seed)[0], list(rng.choice(kinds, 5))).compile()
    q, v, a = 0.3 * rng.standard_normal((3, model.n))
    u, lam = rng.uniform(0.0, 2.0, model.nu), rng.standard_normal(model.nc)
    assert check(model, q, v, a, RATES[0], None, u, lam, 0.3) is not None


def test_stiffness_between_factors_of_a_joint():
    """K and D of a universal joint reach from one of its blocks to the other."""
    K, D = [[3.0, 1.0], [1.0, 2.0]], [[0.3, 0.1], [0.1, 0.2]]
    robot = sp.Robot("cross")
    robot.add_link("a", sp.Rigid(1.0, [0.01, 0.02, 0.03], com=(0.1, 0.0, 0.0)),
                   sp.Universal("x", "y", stiffness=K, damping=D))  # fmt: skip
    model = robot.compile()
    tree = check(model, *np.full((3, 2), 0.2), (10.0, 100.0))
    assert tree is not None
    assert tree.factors.count[TIES] == 2


def test_doubts_a_block_that_nothing_holds():
    """At rest a massless revolute joint holds nothing: the pivot of its block is rounding."""
    robot = sp.Robot("loose", gravity=(0.0, 0.0, 0.0))
    robot.add_link("a", sp.Rigid(1.0, [0.01] * 3), sp.Revolute("z", stiffness=1.0))
    robot.add_link("b", sp.Rigid(1.0, [0.01] * 3), sp.Revolute("z"), "a", sp.pose((0.1, 0.0, 0.0)))
    model, zero = robot.compile(), np.zeros(2)
    tree = TreeCase(model)
    tree.evaluate(zero, zero, zero, 0.0, 0.0)
    assert not tree.factorise()


def rough_arm():
    """Joints whose friction depends on their rates, and a rod."""
    robot, friction = sp.Robot("rough"), sp.Friction(0.5, static=0.8, stribeck_velocity=0.3, slip_velocity=0.1)
    robot.add_link("a", sp.Rigid(1.0, [0.01, 0.02, 0.03]), sp.Revolute("y", friction=friction))
    material = sp.Material(1e6, poisson=0.4, density=1000.0)
    rod = sp.Rod(0.3, sp.Circle(0.02), material, sp.Legendre(bend_y=1, bend_z=0), points=3)
    robot.add_link("b", rod, sp.Spherical(friction=(0.1, 0.2, 0.0)), parent="a")
    robot.add_link("c", sp.Rigid(1.0, [0.02] * 3), sp.Prismatic("x", friction=friction, stiffness=3.0), parent="b")
    return robot


@pytest.mark.parametrize("rates", RATES)
@pytest.mark.parametrize("seed", range(4))
def test_soft_bodies(seed, rates):
    """Of any kinematics, behind and before all other links, and what hangs between their ends."""
    rng = np.random.default_rng(seed)
    robot, parent = sp.Robot("soft"), "world"
    for k in range(3):
        robot.add_link(f"soft{k}", random_soft(rng), sp.Revolute("y", stiffness=2.0), parent=parent)
        slide = sp.Prismatic("x", stiffness=9.0)
        robot.add_link(f"bar{k}", sp.Rigid(1.0, [0.01, 0.02, 0.03]), slide, parent=f"soft{k}")
        parent = f"bar{k}"
    model = robot.compile()
    assert check(model, *(0.2 * rng.standard_normal((3, model.n))), rates) is not None


@pytest.mark.parametrize("rates", RATES)
def test_soft_bodies_with_loads_and_loops(rates):
    rng = np.random.default_rng(1)
    model = mixed_robot(root=sp.Spherical(stiffness=3.0)).compile()
    q, v, a = 0.2 * rng.standard_normal((3, model.n))
    u, lam = rng.uniform(0.0, 1.0, model.nu), rng.standard_normal(model.nc)
    assert check(model, q, v, a, rates, None, u, lam) is not None or rates == (0.0, 0.0)


def test_soft_bodies_that_creep():
    """Kelvin and Voigt's damping makes slopes of joint forces, by rates too."""
    rng = np.random.default_rng(2)
    robot = sp.Robot("soft")
    robot.add_link("a", soft_cone(0, material=CREEPING), sp.Revolute("y"))
    robot.add_link("b", soft_cone(1, material=CREEPING), sp.Revolute("y"), parent="a")
    model = robot.compile()
    assert check(model, *(0.2 * rng.standard_normal((3, model.n))), RATES[0]) is not None


@pytest.mark.parametrize("rates", RATES[:2])
def test_friction_in_joints(rates):
    model = rough_arm().compile()
    q, v, a = 0.2 * np.random.default_rng(3).standard_normal((3, model.n))
    assert check(model, q, v, a, rates) is not None
