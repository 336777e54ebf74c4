"""What a motion conserves: energy and momentum along integrated motions, order of the error included."""

import numpy as np
import pytest

import supple as sp
from helpers import central_difference, make_case, rebuilt, size


def runge_kutta(model, q, v, step, count):
    """Classical fourth-order steps of q' = v, v' = a(q, v)."""
    y = np.concatenate([q, v])
    n = model.n

    def rate(y):
        return np.concatenate([y[n:], model.forward_dynamics(y[:n], y[n:]).a])

    for _ in range(count):
        k1 = rate(y)
        k2 = rate(y + 0.5 * step * k1)
        k3 = rate(y + 0.5 * step * k2)
        k4 = rate(y + step * k3)
        y = y + step / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return y[:n], y[n:]


def arm():
    """A pendulum that carries a soft rod and a helical body: springs, gravity, no damping."""
    robot = sp.Robot("arm")
    box = sp.Rigid.box((0.4, 0.1, 0.1), density=500.0, tip=sp.pose((0.2, 0, 0)))
    robot.add_link("crank", box, joint=sp.Spherical())
    material = sp.Material(young=2e4, poisson=0.4, density=1000.0)
    rod = sp.Rod(0.5, sp.Circle((0.05, 0.04)), material, sp.Legendre(bend_y=1, bend_z=1, torsion=0), points=4)
    robot.add_link("rod", rod, parent="crank")
    joint = sp.Helical("x", 0.05, stiffness=0.5, rest=0.3)
    robot.add_link("screw", sp.Rigid(0.5, (0.01, 0.02, 0.02), com=(0, 0.05, 0)), joint=joint, parent="rod")
    return robot


def floating(robot):
    """The robot let go, in empty space."""
    free = rebuilt(robot, gravity=(0, 0, 0), joint=lambda link: sp.Free() if link.parent == "world" else link.joint)
    return free.compile()


def test_energy_along_a_motion():
    """Kinetic, elastic and gravitational energy are exchanged; their sum drifts only by the integrator's error."""
    model = arm().compile()
    q, v = np.zeros(model.n), np.linspace(-1.0, 1.0, model.n)
    start = model.energy(q, v)
    drifts, exchanged = [], 0.0
    for count in (200, 400):
        end = model.energy(*runge_kutta(model, q, v, 0.4 / count, count))
        drifts.append(abs(end.total - start.total))
        exchanged = abs(end.kinetic - start.kinetic)
    assert drifts[1] < 1e-6 * exchanged
    assert drifts[1] < drifts[0] / 12.0


def test_momentum_along_a_motion():
    """A floating robot without gravity: linear and angular momentum stay, while its parts move against each other."""
    model = floating(arm())
    v = np.linspace(-1.0, 1.0, model.n)
    q = np.zeros(model.n)
    start = model.momentum(q, v)
    drifts = []
    for count in (200, 400):
        end = runge_kutta(model, q, v, 0.4 / count, count)
        drifts.append(size(model.momentum(*end) - start))
    assert drifts[1] < 1e-8 * size(start)
    assert size(end[1] - v) > 0.1


@pytest.mark.parametrize("seed", range(40))
def test_energy_rate_of_a_free_motion_is_the_damping(seed):
    """Along forward dynamics the total energy falls at the rate v.D v; limits and springs store, gravity works."""
    _, model, q, v, _ = make_case(seed)
    a = model.forward_dynamics(q, v).a
    # kinetic energy is quadratic in v: the acceleration's share is exact, so stiff accelerations do no harm
    position = central_difference(lambda t: model.energy(q + t * v, v).kinetic, 1e-4)
    position += central_difference(lambda t: model.energy(q + t * v, v).gravitational, 1e-4)
    elastic = -model.internal_force(q, 0 * v) @ v
    rate = position + elastic + v @ model.mass_matrix(q) @ a
    terms = abs(position) + abs(elastic) + np.abs(v) @ np.abs(model.mass_matrix(q)) @ np.abs(a)
    assert rate == pytest.approx(-v @ model.damping @ v, abs=1e-8 * terms)


def test_a_symmetric_top_keeps_its_spin():
    """Heavy symmetric top: the spin about its axis and the vertical angular momentum are constant."""
    robot = sp.Robot("top", gravity=(0.0, 0.0, -9.81))
    robot.add_link("top", sp.Rigid(5.0, (0.1, 0.1, 0.18), com=(0, 0, 0.3)), joint=sp.Spherical())
    model = robot.compile()
    q, v = np.array([0.5, 0.0, 0.0]), np.array([0.0, 2.0, 8.0])
    spin = model.twist(q, v, "top", 0.0)[2]
    vertical = model.momentum(q, v)[2]
    end = runge_kutta(model, q, v, 2e-3, 100)
    assert model.twist(*end, "top", 0.0)[2] == pytest.approx(spin, rel=1e-7)
    assert model.momentum(*end)[2] == pytest.approx(vertical, rel=1e-7)
    assert abs(model.momentum(*end)[0] - model.momentum(q, v)[0]) > 1e-2
