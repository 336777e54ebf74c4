"""Derivatives of equilibria and motions, in units of the search or simulation that they are of, both in one process.

All in CPU time, since some of the calls last milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np

import supple as sp
from supple.bench.tables import GOAL, Column, Table
from supple.bench.timing import best_times
from supple.robot.robot import Robot
from supple.systems import SYSTEMS
from supple.systems.system import System

#: Systems, with the parameters by which they are differentiated.
PARAMETERS: dict[str, dict[str, float]] = {
    "cable-manipulator": {"length": 0.5, "base_radius": 0.03, "tip_radius": 0.015},
    "serial-arm": {"link_length": 0.2, "link_radius": 0.03, "rod_length": 0.5},
    "fin-ray": {"base_width": 0.06, "segment_length": 0.03},
    "parallel-robot": {"side": 0.2, "thickness": 0.01, "pillar_length": 0.15},
    "underwater-vehicle": {"front_length": 0.35, "rear_length": 0.5, "base_radius": 0.0125, "tip_radius": 0.002},
}
#: How long systems are simulated [s], and what a gradient may cost in simulations.
SPAN, POINTS, AT_MOST = 1.0, 51, 3.0
#: When laws are taken for equilibria [s]; what a gradient may cost in searches.
MOMENT, OF_STATICS = 1.5, 0.5
#: What a linear system may cost in Jacobians of the residual.
LINEAR_AT_MOST = 2.0
#: What recording may cost, and many parameters in units of few.
RECORDED_AT_MOST, MANY_AT_MOST = 1.1, 1.3


def run(seconds: float) -> list[Table]:
    """Linear systems, motions, equilibria, numbers of parameters, whole iterates of an optimisation."""
    return [
        linear_systems(seconds),
        motions(seconds),
        equilibria(seconds),
        parameter_counts(seconds),
        design_loops(),
    ]


def builder(name: str) -> Callable[..., Robot]:
    """A function of the parameters of a system that returns its robot."""

    def build(**parameters: float) -> Robot:
        return SYSTEMS[name](**parameters).robot

    return build


def sampled_inputs(system: System, t: np.ndarray) -> Any:
    """Laws of a system's inputs as samples (T, nu), so that a gradient has an entry for each."""
    if not isinstance(system.u, list):
        return system.u
    return np.array([[float(law(x)) if callable(law) else law for law in system.u] for x in t])


def linear_systems(seconds: float) -> Table:
    """A and B about a state, in units of the Jacobians of the residual there."""
    table = Table(
        "Linear systems",
        (
            Column("name", "system"),
            Column("n", "n", "count"),
            Column("rows", "rows of loops", "count"),
            Column("jacobians", "Jacobians, us", "micro"),
            Column("linearize", "linearize", "ratio"),
            *GOAL,
        ),
        note="In units of residual_derivatives: dR/dq, dR/dv, dR/da, dR/du and, with loops, their rows.",
    )
    for name in PARAMETERS:
        system = SYSTEMS[name]()
        model = system.compile()
        q, v = system.start(model)
        q, v = np.array(model.rest if q is None else q), np.zeros(model.n) if v is None else np.array(v)
        u, lam = np.full(model.nu, 0.1), np.zeros(model.nc)
        a = model.forward_dynamics(q, v, u, MOMENT).a
        found = best_times(
            {
                "linearize": lambda model=model, q=q, v=v, u=u: model.linearize(q, v, u, MOMENT),
                "jacobians": lambda model=model, q=q, v=v, a=a, u=u, lam=lam: model.residual_derivatives(
                    q, v, a, u, lam, MOMENT
                ),
            },
            seconds,
        )
        ratio = found["linearize"] / found["jacobians"]
        jacobians = found["jacobians"]
        table.add(name=name, n=model.n, rows=model.nc, jacobians=jacobians, linearize=ratio, at_most=LINEAR_AT_MOST)
    return table.judge("linearize")


