"""tau and its derivatives: contacts and stresses on its side, laws of time."""

import numpy as np
import pytest

import supple as sp
from helpers import difference_jacobian, relative_error
from load_kinds import host
from load_laws import Swing
from supple.compilation.binder import Bound
from supple.core.arrays import floats, handle_at, integers, space_view
from supple.core.loads import EXTERNAL, INTERNAL, TANGENT
from supple.jit import LoadKernel
from supple.model.changes import changed_model


def on_side(model, side):
    """The same model with all loads on one side of R = ID - tau."""
    return changed_model(model, loads=tuple(load._replace(side=side) for load in model.loads))


@pytest.fixture(scope="module")
def touching():
    """Spheres between the points of a rod, all inside a ball: woken in every call."""
    robot = host()
    ball = sp.Ball(2.0, (0.0, 0.0, 0.0))
    robot.add(sp.Contact("ball", sp.Spheres("a", n=7, radius=0.02), ball, 50.0, 1.0, damping=0.1, friction=0.3))
    return robot.compile()


@pytest.mark.parametrize("seed", range(3))
def test_contacts_on_the_side_of_tau(touching, seed):
    """Segments that a load wakes count in dtau/dq and dtau/dv, as they do in dID/dq and dID/dv."""
    internal, rng = on_side(touching, INTERNAL), np.random.default_rng(seed)
    q, v = 0.2 * rng.standard_normal((2, internal.n))
    found = internal.internal_force_derivatives(q, v)
    by_q = difference_jacobian(lambda x: internal.internal_force(x, v), q, 1e-4)
    by_v = difference_jacobian(lambda x: internal.internal_force(q, x), v, 1e-4)
    assert relative_error(found.dq, by_q) < 1e-8
    assert relative_error(found.dv, by_v) < 1e-8
    a = rng.standard_normal(internal.n)
    inside, outside = (m.residual_derivatives(q, v, a) for m in (internal, touching))
    assert relative_error(inside.dq, outside.dq) < 1e-12
    assert relative_error(inside.dv, outside.dv) < 1e-12


def _rate_stress(tree, space, data, mode):
    """A stress -c xi' that bends one strain into another at a node: data = node (1, 1), c (1, 1)."""
    scratch = space_view(space)
    h = handle_at(data, 2)
    s, c = scratch.stress[integers(h, 0)[0, 0]], floats(h, 1)[0, 0]
    s.f[1] -= c * s.xid[1] * s.xid[2]
    if mode == TANGENT:
        s.C[1, 1] -= c * s.xid[2]
        s.C[1, 2] -= c * s.xid[1]


rate_stress = LoadKernel(_rate_stress)


class Viscous:
    """A load of one's own whose stress follows the rate of strain."""

    name = "viscous"

    def __init__(self, side):
        self.side = side

    def stations(self):
        return [("a", 0.0)]

    def bind(self, binder):
        node = np.array([[binder.node("a", 0.5)]], dtype=np.int64)
        return Bound("viscous", rate_stress, (node, np.array([[3.0]])), self.side)


@pytest.mark.parametrize("side", [INTERNAL, EXTERNAL])
def test_stresses_that_follow_the_rate_of_strain(side):
    """Their slope C is in dR/dv, separately as well as in the fused tangent."""
    robot = host()
    robot.add(Viscous(side))
    model, rng = robot.compile(), np.random.default_rng(1)
    q, v, a = rng.standard_normal((3, model.n))
    found = model.residual_derivatives(q, v, a)
    assert relative_error(found.dv, difference_jacobian(lambda x: model.residual(q, x, a), v, 1e-3)) < 1e-9
    fused = model.residual_tangent(q, v, a, cv=3.0)[1]
    assert relative_error(fused, found.dq + 3.0 * found.dv) < 1e-12


def test_laws_of_time_on_the_side_of_tau():
    """tau, dtau/dq and what is made of them are those of the time that is asked for."""
    robot = host()
    robot.add(sp.PointWrench("c", Swing(np.array([0.1, 0.2, 0.3, 4.0, 5.0, 6.0]))))
    robot.add(sp.JointDrive("motor", "b"))
    model, t = robot.compile(), 0.7
    wrench, drive = model.loads
    internal = changed_model(model, loads=(wrench._replace(side=INTERNAL), drive))
    q, v, a = np.random.default_rng(2).standard_normal((3, model.n))
    moved = model.inverse_dynamics(q, v, a, t) - internal.inverse_dynamics(q, v, a)
    outside = model.internal_force(q, v, [0.3]) - moved
    assert relative_error(internal.internal_force(q, v, [0.3], t=t), outside) < 1e-12
    by_q = difference_jacobian(lambda x: internal.internal_force(x, v, [0.3], t), q, 1e-3)
    assert relative_error(internal.internal_force_derivatives(q, v, [0.3], t=t).dq, by_q) < 1e-9
    by_q = difference_jacobian(lambda x: internal.residual(x, v, a, [0.3], t=t), q, 1e-3)
    assert relative_error(internal.residual_derivatives(q, v, a, [0.3], t=t).dq, by_q) < 1e-9
    assert np.array_equal(internal.actuation(q, t=t), model.actuation(q))
    a = internal.forward_dynamics(q, v, [0.3], t).a
    assert np.abs(internal.residual(q, v, a, [0.3], t=t)).max() < 1e-9 * np.abs(a).max()
