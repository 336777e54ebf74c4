"""Modal analysis: frequencies of rods held in many ways (benchmark D1), damping ratios, loops, motions adrift."""

import numpy as np
import pytest
from scipy.special import jn_zeros

import supple as sp

NONE = (0.0, 0.0, 0.0)


def rod(order=10, points=80, stiffness=(1.0,) * 6, inertia=(2e-9, 1e-9, 1e-9, 1.0, 1.0, 1.0), damping=None, **strains):
    """Length, mass and bending stiffness one; planar unless strains say otherwise."""
    section = sp.Section(stiffness, inertia, damping)
    return sp.Rod(1.0, section, strain=sp.Legendre(**(strains or {"bend_z": order})), points=points)


def robot_of(body, joint=None, gravity=NONE, **options):
    robot = sp.Robot("modes", gravity=gravity)
    robot.add_link("link", body, joint=joint, **options)
    return robot


def held(rod_joint, end):
    """A planar rod whose tip a loop holds on a slider along its axis."""
    robot = robot_of(rod(), rod_joint)
    robot.add_link("slider", sp.Rigid(1.0, np.ones(3)), sp.Prismatic("x"), at=sp.pose((1.0, 0.0, 0.0)))
    robot.add(sp.Loop("end", a=("link", sp.pose()), b=("slider", sp.pose(), 0.0), joint=end))
    return robot.compile()


# ---------------------------------------------------------------------- D1

CLAMPED_FREE = [3.5160152685, 22.0344915647, 61.6972144135, 120.901916052]
FREE_FREE = [22.3732854481, 61.6728228679, 120.903391727]
CLAMPED_PINNED = [15.418205717, 49.9648620318]


def test_d1_clamped_free():
    found = robot_of(rod()).compile().modes()
    assert found.angular_frequencies[:4] == pytest.approx(CLAMPED_FREE, rel=1e-6)
    assert found.damping_ratios == pytest.approx(np.zeros(11), abs=0.0)
    assert found.shapes.shape == (11, 11)


def test_d1_free_free():
    """Three motions adrift in the plane come first, with frequency zero."""
    model = robot_of(rod(), sp.Planar("z")).compile()
    found = model.modes(model.rest).angular_frequencies
    assert found[:3] == pytest.approx(np.zeros(3), abs=0.0)
    assert found[3:6] == pytest.approx(FREE_FREE, rel=1e-6)


def test_d1_clamped_clamped():
    found = held(sp.Fixed(), sp.Fixed()).modes().angular_frequencies
    assert found[:3] == pytest.approx(FREE_FREE, rel=1e-6)


def test_d1_clamped_pinned():
    found = held(sp.Fixed(), sp.Revolute("z")).modes().angular_frequencies
    assert found[:2] == pytest.approx(CLAMPED_PINNED, rel=1e-6)


def test_d1_pinned_pinned():
    found = held(sp.Revolute("z"), sp.Revolute("z")).modes().angular_frequencies
    assert found[:3] == pytest.approx((np.pi * np.arange(1, 4)) ** 2, rel=1e-6)


@pytest.mark.parametrize(("strain", "speed"), [("torsion", np.sqrt(3.0 / 0.5)), ("stretch", np.sqrt(7.0))])
def test_d1_waves(strain, speed):
    """Torsional and axial modes of a clamped rod: (k - 1/2) pi c / L."""
    body = rod(points=40, stiffness=[3, 1, 1, 7, 1, 1], inertia=[0.5, 0.25, 0.25, 1, 1, 1], **{strain: 10})
    found = robot_of(body).compile().modes().angular_frequencies
    assert found[:2] == pytest.approx((np.arange(1, 3) - 0.5) * np.pi * speed, rel=1e-6)


def test_d1_hanging_chain():
    """Zeros of the Bessel function J0, for a bending stiffness that hardly matters."""
    body = rod(order=16, stiffness=[1, 1, 1e-7, 1, 1, 1])
    found = robot_of(body, sp.Revolute("z"), gravity=(9.81, 0.0, 0.0)).compile().modes().angular_frequencies
    assert found[:3] == pytest.approx(jn_zeros(0, 3) / 2.0 * np.sqrt(9.81), rel=1e-3)


# ---------------------------------------------------------------------- one coordinate


def oscillator(mass=2.0, stiffness=50.0, damping=4.0):
    return robot_of(
        sp.Rigid(mass, np.ones(3)), sp.Prismatic("z", stiffness=stiffness, damping=damping), (0.0, 0.0, -9.81)
    )


def test_a_damped_oscillator():
    model = oscillator().compile()
    found = model.modes()
    assert found.angular_frequencies == pytest.approx([5.0], rel=1e-12)
    assert found.damping_ratios == pytest.approx([4.0 / (2.0 * 2.0 * 5.0)], rel=1e-12)
    assert found.eigenvalues == pytest.approx([-1.0 + 1j * np.sqrt(24.0)], rel=1e-12)
    assert found.shapes == pytest.approx(np.ones((1, 1)))


