"""Derivatives of equilibria: against differences of the search, forward against backward, critical points."""

import threading
import warnings

import numpy as np
import pytest

import supple as sp
import supple.gradients.equilibrium as gradients
from helpers import difference_jacobian, relative_error

TIGHT = {"tolerance": 1e-13}
#: Of the base: a hinge, or a ball joint.
ANGLES = {False: np.array([0.3]), True: np.array([0.3, -0.2, 0.1])}


def hybrid(ball=False, angles=None):
    """A soft finger on a turned base, a spring, a contact, a cable whose length is an input, two tendons."""
    robot = sp.Robot("hybrid")
    material = sp.Material(2e5, density=1000.0)
    strain = sp.Legendre(torsion=1, bend_y=2, bend_z=2, stretch=1)
    rod = sp.Rod(0.4, sp.Circle((0.02, 0.012)), material, strain, points=6)
    robot.add_link("base", sp.Rigid.box((0.1, 0.1, 0.1), density=800.0), sp.Spherical() if ball else sp.Revolute("y"))
    robot.add_link("finger", rod, parent="base", at=sp.pose((0.05, 0.0, 0.0)))
    robot.add(sp.Tendon("up", {"finger": lambda X: (0.0, 0.01)}))
    robot.add(sp.Tendon("side", {"finger": lambda X: (0.01, 0.0)}))
    robot.add(sp.ElasticTendon("pulled", {"finger": lambda X: (-0.008, -0.004)}, stiffness=300.0))
    robot.add(sp.Contact("floor", sp.Spheres("finger", n=7), sp.Plane(height=-0.05), stiffness=2e3))
    held = ANGLES[ball] if angles is None else angles
    robot.add(sp.Prescribed("base", lambda t: (held, 0.0 * held, 0.0 * held)))
    return robot.compile()


def looped():
    """A rod whose tip is pinned, a tendon that bows it, a motor at its base."""
    robot = sp.Robot("bow")
    rod = sp.Rod(0.4, sp.Circle(0.01), sp.Material(2e5, density=1000.0), sp.Legendre(bend_y=3, stretch=1), points=6)
    robot.add_link("bow", rod, sp.Revolute("y", stiffness=0.01))
    robot.add(sp.Tendon("string", {"bow": lambda X: (0.0, 0.008)}))
    robot.add(sp.JointDrive("motor", "bow"))
    robot.add(sp.Loop("pin", ("bow", sp.pose()), ("world", sp.pose((0.36, 0.0, 0.05))), sp.Spherical()))
    return robot.compile()


def inputs(model):
    return np.linspace(0.5, 0.9, model.nu) * np.where([name == "pulled" for name in model.input_names], 0.01, 1.0)


def searched(model, u, start):
    found = model.statics(u, q0=start.q, multipliers=np.asarray(start.multipliers), **TIGHT)
    assert found.converged
    return np.concatenate([found.q, found.efforts, np.asarray(found.multipliers)])


@pytest.mark.parametrize("make", [hybrid, lambda: hybrid(True), looped], ids=["hinge", "ball", "loop"])
def test_by_inputs_against_differences(make):
    model = make()
    u = inputs(model)
    rest = model.statics(u, **TIGHT)
    assert model.nc or model.contact(rest.q, "floor").gap.size
    expected = difference_jacobian(lambda x: searched(model, x, rest), u, 1e-4)
    for j, du in enumerate(np.eye(model.nu)):
        found = rest.variation(du)
        exact = np.concatenate([found.q, found.efforts, found.multipliers])
        assert relative_error(exact, expected[:, j]) < 1e-7
        assert np.array_equal(rest.jvp(du), found.q)


@pytest.mark.parametrize("ball", [False, True])
def test_by_prescribed_positions_against_differences(ball):
    model = hybrid(ball)
    u = inputs(model)
    rest = model.statics(u, **TIGHT)
    expected = difference_jacobian(lambda x: searched(hybrid(ball, x), u, rest), ANGLES[ball], 1e-4)
    for j, dp in enumerate(np.eye(len(ANGLES[ball]))):
        found = rest.variation(prescribed=dp)
        assert relative_error(np.concatenate([found.q, found.efforts]), expected[:, j]) < 1e-7


