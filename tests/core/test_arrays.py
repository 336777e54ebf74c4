"""Scratch: no result depends on what an earlier call left there, and nothing that is not finite is returned."""

import numpy as np
import pytest

import supple as sp
from load_kinds import host
from load_laws import bushing, bushing_tangent
from reference_robots import cable_manipulator
from supple.core.arrays import LONG, spread

MATERIAL = sp.Material(young=1e6, poisson=0.5, density=1000.0)


def fails(call):
    with pytest.raises(sp.StateError):
        call()


@pytest.mark.parametrize("ends", [(("world", 0.0), ("c", 1.0)), (("c", 1.0), ("world", 0.0))])
def test_a_law_between_the_world_and_a_link(ends):
    """Whichever end is the world: what the last call left there does not count."""
    robot = host()
    robot.add(sp.PairLaw("bushing", *ends, law=bushing, tangent=bushing_tangent))
    model, n = robot.compile(), 20
    q, v, zero = 0.02 * np.arange(n), np.ones(n), np.zeros(n)
    expected = robot.compile().inverse_dynamics(q, v, zero)
    model.inverse_dynamics(q, 1e6 * v, zero)
    assert np.array_equal(model.inverse_dynamics(q, v, zero), expected)
    fails(lambda: model.inverse_dynamics(q, np.nan * v, zero))
    assert np.array_equal(model.inverse_dynamics(q, v, zero), expected)


def two_rods():
    """Rods of different bases, both touching a wall."""
    robot = sp.Robot("two")
    for name, y, strain in (("a", 0.0, sp.Legendre(bend_y=1, bend_z=1)), ("b", 0.05, sp.Legendre(bend_y=0))):
        rod = sp.Rod(0.5, sp.Circle(0.03), MATERIAL, strain, points=4)
        robot.add_link(name, rod, joint=sp.Revolute("z"), at=sp.pose((0, y, 0)))
    robot.add(sp.Contact("floor", sp.Spheres("a", n=3), sp.Plane((0, 0, 1), 0.0), stiffness=1e3))
    robot.add(sp.Contact("wall", sp.Spheres("b", n=5), sp.Plane((0, 1, 0), 0.1), stiffness=1e3))
    return robot.compile()


@pytest.mark.parametrize("seed", range(8))
def test_contacts_of_rods_with_different_bases(seed):
    """The padding of the rod with fewer coordinates holds no NaN for the one with more."""
    model, rng = two_rods(), np.random.default_rng(seed)
    q, v, a = 0.3 * rng.standard_normal((3, model.n))
    R, T = model.residual_tangent(q, v, a)
    fails(lambda: model.residual_tangent(np.full(model.n, np.nan), v, a))
    again = model.residual_tangent(q, v, a)
    assert np.array_equal(again[0], R)
    assert np.array_equal(again[1], T)


def test_spheres_of_one_rod_of_which_the_first_is_skipped():
    """A sphere too near along the rod is never posed; the others of its point must be posed anew in every call."""
    robot = sp.Robot("self")
    strain = sp.Legendre(bend_y=2, bend_z=2)
    robot.add_link("a", sp.Rod(1.0, sp.Circle(0.02), MATERIAL, strain, points=3), joint=sp.Free())
    # between the same two points of the rod; the first is a neighbour of the only sphere on the other side
    near, other = sp.Spheres("a", at=(0.30, 0.45), radius=0.05), sp.Spheres("a", at=(0.25,), radius=0.05)
    bare = robot.compile()
    robot.add(sp.Contact("self", near, other, stiffness=1e4, exponent=1.0))
    model = robot.compile()
    rng = np.random.default_rng(0)
    coiled = np.zeros(model.n)
    coiled[6] = 25.0
    for _ in range(3):
        q = coiled + 0.3 * rng.standard_normal(model.n)
        zero = np.zeros(model.n)
        expected = robot.compile().residual(q, zero, zero)
        assert np.abs(expected - bare.residual(q, zero, zero)).max() > 1.0  # it does touch
        assert np.array_equal(model.residual(q, zero, zero), expected)


