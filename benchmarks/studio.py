"""What a picture of the studio costs on the side of the server, for every system of the gallery:

    python -m benchmarks.studio [NAME ...]

The robot is brought on by a thirtieth of a second of its time (or finds the equilibrium after a slider moved), its
pieces are placed, and what changed is sent to a server of viser; all in CPU time, so that other work on the machine
matters little. Below 33 ms there can be 30 pictures per second in real time; beyond, the robot's time goes slower,
and the picture's rate is that of single steps. What the browser takes is its own.

    python -m benchmarks.studio --browser [NAME ...]

counts the pictures per second that reach a real page while sliders move (`studio_page`); it needs Chromium with its
driver, selenium, and a machine with nothing else to do.
"""

from __future__ import annotations

import sys
import time
from statistics import median

from supple.studio.engine import BUDGET, PATIENT, RATE, Shot
from supple.studio.modes import DYNAMICS, move, rest
from supple.studio.viewing import view
from supple.systems import SYSTEMS

#: Pictures per system and mode, after those that warm up.
PICTURES, WARM = 60, 5


def clock() -> float:
    """CPU time of this thread, s."""
    return time.thread_time()


def main(names: list[str]) -> None:
    print(f"{'':26} {'ready':>7} {'dynamics':>9} {'step':>7} {'statics':>8} {'show':>7}   ms of CPU per picture")
    for name in names or list(SYSTEMS):
        began = time.perf_counter()
        system = SYSTEMS[name]()
        model = system.compile()
        q0, v0 = system.start(model)
        options = {"q0": q0, "v0": v0, "u": system.u, "span": system.t_end}
        with view(model, open_browser=False, wait=False, mode=DYNAMICS, playing=False, **options) as studio:
            studio.settled.wait()
            ready = time.perf_counter() - began
            (actor,) = studio.actors
            print(f"{name:26} {ready:5.1f} s {_row(actor)}", flush=True)


def browse(names: list[str]) -> None:
    from benchmarks.studio_page import chromium, measure

    print(f"{'':26} {'mode':9} {'pictures/s':>10} {'lots/s':>7} {'CPU ms':>7} {'kB':>7}   per picture")
    with chromium() as browser:
        for name in names or list(SYSTEMS):
            seen = measure(name, browser)
            figures = f"{seen.rate:10.1f} {seen.batches:7.1f} {1e3 * seen.cpu:7.1f} {1e-3 * seen.size:7.1f}"
            print(f"{name:26} {seen.mode:9} {figures}   {'passed' if seen.passed else 'MISSED'}", flush=True)


def _row(actor) -> str:
    """Dynamics, one step of them, statics, and showing."""
    act, shows, moves, steps, rests = actor.act, [], [], [], []
    reaches = actor.plan.inputs
    for _ in range(PICTURES + WARM):
        began = clock()
        if not move(act, 1.0 / RATE):
            return f"cannot go on: {act.message}"
        moves.append(clock() - began)
        began = clock()
        move(act, act.step)
        steps.append(clock() - began)
        began = clock()
        actor.show(_shot(actor, DYNAMICS))
        shows.append(clock() - began)
    for k in range(PICTURES + WARM if reaches else 0):
        reach = reaches[0]
        act.driver.held[0] = reach.low + (reach.high - reach.low) * (0.2 + 0.002 * k)
        began = clock()
        rest(act, seconds=BUDGET if act.message else PATIENT)  # as the engine does, also where there is none
        rests.append(clock() - began)
    columns = moves, steps, rests, shows
    figures = (f"{1e3 * median(times[WARM:]):.1f}" if len(times) > WARM else "-" for times in columns)
    return "{:>9} {:>7} {:>8} {:>7}".format(*figures) + (f"   {act.message}" if act.message else "")


def _shot(actor, mode: str):
    return Shot(actor.act.state, mode, True, 1.0, "")


if __name__ == "__main__":
    wanted = [word for word in sys.argv[1:] if word != "--browser"]
    (browse if "--browser" in sys.argv else main)(wanted)
