"""``supple run``: motions are saved, also of runs that are interrupted or fail, and go on where they ended."""

import json
import os
import signal
import subprocess
import time

import numpy as np
import pytest

import supple as sp
from command import COMMAND, ENVIRONMENT, Result, checked, error_of, inside, process
from supple.cli.run_folder import CHECKPOINT, REQUEST, TRAJECTORY
from supple.storage import StorageError
from supple.systems import SYSTEMS, System

#: A run of 20 000 short steps: long enough to be interrupted.
LONG = ("run", "cable-manipulator", "--method", "Generalised_Alpha", "--dt", "1e-4", "--t-end", "2", "--no-plots")


def test_a_run_says_and_saves_what_the_library_computes(tmp_path):
    options = ("--t-end", "0.3", "--rtol", "1e-4", "--set", "length=0.4", "--no-plots")
    result = process("run", "cable-manipulator", *options, folder=tmp_path)
    assert result.code == 0, result.err
    folder = tmp_path / "cable-manipulator"
    assert sorted(path.name for path in folder.iterdir()) == [REQUEST, TRAJECTORY]
    system = SYSTEMS["cable-manipulator"](length=0.4)
    model = system.compile()
    expected = system.simulate(model, 0.3, sp.NDF(rtol=1e-4), progress=False)
    saved = sp.Trajectory.load(folder / TRAJECTORY, model)
    np.testing.assert_allclose(saved.q, expected.q, atol=1e-9)  # rounding differs between processes
    tip = ", ".join(f"{x:.6g}" for x in expected.tip("arm")[-1])
    assert f"tip of arm        ({tip}) m" in result.out
    assert f"steps             {expected.stats['steps']} " in result.out
    assert f"total {expected.energy()[-1, 3]:.6g} J" in result.out
    assert "saved cable-manipulator/trajectory.npz" in result.out
    content = json.loads((folder / REQUEST).read_text())
    assert content["request"]["settings"] == {"length": "0.4"}
    assert content["stats"]["steps"] == expected.stats["steps"]


