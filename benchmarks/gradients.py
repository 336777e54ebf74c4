"""Derivatives of motions, in units of the recorded simulation that they are of, both in one process."""

from __future__ import annotations

import numpy as np

from supple.bench.tables import GOAL, Column, Table
from supple.bench.timing import best_times
from supple.systems import SYSTEMS

#: Systems, how long they are simulated [s], and what a gradient may cost in simulations.
NAMES = ("cable-manipulator", "serial-arm", "fin-ray", "parallel-robot", "underwater-vehicle")
SPAN, POINTS, AT_MOST = 1.0, 51, 3.0


def run(seconds: float) -> list[Table]:
    """One table."""
    table = Table(
        "Derivatives of motions",
        (
            Column("name", "system"),
            Column("n", "n", "count"),
            Column("steps", "steps", "count"),
            Column("simulation", "simulation, ms", "milli"),
            Column("recorded", "recorded", "ratio"),
            Column("gradient", "gradient", "ratio"),
            *GOAL,
            Column("forward", "one direction", "ratio"),
            Column("memory", "kB a step", "significant"),
        ),
        note="Recorded: in units of the plain simulation; gradient (vjp by initial state and inputs) and one direction "
        "(jvp): in units of the recorded one.",
    )
    for name in NAMES:
        system = SYSTEMS[name]()
        model = system.compile()
        t = np.linspace(0.0, min(system.t_end, SPAN), POINTS)
        q0, v0 = system.start(model)

        def simulate(record: bool, model=model, t=t, q0=q0, v0=v0, system=system):
            return model.simulate(t, q0, v0, system.u, system.method, record=record)

        motion = simulate(True)
        ones, direction = np.ones_like(motion.q), np.ones(model.n)
        found = best_times(
            {
                "plain": lambda: simulate(False),
                "recorded": lambda: simulate(True),
                "backward": lambda motion=motion, ones=ones: motion.vjp(q=ones),
                "forward": lambda motion=motion, direction=direction: motion.jvp(v0=direction),
            },
            seconds,
        )
        assert motion.tape is not None
        table.add(
            name=name,
            n=model.n,
            steps=motion.stats["steps"],
            simulation=found["plain"],
            recorded=found["recorded"] / found["plain"],
            gradient=found["backward"] / found["recorded"],
            at_most=AT_MOST,
            forward=found["forward"] / found["recorded"],
            memory=8e-3 * motion.tape.size / motion.stats["steps"],
        )
    return [table.judge("gradient")]