def motions(seconds: float) -> Table:
    """Gradients by initial state, all samples of inputs and all parameters; and one direction."""
    table = Table(
        "Derivatives of motions",
        (
            Column("name", "system"),
            Column("n", "n", "count"),
            Column("steps", "steps", "count"),
            Column("simulation", "simulation, ms", "milli"),
            Column("recorded", "recorded", "ratio"),
            Column("without", "without parameters", "ratio"),
            Column("gradient", "gradient", "ratio"),
            *GOAL,
            Column("forward", "one direction", "ratio"),
            Column("along", "of parameters", "ratio"),
            Column("memory", "kB a step", "significant"),
        ),
        note="Recorded: in units of the plain simulation; gradient (vjp by initial state, all samples of inputs and "
        "parameters) and one direction (jvp, of v0 and of all parameters): in units of the recorded one.  How arrays "
        "follow parameters is found "
        "before, see below.",
    )
    for name, parameters in PARAMETERS.items():
        system = SYSTEMS[name]()
        plain, designed = system.compile(), sp.Design(builder(name), **parameters).model()
        t = np.linspace(0.0, min(system.t_end, SPAN), POINTS)
        q0, v0 = system.start(plain)
        u = sampled_inputs(system, t)

        def simulate(model, record, t=t, q0=q0, v0=v0, u=u, method=system.method):
            return model.simulate(t, q0, v0, u, method, record=record)

        motion, followed = simulate(plain, True), simulate(designed, True)
        ones, direction = np.ones_like(motion.q), np.ones(plain.n)
        found = best_times(
            {
                "plain": lambda simulate=simulate, plain=plain: simulate(plain, False),
                "recorded": lambda simulate=simulate, plain=plain: simulate(plain, True),
                "without": lambda motion=motion, ones=ones: motion.vjp(q=ones),
                "backward": lambda motion=followed, ones=ones: motion.vjp(q=ones),
                "forward": lambda motion=motion, direction=direction: motion.jvp(v0=direction),
                "along": lambda motion=followed, parameters=parameters: motion.jvp(p=dict.fromkeys(parameters, 1e-3)),
            },
            seconds,
            process_time,
        )
        assert motion.tape is not None
        table.add(
            name=name,
            n=plain.n,
            steps=motion.stats["steps"],
            simulation=found["plain"],
            recorded=found["recorded"] / found["plain"],
            without=found["without"] / found["recorded"],
            gradient=found["backward"] / found["recorded"],
            at_most=AT_MOST,
            forward=found["forward"] / found["recorded"],
            along=found["along"] / found["recorded"],
            memory=8e-3 * motion.tape.size / motion.stats["steps"],
        )
    return table.judge("gradient")


def equilibria(seconds: float) -> Table:
    """Gradients of equilibria, each of one just found: nothing is kept from a call before."""
    table = Table(
        "Gradients of equilibria",
        (
            Column("name", "system"),
            Column("n", "n", "count"),
            Column("statics", "statics, us", "micro"),
            Column("gradient", "gradient", "ratio"),
            *GOAL,
        ),
        note="Gradient (vjp by inputs): in units of the search, which ends just before each.",
    )
    for name in [name for name in PARAMETERS if name != "underwater-vehicle"]:  # which rests nowhere
        system = SYSTEMS[name]()
        model = system.compile()
        u = sampled_inputs(system, np.array([MOMENT]))
        u = None if u is None else u[0]
        bar, searches, gradients, end = np.ones(model.n), [], [], process_time() + seconds
        while process_time() < end or len(searches) < 3:
            begin = process_time()
            rest = model.statics(u, t=MOMENT)
            middle = process_time()
            rest.vjp(bar)
            searches.append(middle - begin)
            gradients.append(process_time() - middle)
        ratio = min(gradients) / min(searches)
        table.add(name=name, n=model.n, statics=min(searches), gradient=ratio, at_most=OF_STATICS)
    return table.judge("gradient")


def profiled_arm(young: float, radius: np.ndarray) -> Robot:
    """A rod whose radius is a cosine series: every coefficient changes every section."""
    turns = np.pi * np.arange(len(radius))
    robot = Robot("arm")
    section = sp.Circle(lambda s: float(radius @ np.cos(turns * s)))
    strain = sp.Legendre(torsion=4, bend_y=4, bend_z=4, stretch=2, shear_y=2, shear_z=2)
    robot.add_link("arm", sp.Rod(0.5, section, sp.Material(young, density=1000.0, viscosity=1e4), strain, points=11))
    robot.add(sp.Tendon("tendon", {"arm": lambda X: (0.0, 0.01)}))
    return robot


