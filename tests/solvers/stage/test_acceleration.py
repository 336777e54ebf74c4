"""Accelerations inside the solvers: loads that are not linear in them, under constraints as well."""

import numpy as np
import pytest

import supple as sp
from carts import HELD, carts, flat, jumping
from load_kinds import KINDS, add_kinds, host
from supple.systems import underwater_vehicle

METHODS = [sp.RK45(), sp.GeneralizedAlpha(), sp.NDF()]


@pytest.mark.parametrize("held", HELD)
@pytest.mark.parametrize("method", METHODS, ids=lambda method: type(method).__name__)
def test_the_first_acceleration_balances(held, method):
    model = carts(*HELD[held])
    start = np.zeros((2, 2)) if held != "prescribed" else np.array([[0.0, 0.0], [0.26, 0.0]])
    motion = model.simulate((0.0, 0.01), *start, method=method)
    exact = model.forward_dynamics(motion.q[0], motion.v[0]).a
    assert motion.a[0] == pytest.approx(exact, rel=1e-8, abs=1e-8)


def test_no_acceleration_is_told():
    model = carts(law=jumping, tangent=flat)
    with pytest.raises(sp.SuppleError, match="does not converge"):
        model.simulate((0.0, 0.1), np.zeros(2), np.zeros(2), method=sp.RK45())


def test_weight_and_buoyancy_may_cancel():
    """What is left of two forces that cancel is rounding of both, although nothing else tells how large they are."""
    model = underwater_vehicle().compile()
    motion = model.simulate(0.05, method=sp.NDF())
    assert np.abs(motion.a[0]).max() < 1e-6
    assert np.abs(motion.v).max() < 1e-6


@pytest.mark.filterwarnings("ignore::supple.errors.ModelWarning")
@pytest.mark.parametrize("kind", KINDS)
def test_explicit_stages_accelerate_as_the_model_does(kind):
    """With every kind of load: accelerations and efforts of prescribed joints, at the end of each step."""
    rng = np.random.default_rng(8)
    model = add_kinds(rng, host(soft=kind == "cavity"), [kind], tries=20).compile()
    q = model.assemble(rng.normal(0.0, 0.05, model.n))
    u = np.abs(rng.normal(0.0, 0.1, model.nu))
    motion = model.simulate(2e-4, q0=q, u=u, method=sp.RK45(first_step=1e-4, max_step=1e-4))
    for k in range(len(motion.t)):
        found = model.forward_dynamics(motion.q[k], motion.v[k], u, motion.t[k], z=motion.z[k])
        assert motion.a[k] == pytest.approx(found.a, rel=1e-7, abs=1e-7 * np.abs(found.a).max())
        assert motion.efforts[k] == pytest.approx(found.efforts, rel=1e-7, abs=1e-9)


def test_trees_ask_for_one_evaluation_per_stage():
    """The recursion of forward dynamics, which needs neither tangents nor second residuals."""
    motion = host().compile().simulate(0.01, method=sp.RK45(first_step=1e-4, max_step=1e-4))
    stages, steps = 6, motion.stats["steps"] + motion.stats["rejected"]
    assert motion.stats["residuals"] <= stages * steps + 12  # the first ones look for a start
    assert motion.stats["tangents"] == 0


def test_a_body_without_mass_is_told():
    """The recursion is in doubt, and the mass matrix says why."""
    robot = sp.Robot("light")
    robot.add_link("nothing", sp.Rigid(0.0, np.zeros((3, 3))), sp.Revolute("z"))
    with pytest.raises(sp.SuppleError, match="nothing"):
        robot.compile().simulate(0.1, method=sp.RK45())