def test_an_overdamped_oscillator_has_two_decays():
    found = oscillator(damping=52.0).compile().modes()
    assert found.eigenvalues == pytest.approx([-1.0, -25.0], rel=1e-12)
    assert found.damping_ratios == pytest.approx([1.0, 1.0], rel=1e-12)


@pytest.mark.parametrize("damping", [0.0, 0.3])
def test_an_upright_pendulum_falls(damping):
    """One motion grows, one decays; without damping at the same rate."""
    bob = sp.Rigid(2.0, np.full(3, 0.1), com=(0.5, 0.0, 0.0))
    robot = robot_of(bob, sp.Revolute("z", damping=damping), gravity=(-9.81, 0.0, 0.0))
    found = robot.compile().modes([0.0])
    inertia, torque = 0.1 + 2.0 * 0.25, 2.0 * 9.81 * 0.5
    expected = np.roots([inertia, damping, -torque])
    assert np.sort(found.eigenvalues.real) == pytest.approx(np.sort(expected), rel=1e-9)
    assert sorted(found.damping_ratios) == [-1.0, 1.0]


# ---------------------------------------------------------------------- many coordinates


def test_damping_in_proportion_to_stiffness():
    """C = T K damps every mode with zeta = T w / 2."""
    stiffness, time = np.array([3.0, 1.0, 2.0, 50.0, 40.0, 30.0]), 2e-3
    body = rod(4, 12, stiffness, (0.2, 0.1, 0.1, 1, 1, 1), time * stiffness, torsion=2, bend_y=2, bend_z=2, stretch=1)
    found = robot_of(body).compile().modes(count=6)
    assert len(found.frequencies) == 6
    assert found.damping_ratios == pytest.approx(time * found.angular_frequencies / 2.0, rel=1e-8)


def test_a_damped_rod_adrift_drifts_in_three_ways():
    body = rod(points=20, damping=1e-3 * np.ones(6))
    model = robot_of(body, sp.Planar("z")).compile()
    found = model.modes(model.rest)
    assert found.frequencies[:4].tolist()[:3] == [0.0, 0.0, 0.0]
    assert found.angular_frequencies[3:5] == pytest.approx(FREE_FREE[:2], rel=1e-3)
    assert found.damping_ratios[3:5] == pytest.approx(1e-3 * np.array(FREE_FREE[:2]) / 2.0, rel=1e-3)


def test_a_body_without_any_force_drifts():
    model = robot_of(sp.Rigid(1.0, np.ones(3)), sp.Free()).compile()
    found = model.modes(model.rest)
    assert found.frequencies == pytest.approx(np.zeros(6), abs=0.0)
    assert np.linalg.matrix_rank(found.shapes) == 6


def test_masses_tied_by_a_loop_are_one():
    """Two carts, welded: stiffness, damping and mass add; the shape moves both."""
    robot = sp.Robot("carts", gravity=NONE)
    robot.add_link("a", sp.Rigid(1.0, np.ones(3)), sp.Prismatic("x", stiffness=30.0, damping=1.0))
    robot.add_link("b", sp.Rigid(3.0, np.ones(3)), sp.Prismatic("x", stiffness=70.0, damping=2.0))
    robot.add(sp.Loop("tie", a=("a", sp.pose()), b=("b", sp.pose()), joint=sp.Fixed()))
    model = robot.compile()
    found = model.modes()
    assert found.angular_frequencies == pytest.approx([5.0], rel=1e-12)
    assert found.damping_ratios == pytest.approx([3.0 / (2.0 * 4.0 * 5.0)], rel=1e-12)
    assert found.shapes[:, 0] == pytest.approx([1.0, 1.0])


def test_a_prescribed_joint_does_not_move():
    robot = robot_of(sp.Rigid(1.0, np.ones(3)), sp.Revolute("z"))
    robot.add_link("arm", sp.Rigid(1.0, np.ones(3)), sp.Prismatic("x", stiffness=9.0), parent="link")
    robot.add(sp.Prescribed("link", lambda t: (0.4, 0.0, 0.0)))
    found = robot.compile().modes()
    assert found.angular_frequencies == pytest.approx([3.0])
    assert found.shapes[:, 0] == pytest.approx([0.0, 1.0])


def test_where_nothing_can_move_there_are_no_modes():
    robot = robot_of(sp.Rigid(1.0, np.ones(3)), sp.Revolute("z"))
    robot.add(sp.Prescribed("link", lambda t: (0.4, 0.0, 0.0)))
    assert repr(robot.compile().modes()) == "<Modes: none, nothing can move>"