@pytest.fixture(scope="module")
def interrupted(tmp_path_factory):
    """A folder with a run that was interrupted, and what the command said."""
    folder = tmp_path_factory.mktemp("interrupted")
    running = subprocess.Popen(
        [*COMMAND, *LONG, "--out", "long run"],
        cwd=folder,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    heard = []
    for line in running.stderr:  # until the first steps are made
        heard.append(line)
        if " of 2 s, step" in line:
            break
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    return folder, checked(Result(running.returncode, out, "".join(heard) + err))


def test_an_interrupted_run_is_saved(interrupted):
    folder, result = interrupted
    assert result.code == 130, result.err
    assert "interrupted: at t = " in result.err
    assert "to go on: supple run cable-manipulator --out 'long run' --resume" in result.err
    assert sorted(path.name for path in (folder / "long run").iterdir()) == [CHECKPOINT, REQUEST, TRAJECTORY]
    saved = sp.Trajectory.load(folder / "long run" / TRAJECTORY)
    assert saved.stats["stopped"]
    assert 0.0 < saved.t[-1] < 2.0


def test_an_interrupted_run_is_not_lost_unawares(interrupted, capfd, monkeypatch):
    folder, _ = interrupted
    monkeypatch.chdir(folder)
    before = (folder / "long run" / CHECKPOINT).read_bytes()
    result = inside(capfd, *LONG, "--out", "long run")
    assert result.code == 2
    assert "long run holds an interrupted run: --resume goes on with it, --restart throws it away" in error_of(result)
    result = inside(capfd, "run", "cable-manipulator", "--t-end", "3", "--resume", "--out", "long run")
    assert result.code == 2
    assert "has --t-end 2.0, not 3.0" in error_of(result)
    assert (folder / "long run" / CHECKPOINT).read_bytes() == before


def test_a_resumed_run_ends_as_if_nothing_had_happened(interrupted):
    folder, _ = interrupted
    begin = sp.Trajectory.load(folder / "long run" / TRAJECTORY)
    result = process("run", "cable-manipulator", "--resume", "--no-plots", "--out", "long run", folder=folder)
    assert result.code == 0, result.err
    assert not (folder / "long run" / CHECKPOINT).exists()
    resumed = sp.Trajectory.load(folder / "long run" / TRAJECTORY)
    system = SYSTEMS["cable-manipulator"]()
    unbroken = system.simulate(t=2.0, method=sp.GeneralizedAlpha(dt=1e-4), progress=False)
    np.testing.assert_array_equal(resumed.t, unbroken.t)
    np.testing.assert_allclose(resumed.q, unbroken.q, atol=1e-9)  # rounding differs between processes
    np.testing.assert_allclose(resumed.v, unbroken.v, atol=1e-6)
    np.testing.assert_array_equal(begin.q, resumed.q[: len(begin)])
    assert resumed.stats["steps"] == unbroken.stats["steps"]


def test_a_second_signal_does_not_wait(capfd, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def impatient(*arguments, **options):
        if options["progress"]:
            for _ in range(2):
                os.kill(os.getpid(), signal.SIGINT)
            time.sleep(10.0)

    monkeypatch.setattr(System, "simulate", impatient)
    assert inside(capfd, *LONG).code == 130


def test_a_signal_that_comes_too_late_to_stop_the_run(capfd, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    simulate = System.simulate

    def interrupted(*arguments, **options):
        motion = simulate(*arguments, **options)
        if options["progress"]:  # the run itself, not the glimpse of it that loads kernels
            os.kill(os.getpid(), signal.SIGINT)
        return motion

    monkeypatch.setattr(System, "simulate", interrupted)
    result = inside(capfd, "run", "cable-manipulator", "--t-end", "0.01", "--out", "run")
    assert result.code == 130
    assert "the run had ended; its motion is in run/trajectory.npz, pictures are omitted" in result.err
    assert not sp.Trajectory.load(tmp_path / "run" / TRAJECTORY).stats["stopped"]


def test_a_run_that_fails_keeps_the_motion_so_far(capfd, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    begin = SYSTEMS["cable-manipulator"]().simulate(t=0.01, progress=False)

    def failing(*arguments, **options):
        raise sp.SimulationError("Newton's method does not converge", begin, 0.01)

    monkeypatch.setattr(System, "simulate", failing)
    result = inside(capfd, *LONG, "--out", "run")
    assert result.code == 1
    assert error_of(result) == "Newton's method does not converge"
    assert "the motion up to 0.01 s is saved to run/trajectory.npz" in result.err
    np.testing.assert_array_equal(sp.Trajectory.load(tmp_path / "run" / TRAJECTORY).q, begin.q)


def test_a_folder_that_cannot_be(tmp_path):
    (tmp_path / "file").touch()
    result = process("run", "cable-manipulator", "--out", "file/run", folder=tmp_path)
    assert result.code == 2
    assert error_of(result) == "--out: cannot make the folder file/run: Not a directory"


def test_a_full_disk(capfd, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def full(*arguments):
        raise StorageError("cannot write run/trajectory.npz: No space left on device")

    monkeypatch.setattr(sp.Trajectory, "save", full)
    result = inside(capfd, "run", "cable-manipulator", "--t-end", "0.01", "--out", "run")
    assert result.code == 1
    assert error_of(result).startswith("cannot write run/trajectory.npz: No space left")


def test_what_was_asked_for_is_lost(capfd, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / CHECKPOINT).touch()
    (tmp_path / "run" / REQUEST).write_text("{")
    result = inside(capfd, "run", "cable-manipulator", "--out", "run", "--resume")
    assert result.code == 2
    assert "cannot read what the run was asked for" in error_of(result)
    (tmp_path / "run" / REQUEST).write_text('{"request": {"system": "cable-manipulator", "settings": {}}}')
    result = inside(capfd, "run", "cable-manipulator", "--out", "run", "--resume")
    assert result.code == 1
    assert "cannot read run/checkpoint.npz" in error_of(result)
    result = inside(capfd, "run", "cable-manipulator", "--out", "run", "--restart", "--t-end", "0.01", "--no-plots")
    assert result.code == 0
    assert not (tmp_path / "run" / CHECKPOINT).exists()