@pytest.mark.parametrize("make", [hybrid, lambda: hybrid(True), looped])
def test_backward_is_the_transpose_of_forward(make):
    model = make()
    rest = model.statics(inputs(model))
    rng = np.random.default_rng(0)
    du, dp = rng.standard_normal(model.nu), rng.standard_normal(len(rest.efforts))
    out = rest.variation(du, dp)
    bars = [rng.standard_normal(len(x)) for x in (out.q, out.efforts, out.multipliers)]
    gradient = rest.vjp(bars[0], efforts=bars[1], multipliers=bars[2])
    forward = sum(bar @ x for bar, x in zip(bars, (out.q, out.efforts, out.multipliers), strict=True))
    backward = gradient.u @ du + gradient.prescribed @ dp
    assert abs(forward - backward) < 1e-7 * (abs(forward) + 1e-12)


def test_poses_as_losses():
    """The height of the tip by the tensions, as a wrench in the frame of the tip."""
    model = hybrid()
    rest = model.statics(inputs(model), **TIGHT)
    R = model.pose(rest.q, "finger", 1.0)[:3, :3]
    up = np.concatenate([np.zeros(3), R.T @ [0.0, 0.0, 1.0]])
    gradient = rest.vjp(pose={("finger", 1.0): up}).u

    def height(u):
        return np.array([model.tip(searched(model, u, rest)[: model.n], "finger")[2]])

    assert relative_error(gradient, difference_jacobian(height, rest.u, 1e-4)[0]) < 1e-6


def test_what_moves_freely_and_what_snaps_is_refused():
    robot = sp.Robot("cart")
    robot.add_link("cart", sp.Rigid.box((0.1, 0.1, 0.1), density=500.0), sp.Prismatic("x"))
    robot.add_link("arm", sp.Rigid(1.0, np.ones(3), com=(0.2, 0.0, 0.0)), sp.Revolute("y"), parent="cart")
    robot.add(sp.JointDrive("motor", "arm"))
    rest = robot.compile().statics([0.1])
    with pytest.raises(sp.SingularError, match="nothing resists cart"):
        rest.jvp([1.0])
    with pytest.raises(sp.SingularError, match="nothing resists cart"):
        rest.vjp(np.ones(2))


def test_an_unstable_equilibrium_is_told():
    robot = sp.Robot("upright")
    robot.add_link("pole", sp.Rigid(1.0, np.ones(3), com=(0.0, 0.0, 0.3)), sp.Revolute("y"))
    robot.add(sp.JointDrive("motor", "pole"))
    rest = robot.compile().statics(globalise=False)
    with pytest.warns(sp.ModelWarning, match="unstable"):
        found = rest.jvp([1.0])
    assert found == pytest.approx([-1.0 / (0.3 * 9.81)], rel=1e-9)


def test_bad_cotangents_are_named():
    model = hybrid()
    rest = model.statics(inputs(model))
    with pytest.raises(sp.ShapeError, match="q has shape"):
        rest.vjp(np.ones(3))
    with pytest.raises(sp.ShapeError, match="u has shape"):
        rest.jvp(np.ones(7))
    with pytest.raises(sp.ModelError, match="there is no 'sideways'"):
        rest.jvp({"sideways": 1.0})
    with pytest.raises(sp.ModelError, match="must be \\(link, s\\)"):
        rest.vjp(pose={"finger": np.ones(6)})
    with pytest.raises(sp.StateError, match="not finite"):
        rest.jvp(np.full(model.nu, np.nan))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        lost = model.statics(inputs(model), max_iterations=1, globalise=False)
    with pytest.raises(sp.StateError, match="no equilibrium"):
        lost.jvp(np.ones(model.nu))


def test_a_second_thread_sees_nothing_half_made(monkeypatch):
    model = hybrid()
    rest, alone = model.statics(inputs(model)), model.statics(inputs(model))
    y = np.arange(model.n, dtype=float)
    whole, others, meanwhile = gradients.rest_system, [], []

    def interrupted(equilibrium):
        monkeypatch.setattr(gradients, "rest_system", whole)
        others.append(threading.Thread(target=lambda: meanwhile.append(rest.vjp(y).u)))
        others[0].start()
        others[0].join(0.2)  # before Python 3.12 it waits for us
        return whole(equilibrium)

    monkeypatch.setattr(gradients, "rest_system", interrupted)
    found = rest.vjp(y).u
    others[0].join()
    assert np.array_equal(found, alone.vjp(y).u)
    assert len(meanwhile) == 1
    assert np.array_equal(meanwhile[0], found)
