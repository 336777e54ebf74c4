"""The balance of energy: what is supplied and lost is what energies change by."""

import numpy as np
import pytest

import supple as sp
from helpers import central_difference, relative_error
from load_cases import loaded_case
from readout_cases import random_case
from supple.readouts.parts import make_state
from supple.readouts.power import power

LABELS = {"pull", "band", "cell", "motor", "hip", "jet", "dead", "following", "line load", "rope", "stay", "joined"}


def scale(found):
    parts = (found.loads, found.joints, found.rods, found.efforts)
    return max(abs(x) for part in parts for x in part.values())


def cases():
    for seed in range(3):
        yield f"everything {seed}", *random_case(seed)
    for seed in range(10):
        case = loaded_case(seed)
        yield f"loaded {seed}", case.model, make_state(case.model, case.q, case.v, case.a, case.u, None, 0.37)


@pytest.mark.parametrize(("model", "state"), [pytest.param(*rest, id=label) for label, *rest in cases()])
def test_what_is_left_over_is_what_does_not_move_by_itself(model, state):
    """At any state the balance is (residual of free coordinates) . v, and rates are those of `Model.energy`."""
    found = power(model, state)
    missing = model.residual(*state)
    free = model.free_coordinates
    assert found.balance == pytest.approx(missing[free] @ state.v[free], rel=1e-9, abs=1e-9 * scale(found))
    q, v, a = state[:3]

    def energies(t):
        return np.array(model.energy(q + t * v + 0.5 * t**2 * a, v + t * a, state.u))

    reference = central_difference(energies, 1e-4)
    assert relative_error(np.array(found.rates), reference, 1e-3 * scale(found)) < 1e-6
    assert all(x <= 0.0 for part in (found.joints, found.rods) for x in part.values())


@pytest.mark.parametrize(("model", "state"), [pytest.param(*rest, id=label) for label, *rest in cases()])
def test_gradients_against_differences(model, state):
    """Along one direction in q, v, a and u at once, load by load."""
    rng = np.random.default_rng(0)
    u = np.zeros(model.nu) if state.u is None else state.u
    dq, dv, da, du = (rng.standard_normal(len(x)) for x in (state.q, state.v, state.a, u))

    def powers(t):
        moved = state._replace(q=state.q + t * dq, v=state.v + t * dv, a=state.a + t * da, u=u + t * du)
        found = power(model, moved)
        return np.array([*found.loads.values(), *found.joints.values(), *found.rods.values()])

    found = model.power_derivatives(*state)
    assert (*found.loads, *found.joints, *found.rods) == (
        *power(model, state).loads,
        *power(model, state).joints,
        *power(model, state).rods,
    )
    gradients = [gradient for part in found for gradient in part.values()]
    slopes = np.array([g.dq @ dq + g.dv @ dv + g.da @ da + g.du @ du for g in gradients])
    assert relative_error(slopes, central_difference(powers, 1e-5), 1e-3 * scale(power(model, state))) < 1e-6


def test_every_load_is_named():
    model, state = random_case(0)
    found = model.power(*state)
    assert set(found.loads) == LABELS | {"pusher", "fluid", "floor", "bed", "clash"}
    assert set(found.stored) == {"band", "rope", "stay"}
    assert set(found.loops) == {"closing"}
    assert set(found.efforts) == {"foot"}
    assert set(found.joints) == {"hull", "hand", "fin", "tail", "leg", "foot", "post"}
    assert set(found.rods) == {"arm", "leg"}
    assert found.supplied["rope"] <= 0.0  # a linear spring with a damper only loses
    assert found.loads["floor"] == pytest.approx(model.contact(state.q, "floor", state.v).power.sum())
    drive = state.u[model.input_names.index("motor")]
    assert found.loads["motor"] == pytest.approx(drive * state.v[model.coordinate_names.index("hand.rotation")])


def test_drag_takes_and_a_current_may_give():
    robot = sp.Robot("drifter", gravity=(0, 0, -9.81))
    robot.add_link("ball", sp.Rigid.sphere(0.1, density=1000.0), joint=sp.Free())
    robot.add(sp.Fluid(current=(1.0, 0, 0), drag=sp.Drag(), added_mass=sp.AddedMass()))
    model = robot.compile()
    zero = np.zeros(6)
    against = model.power(zero, [0, 0, 0, -1.0, 0, 0], zero)
    slowly = model.power(zero, [0, 0, 0, 0.5, 0, 0], zero)
    rising = model.power(zero, [0, 0, 0, 0, 0, 1.0], zero)
    assert against.loads["fluid"] < 0.0 < slowly.loads["fluid"]
    assert rising.rates.gravitational == pytest.approx(0.0, abs=1e-12)  # it floats


@pytest.mark.slow
def test_energy_is_balanced_along_a_motion():
    """Contact, water, tendons, a prescribed joint: integrated powers are differences of energy."""
    model = _walker()
    motion = model.simulate(np.linspace(0.0, 0.6, 1201), u=[1.0, 0.3], method=sp.NDF(rtol=1e-9, atol=1e-10))
    found = motion.power()
    supplied = sum(sum(part.values()) for part in (found.supplied, found.joints, found.rods, found.efforts))
    step = np.diff(motion.t)
    work = np.concatenate([[0.0], np.cumsum(0.5 * step * (supplied[1:] + supplied[:-1]))])
    total = np.array([model.energy(q, v, u).total for q, v, u in zip(motion.q, motion.v, motion.u, strict=True)])
    assert np.ptp(total) > 0.1
    assert np.abs(total - total[0] - work).max() < 2e-3 * np.ptp(total)


def _walker():
    robot = sp.Robot("walker")
    rubber = sp.Material(young=3e5, poisson=0.45, density=1100.0, viscosity=1e3)
    body = sp.Rigid.box((0.1, 0.1, 0.05), density=1500.0, tip=sp.pose((0.05, 0, 0)))
    robot.add_link("body", body, joint=sp.Planar("y", damping=0.1))
    robot.add_link("leg", sp.Rod(0.3, sp.Circle(0.02), rubber, sp.Legendre(bend_y=2, stretch=0)), parent="body")
    robot.add_link("crank", sp.Rigid.sphere(0.03, density=2000.0), joint=sp.Revolute("y"), parent="leg")
    robot.add(sp.Prescribed("crank", lambda t: (t**2, 2 * t, 2.0)))
    robot.add(sp.Tendon("t", {"leg": lambda X: (0.0, 0.01)}))
    robot.add(sp.ElasticTendon("e", {"leg": lambda X: (0.0, -0.01)}, stiffness=50.0, rest_length=0.25, damping=1.0))
    robot.add(sp.Fluid(density=500.0, drag=sp.Drag(), added_mass=sp.AddedMass(), links=("body", "leg")))
    robot.add(sp.Spring("s", ("world", 0.0, sp.pose((0, 0, 0.5))), ("body", 0.0), stiffness=20.0, rest_length=0.4))
    floor = sp.Plane(height=-0.1)
    robot.add(sp.Contact("floor", sp.Spheres("leg", n=9), floor, stiffness=2e3, damping=0.5, friction=0.3))
    return robot.compile()