def test_tension_tunes_a_string():
    """A stretched rod with hardly any bending stiffness: w = k pi sqrt(T / rho A) / L."""
    body = rod(12, 40, stiffness=[1, 1, 1e-6, 1, 1, 1])
    robot = robot_of(body, sp.Revolute("z"))
    robot.add_link("slider", sp.Rigid(1.0, np.ones(3)), sp.Prismatic("x"), at=sp.pose((1.0, 0.0, 0.0)))
    robot.add(sp.Loop("end", a=("link", sp.pose()), b=("slider", sp.pose(), 0.0), joint=sp.Revolute("z")))
    robot.add(sp.PointWrench("slider", [0.0, 0.0, 0.0, 16.0, 0.0, 0.0]))
    model = robot.compile()
    expected = pytest.approx(4.0 * np.pi * np.arange(1, 4), rel=1e-4)
    assert model.modes().angular_frequencies[:3] == expected
    assert model.modes(model.statics().q).angular_frequencies[:3] == expected  # the loop's tension found from q


def test_motions_follow_the_linear_equation():
    """M x'' + C x' + K x = 0 for every mode, at a bent and loaded equilibrium."""
    body = rod(4, 12, inertia=(0.2, 0.1, 0.1, 1, 1, 1), damping=0.01 * np.ones(6), torsion=2, bend_y=3, bend_z=3)
    robot = robot_of(body, gravity=(0.0, 0.0, -1.0))
    robot.add(sp.PointWrench("link", [0.0, 0.0, 0.0, 0.0, 0.5, 0.0], frame="local"))
    model = robot.compile()
    at = model.statics()
    found, zero = model.modes(at), np.zeros(model.n)
    D = model.residual_derivatives(at.q, zero, zero)
    for value, shape in zip(found.eigenvalues, found.shapes.T, strict=True):
        left = (value**2 * D.da + value * D.dv + D.dq) @ shape
        assert np.abs(left).max() < 1e-9 * max(np.abs(value**2 * D.da @ shape).max(), 1.0)


# ---------------------------------------------------------------------- mistakes


def test_modes_need_an_equilibrium():
    model = robot_of(sp.Rigid(1.0, np.ones(3)), sp.Free(), (0.0, 0.0, -9.81)).compile()
    with pytest.raises(sp.ModelError, match=r"modes need an equilibrium.*at link\.z"):
        model.modes()


def test_a_coordinate_without_inertia_is_refused():
    body = rod(points=5, inertia=(0.0, 0.0, 0.0, 1.0, 1.0, 1.0), torsion=1, bend_z=1)
    with pytest.raises(sp.SingularError, match="no inertia"):
        robot_of(body).compile().modes()


@pytest.mark.parametrize("length", [1e-6, 1e-3, 1e3, 1e6])
def test_damped_arms_of_all_sizes_have_the_same_modes(length):
    """Young's modulus and lengths times L, times by its root: all forces times L^3."""

    def modes(size):
        material = sp.Material(young=1e7 * size, density=1000.0, damping_time=0.02 * np.sqrt(size))
        robot = sp.Robot("arm")
        rod = sp.Rod(size, sp.Circle(0.02 * size), material, sp.Legendre(bend_y=3, stretch=1), points=5)
        robot.add_link("arm", rod)
        return robot.compile().modes()

    found, expected = modes(length), modes(1.0)
    np.testing.assert_allclose(found.frequencies * np.sqrt(length), expected.frequencies, rtol=1e-6)
    np.testing.assert_allclose(found.damping_ratios, expected.damping_ratios, rtol=1e-6)
    np.testing.assert_allclose(np.abs(found.shapes), np.abs(expected.shapes), atol=1e-5)


@pytest.mark.parametrize("length", [1e-6, 1e-3, 1e3, 1e6])
def test_columns_of_all_sizes_flutter_under_the_load_of_beck(length):
    """Without damping from 20.05 EI / L^2 on."""

    def stable(force):
        radius, young = 0.004 * length, 1e9 * length
        material = sp.Material(young=young, density=1200.0)
        robot = sp.Robot("column", gravity=(0.0, 0.0, 0.0))
        robot.add_link("rod", sp.Rod(length, sp.Circle(radius), material, sp.Legendre(bend_z=6), points=10))
        push = -force * young * np.pi * radius**4 / 4.0 / length**2
        robot.add(sp.PointWrench("rod", [0.0, 0.0, 0.0, push, 0.0, 0.0], frame="local"))
        return robot.compile().statics().stable

    assert stable(19.9) is None
    assert stable(20.2) is False


@pytest.mark.parametrize("damping_time", [0.0, 1e-6])
def test_a_grain_that_swings_on_a_steel_beam_does_not_drift(damping_time):
    steel = sp.Material(young=2e11, poisson=0.3, density=7800.0, damping_time=damping_time)
    robot = sp.Robot("pendulum on a beam")
    robot.add_link("beam", sp.Rod(1.0, sp.Circle(0.05), steel, sp.Legendre(bend_y=3, stretch=1), points=5))
    grain = sp.Rigid(mass=1e-6, inertia=1e-17 * np.eye(3), com=(0.0, 0.0, -0.1))
    robot.add_link("grain", grain, joint=sp.Revolute("y"), parent="beam")
    slowest = robot.compile().modes(count=1).frequencies[0]
    assert slowest == pytest.approx(np.sqrt(9.81 / 0.1) / (2.0 * np.pi), rel=1e-4)