def parameter_counts(seconds: float) -> Table:
    """What a gradient costs by few and by many parameters; what a changed model and its slopes cost."""
    table = Table(
        "Parameters of a rod with 24 coordinates and a tendon",
        (
            Column("parameters", "parameters", "count"),
            Column("simulation", "recorded simulation, ms", "milli"),
            Column("gradient", "gradient, ms", "milli"),
            Column("ratio", "of that by 2", "ratio"),
            *GOAL,
            Column("model", "model(), ms", "milli"),
            Column("slopes", "slopes, ms", "milli"),
        ),
        note="Slopes: how arrays follow parameters, of a first model of a design: two builds per parameter.",
    )
    t, first = np.linspace(0.0, SPAN, POINTS), 0.0
    for count in (2, 200):
        coefficients = 0.02 * np.eye(count - 1)[0] + 1e-5 / np.arange(1, count)
        design = sp.Design(profiled_arm, young=3e6, radius=coefficients)
        model = design.model()
        motion = model.simulate(t, u=[5.0], record=True)
        other = sp.Design(profiled_arm, young=3.1e6, radius=coefficients).model()
        begin = process_time()
        slopes = other.design.slopes  # type: ignore[union-attr]
        spent = process_time() - begin
        assert slopes.count == count
        ones = np.ones_like(motion.q)
        found = best_times(
            {
                "simulation": lambda model=model: model.simulate(t, u=[5.0], record=True),
                "gradient": lambda motion=motion, ones=ones: motion.vjp(q=ones),
                "model": lambda design=design: design.model(young=3.1e6),
            },
            seconds,
            process_time,
        )
        first = first or found["gradient"]
        goal = MANY_AT_MOST if count > 2 else None
        table.add(parameters=count, **found, ratio=found["gradient"] / first, at_most=goal, slopes=spent)
    return table.judge("ratio")


def profiled_manipulator(young: float, radius: np.ndarray) -> Robot:
    """The cable manipulator, its taper a line and a cosine series, along which three of its cables run."""
    length, turns = 0.5, np.pi * np.arange(1, len(radius) + 1) / 0.5

    def r(X: Any) -> Any:
        return 0.03 - 0.03 * X + radius @ np.cos(turns * X)

    def along(angle: float) -> Callable[[Any], Any]:
        return lambda X: (-np.sin(angle) * r(X), np.cos(angle) * r(X))

    def helix(sign: float) -> Callable[[Any], Any]:
        return lambda X: (0.015 * np.sin(8.0 * np.pi * X), sign * 0.015 * np.cos(8.0 * np.pi * X))

    robot = Robot("profiled manipulator")
    silicone = sp.Material(young=young, poisson=0.5, density=1000.0, viscosity=1e4)
    strain = sp.Legendre(torsion=4, bend_y=4, bend_z=4, stretch=2, shear_y=2, shear_z=2)
    section = sp.Circle(lambda s: float(r(s * length)))
    robot.add_link("arm", sp.Rod(length, section, silicone, strain, points=5))
    for k, angle in enumerate((0.0, 2.0 * np.pi / 3.0, 4.0 * np.pi / 3.0)):
        robot.add(sp.Tendon(f"cable{k + 1}", {"arm": along(angle)}))
    for k, sign in ((4, 1.0), (5, -1.0)):
        robot.add(sp.Tendon(f"cable{k}", {"arm": helix(sign)}))
    return robot


def design_loops(iterates: int = 8) -> Table:
    """Iterates of an optimisation: a model for other parameters, its motion, the gradient with all that it takes."""
    table = Table(
        "Iterates of an optimisation: 10 s of the cable manipulator",
        (
            Column("parameters", "parameters", "count"),
            Column("first", "first iterate, ms", "milli"),
            Column("later", "later ones, ms", "milli"),
            Column("ratio", "of that by 2", "ratio"),
            *GOAL,
        ),
        note="design.model(...), simulate(record=True) and vjp by q0, v0, inputs and all parameters, slopes included; "
        "the first iterate learns how numbers follow parameters, of the later ones the best counts.",
    )
    system, t, few = SYSTEMS["cable-manipulator"](), np.linspace(0.0, 10.0, 501), 0.0
    for count in (2, 200):
        radius, rng, spent = 1e-4 / np.arange(1, count), np.random.default_rng(0), []
        design = sp.Design(profiled_manipulator, young=1e6, radius=radius)
        for k in range(iterates):
            there = radius * (1.0 + 0.02 * rng.standard_normal(count - 1))
            begin = process_time()
            model = design.model(young=(1.0 + 0.02 * k) * 1e6, radius=there)
            motion = model.simulate(t, u=system.u, method=system.method, record=True)
            motion.vjp(q=np.ones_like(motion.q))
            spent.append(process_time() - begin)
        later = min(spent[1:])
        few = few or later
        goal = MANY_AT_MOST if count > 2 else None
        table.add(parameters=count, first=spent[0], later=later, ratio=later / few, at_most=goal)
    return table.judge("ratio")
