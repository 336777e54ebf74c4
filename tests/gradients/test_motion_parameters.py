"""Gradients of motions by the parameters of a design, against differences of whole simulations."""

import numpy as np
import pytest

import supple as sp

TIMES = np.linspace(0.0, 0.05, 6)

#: Differences of runs are off by their errors over how far they lie apart: a derivative that nearly vanishes, by the
#: density of a four-bar for one, shows 3e-5 of itself at a tolerance of 1e-10, and 5e-6 at this one.
METHODS = {
    "ndf": sp.NDF(rtol=1e-11, atol=1e-12),
    "generalized-alpha": sp.GeneralizedAlpha(dt=2e-3),
    "bdf2": sp.BDF2(dt=2e-3),
    "rk45": sp.RK45(rtol=1e-10, atol=1e-11),
}


def arm(young=3e5, density=1000.0, viscosity=300.0, length=0.2, radii=(0.012, 0.008), offset=0.007, gravity=-9.81,
        speed=3.0, stiffness=2000.0, friction=0.3, swing=0.4):  # fmt: skip
    """A rod on a prescribed hinge, with a tendon, a spring, a wave of force, a floor to touch and air around it."""
    rubber = sp.Material(young=young, poisson=0.45, density=density, viscosity=viscosity)
    robot = sp.Robot("arm", gravity=(0.0, 0.0, gravity))
    bending = sp.Legendre(bend_y=1, bend_z=1, stretch=0)
    rod = sp.Rod(length, sp.Circle(radius=tuple(radii)), rubber, bending, points=3)
    robot.add_link("hub", sp.Rigid(0.1, np.full(3, 1e-4), com=(0.01, 0.0, 0.0)), joint=sp.Revolute("y"))
    robot.add_link("arm", rod, parent="hub", at=sp.pose(xyz=(0.02, 0.0, 0.0)))
    robot.add_link("ball", sp.Rigid.sphere(0.01, density=density), parent="arm")
    robot.add(sp.Prescribed("hub", sp.laws.Sine(swing, 2.0)))
    robot.add(sp.Tendon("pull", {"arm": lambda X: (0.0, offset)}))
    robot.add(sp.Spring("guy", ("arm", 0.6), ("world", 0.0, sp.pose(xyz=(0.1, 0.1, 0.1))), 20.0, 0.1, damping=0.2))
    robot.add(sp.PointWrench("arm", sp.laws.Sine(np.array([0.0, 0.0, 0.0, 0.0, 0.05, 0.1]), speed)))
    plane = sp.Plane((0.0, 0.0, 1.0), -0.01)
    robot.add(sp.Contact("floor", sp.Ball(0.01, link="ball"), plane, stiffness=stiffness, damping=0.1,
                         friction=friction, slip_velocity=0.05))  # fmt: skip
    robot.add(sp.Fluid(density=1.2, drag={"arm": (0.0, 0.0, 0.0, 0.01, 0.05, 0.05)}, buoyancy=False))
    return robot


def four_bar(crank=0.1, coupler=0.3, young=2e6, density=1200.0, place=0.35):
    """Two bars and a soft rod in a loop."""
    rubber = sp.Material(young=young, poisson=0.45, density=density, viscosity=300.0)
    robot = sp.Robot("four-bar", gravity=(0.0, 0.0, -9.81))
    bar = {"joint": sp.Revolute("y", damping=1e-3)}
    robot.add_link("crank", sp.Rigid.cylinder(crank, 0.01, density=density), **bar)
    rod = sp.Rod(coupler, sp.Circle(0.01), rubber, sp.Legendre(bend_y=1, stretch=0), points=3)
    robot.add_link("coupler", rod, parent="crank", **bar)
    at = sp.pose(xyz=(place, 0.0, 0.0))
    robot.add_link("rocker", sp.Rigid.cylinder(0.2, 0.01, density=density), at=at, **bar)
    robot.add(sp.Loop("pin", ("coupler", sp.pose()), ("rocker", sp.pose()), sp.Revolute("y")))
    return robot


def flyer(young=3e5, density=1000.0, height=0.02, place=0.1):
    """A free body that spins fast, with a rod on it; its joint and the rod have places that are parameters."""
    rubber = sp.Material(young=young, poisson=0.45, density=density, viscosity=300.0)
    robot = sp.Robot("flyer", gravity=(0.0, 0.0, -9.81))
    at = sp.pose(xyz=(place, 0.2 * place, 0.0), rpy=(place, 0.0, 0.3))
    robot.add_link("hub", sp.Rigid.box((0.05, 0.04, 0.03), density=density), joint=sp.Free(), at=at)
    rod = sp.Rod(0.1, sp.Circle(0.006), rubber, sp.Legendre(bend_y=1, bend_z=0), points=2)
    robot.add_link("rod", rod, parent="hub", at=sp.pose(xyz=(0.0, 0.0, height)))
    robot.add(sp.Spring("guy", ("rod", 1.0), ("world", 0.0), 5.0, 0.05))
    return robot


