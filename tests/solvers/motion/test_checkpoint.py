"""Checkpoints: a run that is killed goes on from its file and ends bit for bit like an unbroken one."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import supple as sp
from motions import FAMILIES, four_bar, free_body, soft_arm, wheel
from supple.storage import write_npz

TIMES = np.linspace(0.0, 0.4, 21)
FIELDS = ("t", "q", "v", "a", "u", "z", "efforts")


class Killed(BaseException):
    """Stands in for a signal: nobody catches it."""


def cases():
    """Models, initial states and inputs that use everything a run remembers."""
    linkage, q0 = four_bar()
    integral = sp.Controller([0.0], lambda t, q, v, z: 1.0 - v, lambda t, q, v, z: 3.0 * (1.0 - v) + 10.0 * z)
    turning = np.array([8.0, 1.0, -5.0, 0.1, 0.2, 0.3])
    return {
        "soft arm": (soft_arm(0.01), np.array([0.5, 0.2, -0.1]), None),
        "loop": (linkage, q0, None),
        "charts": (free_body(), np.zeros(6), turning),
        "controller": (wheel(integral), [0.0], None),
    }


CASES = cases()


def same(a, b):
    for name in FIELDS:
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)
    np.testing.assert_array_equal(np.asarray(a.multipliers), np.asarray(b.multipliers))
    assert a.stats["steps"] == b.stats["steps"]
    assert a.stats["residuals"] == b.stats["residuals"]


@pytest.mark.parametrize("times", [TIMES, 0.4], ids=["wanted", "every"])
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", FAMILIES)
def test_a_killed_run_ends_as_if_it_had_not_been(name, case, times, tmp_path, monkeypatch):
    model, q0, v0 = CASES[case]
    monkeypatch.setattr("supple.solvers.motion.simulation.BUDGET", 7)
    options = {"q0": q0, "v0": v0, "method": FAMILIES[name], "progress": False}
    unbroken = model.simulate(times, **options)
    file = tmp_path / "run.npz"
    from supple.solvers.motion import checkpoint

    write, count = checkpoint.save, [0]

    def deadly(*arguments):
        write(*arguments)
        count[0] += 1
        if count[0] % 3 == 0:
            raise Killed

    monkeypatch.setattr(checkpoint, "save", deadly)
    killed = 0
    for _ in range(1000):
        try:
            run = model.simulate(times, **options, checkpoint=file, checkpoint_every=0.0, resume=True)
            break
        except Killed:
            killed += 1
    assert killed >= 1
    same(run, unbroken)


def test_a_process_that_dies(tmp_path):
    """os._exit in the middle of an input function: no Python code has a chance to tidy up."""
    script = textwrap.dedent("""
        import os, sys
        import numpy as np
        from motions import wheel
        import supple as sp

        def torque(t):
            if t > float(sys.argv[2]):
                os._exit(3)
            return np.sin(9 * t)

        run = wheel(stiffness=3.0).simulate(
            np.linspace(0, 1, 11), u=torque, method=sp.NDF(rtol=1e-8, atol=1e-10), checkpoint=sys.argv[1],
            checkpoint_every=0.0, resume=True, progress=False, breaks=(0.35, 0.36, 0.37),
        )
        run.save(sys.argv[3])
    """)
    file, result = tmp_path / "run.npz", tmp_path / "motion.npz"
    root = Path(__file__).parents[2]
    path = os.pathsep.join([str(root), str(Path(sp.__file__).parent.parent)])

    def process(until):
        command = [sys.executable, "-c", script, str(file), str(until), str(result)]
        return subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, check=False).returncode

    assert process(0.5) == 3
    assert file.exists()
    assert process(np.inf) == 0
    options = {
        "u": lambda t: np.sin(9 * t),
        "method": sp.NDF(rtol=1e-8, atol=1e-10),
        "breaks": (0.35, 0.36, 0.37),
    }
    model, times = wheel(stiffness=3.0), np.linspace(0, 1, 11)
    same(sp.Trajectory.load(result, model), model.simulate(times, **options))


def test_an_input_that_fails_can_be_repaired(tmp_path):
    """An exception in u ends the run with everything so far; repaired, and told so, it ends like an unbroken one."""
    model, file, method = wheel(), tmp_path / "run", sp.GeneralizedAlpha(dt=1e-3)

    def broken(t):
        if t > 0.21:
            raise ValueError("no signal")
        return np.cos(t)

    options = {"method": method, "checkpoint": file, "checkpoint_every": 0.0, "breaks": (0.1, 0.2)}
    with pytest.raises(sp.SimulationError, match="no signal") as caught:
        model.simulate(TIMES, u=broken, **options)
    assert caught.value.trajectory.t[-1] == pytest.approx(0.21, abs=2e-3)
    with pytest.raises(sp.ModelError, match=r'another run: simulate\(\): u differs; .*resume="other inputs" goes on'):
        model.simulate(TIMES, u=np.cos, **options, resume=True)
    with pytest.raises(sp.ModelError, match="form of u differs"):  # a law that compiled loops know, not a function
        model.simulate(TIMES, u=[1.0], **options, resume="other inputs")
    run = model.simulate(TIMES, u=np.cos, **options, resume="other inputs")
    same(run, model.simulate(TIMES, u=np.cos, method=method, breaks=(0.1, 0.2)))


def test_notes_and_stops_survive(tmp_path, monkeypatch):
    from supple.solvers.motion import checkpoint

    model, file = wheel(stiffness=50.0), tmp_path / "run.npz"
    events = [
        sp.Event(lambda t, q, v: v[0], "note", name="still"),
        sp.Event(lambda t, q, v: t - 0.8, "stop", name="late"),
    ]
    options = {"q0": [0.3], "method": FAMILIES["NDF"], "events": events}
    unbroken = model.simulate(1.0, **options)
    write, count = checkpoint.save, [0]

    def deadly(*arguments):
        write(*arguments)
        count[0] += 1
        if count[0] == 60:
            raise Killed

    monkeypatch.setattr(checkpoint, "save", deadly)
    with pytest.raises(Killed):
        model.simulate(1.0, **options, checkpoint=file, checkpoint_every=0.0)
    run = model.simulate(1.0, **options, checkpoint=file, checkpoint_every=0.0, resume=True)
    same(run, unbroken)
    assert run.stats["events"] == unbroken.stats["events"]
    assert run.t[-1] == pytest.approx(0.8)


def test_what_does_not_fit_is_refused(tmp_path):
    model, file = wheel(), tmp_path / "run.npz"
    run = {"u": [1.0], "method": sp.NDF(), "checkpoint": file, "checkpoint_every": 0.0}
    model.simulate(1.0, **run)
    for change in ({"method": sp.NDF(rtol=1e-5)}, {"u": [2.0]}, {"q0": [0.1]}, {"breaks": (0.5,)}):
        with pytest.raises(sp.ModelError, match="checkpoint of another run"):
            model.simulate(1.0, **{**run, **change}, resume=True)
    with pytest.raises(sp.ModelError, match="resume=True needs the checkpoint"):
        model.simulate(1.0, resume=True)
    switch = sp.Event(lambda t, q, v: q[0] - 0.1, lambda t, q, v: None)
    with pytest.raises(sp.ModelError, match="cannot hold what an event switches to"):
        model.simulate(1.0, **run, events=switch)
    file.write_bytes(b"torn")
    with pytest.raises(sp.StorageError, match="cannot read"):
        model.simulate(1.0, **run, resume=True)


def stiff(young=1e6, spring=3.0):
    """An arm of which nothing but its stiffness and that of its spring changes."""
    material = sp.Material(young=young, poisson=0.5, density=1000.0, viscosity=1e3)
    robot = sp.Robot("arm")
    robot.add_link("arm", sp.Rod(0.5, sp.Circle(0.02), material, sp.Legendre(bend_y=2), points=4))
    robot.add(sp.Spring("spring", ("arm", 1.0), ("world", 0.0), stiffness=spring))
    return robot.compile()


def test_another_robot_is_refused_and_the_message_says_what_differs(tmp_path):
    """What the printed table does not show: stiffness, data of loads."""
    file = tmp_path / "run.npz"
    soft, options = stiff(), {"checkpoint": file, "method": sp.NDF(rtol=1e-8)}
    soft.simulate(TIMES, **options, progress=lambda t, h: True)
    with pytest.raises(sp.ModelError, match=r"another run: link 'arm': stiffness differs; delete it, .*resume=False$"):
        stiff(young=1e7).simulate(TIMES, **options, resume=True)
    with pytest.raises(sp.ModelError, match=r"another run: Spring 'spring': data 'linear' differs;"):
        stiff(spring=4.0).simulate(TIMES, **options, resume=True)
    with pytest.raises(sp.ModelError, match=r"another run: simulate\(\): t, q0 and method differ;"):
        soft.simulate(0.4, [0.1, 0.1, 0.1], checkpoint=file, method=sp.NDF(rtol=1e-4), resume=True)
    same(stiff().simulate(TIMES, **options, resume=True), stiff().simulate(TIMES, method=sp.NDF(rtol=1e-8)))


def test_inputs_and_events_are_known_by_what_they_compute(tmp_path):
    model, gain = wheel(), 1.0
    laws = {
        "function": lambda t: gain * np.cos(t),
        "feedback": lambda t, q, v: gain * np.cos(t) - v,
        "laws": {"motor": sp.laws.Sine(gain, 2.0) + 0.1},
    }
    for name, u in laws.items():
        gain, file = 1.0, tmp_path / f"{name}.npz"
        options = {"checkpoint": file, "checkpoint_every": 0.0, "resume": True}
        event = sp.Event(lambda t, q, v: q[0] - gain - 1.0, "note")  # noqa: B023
        model.simulate(TIMES, u=u, **options, events=event)
        model.simulate(TIMES, u=u, **options, events=event)
        if name == "laws":
            u = {"motor": sp.laws.Sine(2.0, 2.0) + 0.1}
        gain = 2.0
        with pytest.raises(sp.ModelError, match=r"simulate\(\): u and events differ"):
            model.simulate(TIMES, u=u, **options, events=event)


def test_what_cannot_be_compared_is_said(tmp_path):
    """A generator has no content to look at: the file may be of another run, and the user is told."""
    model, file, source = wheel(), tmp_path / "run.npz", (0.1 for _ in iter(int, 1))
    run = {"u": lambda t: next(source), "checkpoint": file, "checkpoint_every": 0.0, "method": sp.BDF2(dt=1e-2)}
    model.simulate(0.1, **run)
    with pytest.warns(sp.ModelWarning, match=r"cannot tell whether .*simulate\(\): an object of type generator cannot"):
        model.simulate(0.1, **run, resume=True)


def test_resume_has_three_values(tmp_path):
    with pytest.raises(sp.ModelError, match="resume is 'yes', must be True, False or \"other inputs\""):
        wheel().simulate(1.0, checkpoint=tmp_path / "x", resume="yes")


# ---------------------------------------------------------------------- edited files


def interrupted(case, name, file):
    """A checkpoint in the middle of a run, and how to go on."""
    model, q0, v0 = CASES[case]
    options = {"q0": q0, "v0": v0, "method": FAMILIES[name], "max_steps": 3000}
    model.simulate(TIMES, **options, checkpoint=file, progress=lambda t, h: True)
    assert file.exists()
    return lambda: model.simulate(TIMES, **options, checkpoint=file, resume=True)


def restamped(file, **changes):
    """Edit a file as one would who knows the format: its digest is right."""
    arrays = {key: array for key, array in np.load(file).items() if key not in ("digest", "format")}
    for key, change in changes.items():
        arrays[key] = change(arrays[key])
    write_npz(file, {key: array for key, array in arrays.items() if array is not None})


def put(*index, value):
    def change(array):
        array = array.copy()
        array[index] = value
        return array

    return change


EDITS = {
    "call Python": ({"problem.flags": put(slice(0, 2), value=1)}, r"flags\[[01]\] is 1, must lie between 0 and 0"),
    "order": ({"ints": put(0, value=10**7)}, r"ints\[0\] is 10000000, must lie between 1 and 5"),
    "rows in use": ({"ints": put(6, value=10**6)}, r"ints\[6\] is 1000000"),
    "next time": ({"ints": put(5, value=-3)}, r"ints\[5\] is -3"),
    "pivots": ({"problem.pivots": put(slice(None), value=10**9)}, "'problem.pivots' holds rows that are not there"),
    "scalar": ({"D": lambda x: np.array(0.0)}, r"'D' has shape \(\), must have shape \(8, 12\)"),
    "nan": ({"reals": put(slice(None), value=np.nan)}, "'reals' holds values that are not finite"),
    "no step": ({"reals": put(1, value=0.0)}, r"reals\[1\], the step, is 0.0 s"),
    "later": ({"reals": put(0, value=7.0)}, r"reals\[0\], the time, is 7.0 s"),
    "history": ({"D": put(2, 1, value=np.inf)}, "'D' holds values that are not finite"),
    "missing": ({"D": lambda x: None}, "'D' is missing"),
    "floats": ({"problem.pivots": lambda x: x.astype(float)}, "'problem.pivots' holds float64, must hold int64"),
    "texts": ({"D": lambda x: x.astype(str)}, "'D' holds <U32, must hold float64"),
    "stop": ({"index": put(0, value=99)}, "'index' is 99, must lie between 0 and 1"),
    "times": ({"kept.times": put(0, value=0.39)}, "'kept.times' holds times out of order"),
    "rows": ({"kept.rows": lambda x: x[:-1]}, r"'kept.rows' has shape"),
    "content": ({"content": lambda x: np.array("[[[")}, "'content' does not say what the file is of"),
    "another content": ({"content": lambda x: np.array("{}")}, "checkpoint of another run: robot is not in the file"),
}


@pytest.mark.parametrize("edit", EDITS)
def test_an_edited_field_never_reaches_compiled_code(edit, tmp_path):
    file = tmp_path / "run.npz"
    resume = interrupted("soft arm", "NDF", file)
    changes, message = EDITS[edit]
    restamped(file, **changes)
    with pytest.raises(sp.ModelError if edit == "another content" else sp.StorageError, match=message):
        resume()


def test_a_file_that_was_not_stamped_again_is_refused(tmp_path):
    file = tmp_path / "run.npz"
    resume = interrupted("loop", "GeneralizedAlpha", file)
    arrays = dict(np.load(file))
    arrays["memory"][0, 0] += 1e-9
    np.savez(file, **arrays)
    with pytest.raises(sp.StorageError, match="does not hold what was written: it was edited or damaged"):
        resume()
    arrays.pop("digest")
    np.savez(file, **arrays)
    with pytest.raises(sp.StorageError, match="does not hold what was written"):
        resume()
    arrays.pop("format")  # as version 0.1.0 wrote
    np.savez(file, **arrays)
    with pytest.raises(sp.StorageError, match="checkpoint of another version of supple"):
        resume()


def test_a_file_with_more_than_a_checkpoint_has_is_refused(tmp_path):
    file = tmp_path / "run.npz"
    resume = interrupted("charts", "adaptive", file)
    restamped(file)
    resume()
    write_npz(file, {**{k: x for k, x in np.load(file).items() if k not in ("digest", "format")}, "more": np.zeros(3)})
    with pytest.raises(sp.StorageError, match="it has 'more', which no checkpoint has"):
        resume()


def test_a_full_disk_ends_the_run_with_the_motion_so_far(tmp_path, monkeypatch):
    def full(*arguments, **options):
        raise OSError(28, "No space left on device")

    model = wheel()
    monkeypatch.setattr("numpy.savez", full)
    with pytest.raises(sp.SimulationError, match=r"checkpoint cannot be saved.*No space left") as caught:
        model.simulate(1.0, u=[1.0], method=sp.GeneralizedAlpha(dt=1e-4), checkpoint=tmp_path / "x", checkpoint_every=0)
    run = caught.value.trajectory
    np.testing.assert_allclose(run.v[:, 0], 2.0 * run.t, atol=1e-9)
    assert run.t[-1] > 1e-3
    assert isinstance(caught.value.__cause__, sp.StorageError)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("case", CASES)
def test_a_run_that_a_report_stops_goes_on_from_there(case, tmp_path):
    model, q0, v0 = CASES[case]
    options = {"q0": q0, "v0": v0, "method": sp.GeneralizedAlpha(dt=1e-3)}
    file, told = tmp_path / "run.npz", []

    def report(t, h):
        told.append(t)
        return len(told) == 3

    stopped = model.simulate(0.4, **options, checkpoint=file, progress=report)
    assert stopped.stats["stopped"]
    assert 0.0 < stopped.t[-1] <= told[-1] < 0.4  # the last step is recorded when the next one begins
    resumed = model.simulate(0.4, **options, checkpoint=file, resume=True, progress=lambda t, h: None)
    assert not resumed.stats["stopped"]
    same(resumed, model.simulate(0.4, **options, progress=False))
    np.testing.assert_array_equal(stopped.q, resumed.q[: len(stopped)])


def test_seconds_are_counted_once(tmp_path, monkeypatch):
    """A run that saves often takes as long as its clock says."""
    ticks = iter(range(100_000))
    monkeypatch.setattr("supple.solvers.motion.simulation.time.perf_counter", lambda: float(next(ticks)))
    options = {"u": [1.0], "method": sp.GeneralizedAlpha(dt=1e-3), "checkpoint": tmp_path / "x", "progress": False}
    run = wheel().simulate(0.3, **options, checkpoint_every=0.0)
    assert 10 < run.stats["seconds"] <= next(ticks)
