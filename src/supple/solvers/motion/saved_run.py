"""A simulation that is saved and goes on: what it was asked for, what it has recorded, where it is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from supple.compilation.digest import Digest, digest_of
from supple.errors import ModelError
from supple.solvers.integrators.run import EVERY, NEXT, TIME
from supple.solvers.motion import checkpoint
from supple.solvers.options import OTHER_INPUTS
from supple.solvers.problem import TO_INPUT

if TYPE_CHECKING:
    from supple.solvers.motion.simulation import Simulation


def run_digest(run: Simulation) -> Digest:
    """The content of the model, and what the run was asked for, argument by argument."""
    excitation = run.excitation
    laws = [driven for driven in (*excitation.compiled, *excitation.called) if driven.target == TO_INPUT]
    arguments = {
        "t": (run.t0, run.t_end, run.wanted),
        "q0": run.q0,
        "v0": run.v0,
        "u": ([(driven.law, driven.indices) for driven in laws], excitation.feedback),
        "form of u": (len(excitation.called), len(run.workspace.problem.targets), excitation.feedback is None),
        "method": run.method,
        "breaks": [stop.t for stop in run.stops],
        "control_rate": run.rate,
        "events": [(event.name, event.action, event.direction, event.function) for event in run.events],
    }
    return run.model.digest.joined(digest_of({checkpoint.CALL: arguments}))


def save_run(run: Simulation) -> None:
    """Write the checkpoint."""
    assert run.checkpoint is not None
    assert run.digest is not None
    moments = np.array([t for t, _ in run.record.held])
    outputs = {
        "kept.times": run.record.times(),
        "kept.rows": run.record.rows(),
        "held.times": moments,
        "held.inputs": np.array([u for _, u in run.record.held]).reshape(len(moments), run.model.nu),
        "index": np.array([run.index]),
        "seconds": np.array([run.seconds]),
        "event.values": np.array(run.watch.values, dtype=float),
        "event.largest": run.watch.largest,
    }
    for k, noted in enumerate(run.record.noted.values()):
        outputs[f"event{k}"] = np.array(noted, dtype=float)
    checkpoint.save(run.checkpoint, run.digest, {**run.integrator.arrays(), **outputs})


def restore_run(run: Simulation) -> bool:
    """Go on from the checkpoint, if there is one."""
    if run.checkpoint is None:
        raise ModelError("resume=True needs the checkpoint to go on from: pass checkpoint=path")
    path = run.checkpoint if run.checkpoint.suffix == ".npz" else Path(f"{run.checkpoint}.npz")
    if not path.exists():
        return False
    assert run.digest is not None
    saved = checkpoint.load(path, run.digest, other_inputs=run.resume == OTHER_INPUTS)
    index = saved.number("index", 0, len(run.stops))
    ahead = min(index, len(run.stops) - 1)
    run.aim(run.stops[ahead])
    begin = run.t0 if index == 0 else run.stops[index - 1].t
    checkpoint.put_back(saved, run.integrator, (run.t0, run.t_end), begin, run.stops[ahead].t)
    _take_back(run, saved)
    saved.end()
    run.index = index
    return True


def _take_back(run: Simulation, saved: checkpoint.Saved) -> None:
    """What the run had recorded, checked."""
    integrator, count = run.integrator, len(run.events)
    now, wanted = float(integrator.reals[TIME]), integrator.wanted
    times = saved.times("kept.times", run.t0, now)
    rows = saved.floats("kept.rows", len(times), integrator.size)
    expected = times[:1] == run.t0 if integrator.ints[EVERY] else np.array_equal(times, wanted[: integrator.ints[NEXT]])
    saved.check(bool(np.all(expected)) and len(times) > 0, "'kept.times' are not those of this run")
    moments = saved.times("held.times", run.t0, now)
    held = saved.floats("held.inputs", len(moments), run.model.nu)
    saved.check((len(moments) > 0) == run.sampled, "'held.times' are not those of this run")
    seconds = float(saved.floats("seconds", 1)[0])
    saved.check(seconds >= 0.0, f"'seconds' is {seconds}, must not be negative")
    values, largest = saved.floats("event.values", count), saved.floats("event.largest", count)
    saved.check(bool((largest >= 0.0).all()), "'event.largest' is negative")
    noted = {name: saved.times(f"event{k}", run.t0, now).tolist() for k, name in enumerate(run.record.noted)}
    run.record.keep(times, rows)
    run.record.held, run.record.noted = list(zip(moments.tolist(), held, strict=True)), noted
    run.seconds, run.watch.values, run.watch.largest = seconds, values.tolist(), largest