DESIGNS = {
    "arm": (arm, {"young": 3e5, "density": 1000.0, "viscosity": 300.0, "length": 0.2, "radii": np.array([0.012, 0.008]),
                  "offset": 0.007, "gravity": -9.81, "speed": 3.0, "stiffness": 2000.0, "friction": 0.3, "swing": 0.4}),
    "four-bar": (four_bar, {"crank": 0.1, "coupler": 0.3, "young": 2e6, "density": 1200.0, "place": 0.35}),
    "flyer": (flyer, {"young": 3e5, "density": 1000.0, "height": 0.02, "place": 0.1}),
}  # fmt: skip


def moved(name, method):
    build, values = DESIGNS[name]
    design = sp.Design(build, **values)
    model = design.model()
    rng = np.random.default_rng(4)
    q0, v0 = 0.1 * rng.standard_normal(model.n), rng.standard_normal(model.n)
    if name == "four-bar":
        q0 = model.assemble([-1.0, 0.8, 0.0, 0.0, 0.0, -1.4])
    if name == "flyer":
        v0[:3] = 40.0, 25.0, -10.0
    u = np.full(model.nu, 1.5)
    motion = model.simulate(TIMES, q0, v0, u, METHODS[method], record=True)
    return design, motion, q0, v0, u


def weights_of(motion):
    """Of q and v: accelerations at the beginning are not smooth in what loops make of them."""
    rng = np.random.default_rng(9)
    scale = {name: 1.0 / max(1.0, np.abs(getattr(motion, name)).max()) for name in ("q", "v")}
    return {name: size * rng.standard_normal(getattr(motion, name).shape) for name, size in scale.items()}


#: Steps of fixed length are the same for other parameters, but loops are corrected, and charts re-centred, along other
#: directions and at other places: there only methods that resolve the motion agree with other simulations.
CASES = [(name, m) for name in DESIGNS for m in METHODS if name == "arm" or m in ("ndf", "rk45")]


@pytest.mark.parametrize(("name", "method"), CASES)
def test_against_simulations_with_other_parameters(name, method):
    design, motion, q0, v0, u = moved(name, method)
    weights = weights_of(motion)
    found = motion.vjp(**weights).p

    def loss(values):
        run = design.model(**values).simulate(TIMES, q0, v0, u, METHODS[method])
        return sum((weights[x] * getattr(run, x)).sum() for x in weights)

    if name == "flyer":
        assert motion.stats["recentred"] > 0
    for key, value in design.values.items():
        direction = np.asarray(value, dtype=float) * (1.0 + 0.3 * np.arange(np.size(value)).reshape(np.shape(value)))
        h = 3e-4
        at = [loss({key: value + x * h * direction}) for x in (1.0, -1.0, 2.0, -2.0)]
        expected = (8.0 * (at[0] - at[1]) - (at[2] - at[3])) / (12.0 * h)
        size = max(abs(expected), 1e-2)
        assert abs(np.sum(found[key] * direction) - expected) < 1e-4 * size, (key, found[key] * direction, expected)


def test_results_depend_on_parameters_directly():
    """Tips and energies move with lengths and stiffness where q stands still."""
    design, motion, q0, v0, u = moved("arm", "bdf2")
    rng = np.random.default_rng(3)
    tip, energy = rng.standard_normal((len(TIMES), 3)), 1e-2 * rng.standard_normal(len(TIMES))
    pose = {("arm", 0.37): 0.1 * rng.standard_normal((len(TIMES), 6))}
    found = motion.vjp(tip={"arm": tip}, energy=energy).p
    for key in ("length", "young", "density", "swing"):
        value = design.values[key]

        def loss(x, key=key, value=value):
            run = design.model(**{key: x}).simulate(TIMES, q0, v0, u, METHODS["bdf2"])
            stored = [run.model.energy(*state).total for state in zip(run.q, run.v, strict=True)]
            return (tip * run.tip("arm")).sum() + energy @ stored

        h = 1e-4 * value
        far, near = loss(value + 2 * h) - loss(value - 2 * h), loss(value + h) - loss(value - h)
        expected = (8.0 * near - far) / (12.0 * h)
        assert found[key] == pytest.approx(expected, rel=1e-5)
    assert set(motion.vjp(pose=pose).p) == set(design.values)
