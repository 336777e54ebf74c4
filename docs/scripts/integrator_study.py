"""The figures of `docs/choosing-an-integrator.md`: what methods cost and how well they do, counted and not timed.

``python -m docs.scripts.integrator_study`` computes all tables anew and writes them into the page (half a minute).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import supple as sp
from benchmarks.publish import fill
from docs.scripts import captioned, short
from supple.bench.tables import Column, Table

PAGE = Path(__file__).parent.parent / "choosing-an-integrator.md"

#: What a run costs, whatever the machine.
COUNTS = (
    Column("steps", "steps", "count"),
    Column("residuals", "residuals", "count"),
    Column("tangents", "tangents", "count"),
)


def counts(motion: sp.Trajectory) -> dict[str, int]:
    """Steps and evaluations of a run."""
    return {column.key: int(motion.stats[column.key]) for column in COUNTS}


def arm(viscosity: float) -> Any:
    """The soft arm of the quick start, with or without damping."""
    silicone = sp.Material(young=1e6, poisson=0.5, density=1000.0, viscosity=viscosity)
    bending = sp.Legendre(torsion=2, bend_y=4, bend_z=4, stretch=1)
    rod = sp.Rod(length=0.5, section=sp.Circle(radius=(0.03, 0.015)), material=silicone, strain=bending, points=5)
    robot = sp.Robot("soft arm")
    robot.add_link("arm", rod)
    robot.add(sp.Tendon("pull", {"arm": lambda X: (0.0, 0.03 - 0.03 * X)}))
    return robot.compile()


def damped() -> Table:
    """A stiff, damped arm that is let go: error of the tip against what it takes."""
    table = Table(
        "A damped silicone arm, pulled up and let go, 2 s",
        (Column("method", "method"), Column("error", "largest tip error, m", "error"), *COUNTS),
        note="Reference: NDF with a relative tolerance of 1e-10. The arm is 0.5 m long and swings through 0.5 m.",
    )
    model, times = arm(1e4), np.linspace(0.0, 2.0, 201)
    released = sp.laws.Ramp(40.0, 0.0, t0=0.2, t1=0.25)
    start = model.statics([40.0]).q

    def run(method: Any) -> sp.Trajectory:
        return model.simulate(times, q0=start, u=[released], method=method)

    exact = run(sp.NDF(rtol=1e-10, atol=1e-13)).tip("arm")
    for method in (
        sp.NDF(),
        sp.NDF(rtol=1e-5, atol=1e-8),
        sp.NDF(rtol=1e-7, atol=1e-10),
        sp.Radau(),
        sp.Radau(rtol=1e-6, atol=1e-9),
        sp.GeneralizedAlpha(),
        sp.GeneralizedAlpha(rtol=1e-6, atol=1e-8),
        sp.GeneralizedAlpha(dt=2e-3),
        sp.Newmark(dt=2e-3),
        sp.BDF2(dt=2e-3),
        sp.ImplicitEuler(dt=2e-3),
        sp.RK45(),
        sp.DOP853(rtol=1e-6, atol=1e-9),
        sp.Nystrom(),
        sp.Nystrom(order=4),
    ):
        motion = run(method)
        error = float(np.linalg.norm(motion.tip("arm") - exact, axis=1).max())
        table.add(method=short(method), error=error, **counts(motion))
    return table


def undamped() -> Table:
    """The same arm without any damping: what becomes of its energy."""
    table = Table(
        "The same arm without damping, falling from the horizontal, 5 s",
        (Column("method", "method"), Column("change", "energy gained, of the largest kinetic", "error"), *COUNTS),
        note="Exactly: 0.",
    )
    model = arm(0.0)
    for method in (
        sp.NDF(),
        sp.NDF(max_order=2),
        sp.NDF(rtol=1e-6, atol=1e-9),
        sp.NDF(rtol=1e-6, atol=1e-9, max_order=2),
        sp.Radau(),
        sp.Radau(rtol=1e-6, atol=1e-9),
        sp.GeneralizedAlpha(),
        sp.GeneralizedAlpha(dt=2e-3),
        sp.GeneralizedAlpha(rho_inf=1.0, dt=2e-3),
        sp.Newmark(dt=2e-3),
        sp.BDF2(dt=2e-3),
        sp.ImplicitEuler(dt=2e-3),
        sp.RK45(),
        sp.DOP853(rtol=1e-6, atol=1e-9),
        sp.Nystrom(),
        sp.Nystrom(order=4),
    ):
        motion = model.simulate(np.linspace(0.0, 5.0, 251), method=method)
        kinetic, total = motion.energy()[:, 0], motion.energy()[:, 3]
        change = float((total[-1] - total[0]) / kinetic.max())
        table.add(method=short(method), change=change, **counts(motion))
    return table


def little() -> Table:
    """How many steps an adaptive method takes for the falling arm when its material damps a little."""
    viscosities = (0.0, 1.0, 10.0, 100.0, 1e3, 1e4)
    table = Table(
        "Steps of adaptive methods for the same fall, by the viscosity of the material",
        (Column("method", "method"), *(Column(f"{x:g}", f"{x:g} Pa s", "count") for x in viscosities)),
    )
    for method in (sp.NDF(), sp.NDF(max_order=2), sp.Radau(), sp.GeneralizedAlpha()):
        motions = {f"{x:g}": arm(x).simulate(5.0, method=method) for x in viscosities}
        table.add(method=short(method), **{x: counts(motion)["steps"] for x, motion in motions.items()})
    return table


def four_bar() -> tuple[Any, np.ndarray]:
    """A four-bar linkage in the plane of x and z whose follower is soft, and where it begins."""
    robot = sp.Robot("soft four-bar")
    rubber = sp.Material(young=1e7, poisson=0.5, density=1000.0, damping_time=1e-3)
    robot.add_link("crank", sp.Rigid.cylinder(0.1, 0.01, density=1000.0), joint=sp.Revolute("y"))
    coupler = sp.Rigid.cylinder(0.25, 0.01, density=1000.0)
    robot.add_link("coupler", coupler, joint=sp.Revolute("y"), parent="crank")
    follower = sp.Rod(0.2, sp.Circle(0.01), rubber, sp.Legendre(bend_y=2), points=5)
    robot.add_link("follower", follower, joint=sp.Revolute("y"), parent="coupler")
    robot.add(sp.Loop("pin", a=("follower",), b=("world", sp.pose((0.2, 0.0, 0.0))), joint=sp.Revolute("y")))
    model = robot.compile()
    return model, model.assemble([-1.2, 0.807, 2.304, 0.0, 0.0, 0.0])


def loops() -> Table:
    """How well closed loops stay closed."""
    table = Table(
        "Loops: a four-bar linkage with a soft follower, swinging for 2 s",
        (
            Column("method", "method"),
            Column("gap", "largest gap, m", "error"),
            Column("slip", "its rate, m/s", "error"),
            *COUNTS,
        ),
    )
    model, start = four_bar()
    for method in (
        sp.GeneralizedAlpha(),
        sp.GeneralizedAlpha(dt=2e-3),
        sp.GeneralizedAlpha(dt=2e-3, loops="index3"),
        sp.NDF(),
        sp.Radau(),
        sp.Newmark(dt=2e-3),
        sp.BDF2(dt=2e-3),
        sp.RK45(),
        sp.RK45(baumgarte=0.01),
    ):
        motion = model.simulate(2.0, q0=start, method=method)
        gap, slip = motion.constraint_error().max(axis=0)
        table.add(method=short(method), gap=float(gap), slip=float(slip), **counts(motion))
    return table


def sampled() -> Table:
    """A controller that samples the height of the tip, as on a real robot."""
    table = Table(
        "The damped arm held up by feedback of the tip's height, 100 samples a second, 4 s",
        (Column("method", "method"), *COUNTS),
    )
    model = arm(1e4)

    def pull(t: float, q: np.ndarray, v: np.ndarray) -> list[float]:
        return [max(0.0, 20.0 + 100.0 * (0.1 - model.pose(q, "arm")[2, 3]))]

    for method in (sp.NDF(), sp.GeneralizedAlpha(), sp.GeneralizedAlpha(dt=5e-3)):
        motion = model.simulate(np.linspace(0.0, 4.0, 401), u=pull, control_rate=100.0, method=method)
        table.add(method=short(method), **counts(motion))
    return table


def main() -> None:
    """Compute all tables and write them into the page."""
    for make in (damped, undamped, little, loops, sampled):
        fill(PAGE, make.__name__, captioned(make()))


if __name__ == "__main__":
    main()
