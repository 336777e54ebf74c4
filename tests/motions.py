"""Small robots whose motions the tests of `supple.solvers` look at, and how to measure orders."""

import numpy as np

import supple as sp
from supple.solvers.integrators.run import END_TIME, TIME
from supple.solvers.motion.simulation import Simulation

#: Methods of all families, as adaptive or as fixed as they come.
FAMILIES = {
    "NDF": sp.NDF(rtol=1e-7, atol=1e-9),
    "GeneralizedAlpha": sp.GeneralizedAlpha(dt=2e-3),
    "adaptive": sp.GeneralizedAlpha(rtol=1e-5, atol=1e-7),
    "BDF2": sp.BDF2(dt=2e-3),
    "Radau": sp.Radau(rtol=1e-7, atol=1e-9),
    "RK45": sp.RK45(rtol=1e-7, atol=1e-9),
}
#: What the rate of a wheel that turns at 1 rad/s may be wrong by.
ACCURACY = {"NDF": 1e-6, "GeneralizedAlpha": 2e-5, "adaptive": 3e-4, "BDF2": 1e-4, "Radau": 1e-6, "RK45": 1e-6}


def pendulum(drive=False, **joint):
    """A rod of 1 kg and 1 m about y, released from the horizontal: q turns it down."""
    robot = sp.Robot("pendulum")
    robot.add_link("bar", sp.Rigid(1.0, (1e-3, 0.1, 0.1), com=(0.5, 0, 0)), joint=sp.Revolute("y", **joint))
    if drive:
        robot.add(sp.JointDrive("motor", "bar"))
    return robot.compile()


def wheel(*items, **joint):
    """A disc of 0.5 kg m^2 about z without weight, with a motor."""
    robot = sp.Robot("wheel", gravity=(0, 0, 0))
    robot.add_link("disc", sp.Rigid(1.0, (0.3, 0.3, 0.5)), joint=sp.Revolute("z", **joint))
    robot.add(sp.JointDrive("motor", "disc"))
    for item in items:
        robot.add(item)
    return robot.compile()


def soft_arm(damping=0.0, *items):
    """A hanging planar rod of rubber."""
    material = sp.Material(young=1e6, poisson=0.5, density=1000.0, damping_time=damping)
    robot = sp.Robot("arm")
    robot.add_link("rod", sp.Rod(0.3, sp.Circle(0.01), material, sp.Legendre(bend_y=2), points=6))
    for item in items:
        robot.add(item)
    return robot.compile()


def four_bar(*items, lengths=(0.1, 0.25, 0.2), guess=(-1.2, 0.807, 2.304)):
    """A rigid four-bar linkage in the plane of x and z, under gravity; ground link 0.2 m.  Returns model and q."""
    lengths = dict(zip(("crank", "coupler", "follower"), lengths, strict=True))
    robot = sp.Robot("four-bar")
    for name, parent in (("crank", "world"), ("coupler", "crank"), ("follower", "coupler")):
        body = sp.Rigid.cylinder(lengths[name], 0.01, density=1000.0)
        robot.add_link(name, body, joint=sp.Revolute("y"), parent=parent)
    robot.add(sp.Loop("pin", a=("follower",), b=("world", sp.pose((0.2, 0.0, 0.0))), joint=sp.Revolute("y")))
    for item in items:
        robot.add(item)
    model = robot.compile()
    return model, model.assemble(guess)


def free_body(inertia=(0.1, 0.2, 0.3)):
    robot = sp.Robot("body", gravity=(0, 0, 0))
    robot.add_link("body", sp.Rigid(2.0, inertia, com=(0.1, 0.05, -0.1)), joint=sp.Free())
    return robot.compile()


def stepped(model, method, steps, q0, v0=None, u=None):
    """Rows (len(steps) + 1, N) of a fixed-step scheme that is made to take these steps."""
    run = Simulation(model, float(np.sum(steps)), q0, v0, u, method, progress=False)
    run.begin()
    integrator = run.integrator
    rows = [integrator.now()]
    for h in steps:
        integrator.reals[END_TIME] = integrator.reals[TIME] + h
        integrator.advance(1)
        integrator.take()
        rows.append(integrator.now())
    return np.array(rows)


def slope(sizes, errors):
    """Exponent p of errors ~ sizes^p."""
    return float(np.polyfit(np.log(sizes), np.log(errors), 1)[0])