def test_tangents_are_finite_or_refused():
    """R is small at these states, its derivatives overflow."""
    model, zero = cable_manipulator().compile(), np.zeros(24)
    fails(lambda: model.residual_tangent(zero, zero, zero, cv=1e307))
    fails(lambda: model.tangent_product(zero, zero, zero, np.full(24, 1e306)))
    assert np.isfinite(model.residual_tangent(zero, zero, zero, cv=1e3, ca=1e6)[1]).all()


@pytest.mark.parametrize("speed", [1e155, 1e200])
def test_derivatives_at_speeds_that_overflow(speed):
    robot = host()
    model = robot.compile()
    q, v, zero = np.full(model.n, 0.1), np.full(model.n, speed), np.zeros(model.n)
    fails(lambda: model.inverse_dynamics_derivatives(q, v, zero))
    fails(lambda: model.residual_derivatives(q, v, zero))
    fails(lambda: model.forward_dynamics_derivatives(q, v))
    fails(lambda: model.mass_matrix(v))
    fails(lambda: model.internal_force_derivatives(v, zero))


def test_elastic_forces_that_overflow_are_refused():
    """A spring's force is added last: R is tested after it."""
    robot = sp.Robot("spring", gravity=(0.0, 0.0, 0.0))
    robot.add_link("cart", sp.Rigid.sphere(0.1, density=1000.0), joint=sp.Prismatic("x", stiffness=1e10))
    model, zero = robot.compile(), np.zeros(1)
    for call in (
        lambda: model.residual([1e300], zero, zero),
        lambda: model.residual_tangent([1e300], zero, zero),
        lambda: model.internal_force([1e300], zero),
        lambda: model.energy([1e300], zero),
        lambda: model.forward_dynamics([1e300], zero),
    ):
        with pytest.raises(sp.StateError, match=r"overflows.*q\[0\] \(cart\.translation\) = 1e\+300"):
            call()


def test_the_message_names_an_input_that_overflows():
    robot = host()
    robot.add(sp.Thruster("jet", "c", axes=(0, 0, 0, 1e10, 0, 0)))
    model, zero = robot.compile(), np.zeros(20)
    with pytest.raises(sp.StateError, match=r"overflows.*u\[0\] \(jet\) = 1e\+300"):
        model.residual(zero, zero, zero, [1e300])


def test_links_own_parts_of_stiffness_and_damping_lie_side_by_side():
    """Of links with joints and rods of different sizes, and of links without coordinates."""
    robot, steel = sp.Robot("mixed"), sp.Material(young=1e6, poisson=0.5, density=1000.0, viscosity=1e3)
    robot.add_link("base", sp.Rigid.cylinder(0.1, 0.02, density=1000.0))
    joint = sp.Revolute("z", stiffness=2.0, damping=0.1)
    robot.add_link("a", sp.Rod(0.5, sp.Circle(0.02), steel, sp.Legendre(bend_y=2), points=4), joint, parent="base")
    robot.add_link("b", sp.Rod(0.5, sp.Circle(0.02), steel, sp.Legendre(bend_y=1, bend_z=3)), parent="a")
    model = robot.compile()
    tree, (K, D) = model.workspace.arrays, (model.stiffness, model.damping)
    width = tree.elastic.shape[1] // 2
    assert width == 6
    rebuilt = np.zeros((2, model.n, model.n))
    for lo, hi in tree.links:
        assert (tree.first[lo:hi] == lo).all()
        for k in range(2):
            rebuilt[k, lo:hi, lo:hi] = tree.elastic[lo:hi, k * width : k * width + hi - lo].T
            assert not tree.elastic[lo:hi, k * width + hi - lo : (k + 1) * width].any()
    assert np.array_equal(rebuilt[0], K)
    assert np.array_equal(rebuilt[1], D)


@pytest.mark.parametrize("length", [1, 7, 511, 512, 513, 6144, 30720])
def test_long_rows_do_not_share_places_in_a_cache(length):
    """Rows that lie an odd number of lines apart fall on all sets of a cache in turn; short ones stay as they are."""
    found = spread(length)
    assert length <= found < length + 16
    assert found == length if length < LONG else found % 16 == 8
