"""Motions in a folder: written as they come, read again, gone on with; damage and full disks are named."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

import supple as sp
from motions import soft_arm, wheel
from supple.batch.motions import Motions

TIMES = np.linspace(0.0, 0.2, 11)
Q0 = np.linspace(-0.3, 0.3, 5)[:, None]


def test_files_hold_what_memory_would(tmp_path):
    model = wheel()
    memory = model.simulate_batch(TIMES, Q0, u=[1.0])
    files = model.simulate_batch(TIMES, Q0, u=[1.0], folder=tmp_path / "runs", threads=2)
    again = Motions.load(tmp_path / "runs", model)
    for motions in (files, again):
        for name in ("t", "q", "v", "a", "u", "z", "efforts", "multipliers"):
            assert np.array_equal(getattr(motions, name), getattr(memory, name))
        assert np.array_equal(motions[3].q, memory[3].q)
        assert motions.stats[2]["steps"] == memory.stats[2]["steps"]
        assert motions.done.all()
    assert files.folder == tmp_path / "runs"
    assert [len(x) for x in memory[1:3]] == [11, 11]
    with pytest.raises(IndexError, match="there is no motion 5: there are 5"):
        memory[5]


def test_a_batch_goes_on_where_it_was(tmp_path):
    model, asked = wheel(), []

    def law(t):
        asked.append(t)
        return [1.0]

    def run(q0, **options):
        asked.clear()
        return model.simulate_batch(TIMES, q0, u=law, folder=tmp_path, threads=1, **options)

    first = run(Q0).q
    assert asked
    assert np.array_equal(run(Q0).q, first)
    assert not asked  # nothing was computed again
    (tmp_path / "run-000002.npz").unlink()
    assert np.array_equal(run(Q0).q, first)
    assert asked
    other = Q0.copy()
    other[1] += 0.1
    longer = run(np.vstack([other, [[1.0]]]))
    assert len(longer) == 6
    assert np.array_equal(longer.q[[0, 2, 3, 4]], first[[0, 2, 3, 4]])
    assert longer.q[1, 0, 0] == other[1, 0]
    assert len(run(Q0[:2])) == 2
    assert not (tmp_path / "run-000005.npz").exists()
    with pytest.raises(sp.StorageError, match="holds other motions: they differ in times"):
        model.simulate_batch(2.0 * TIMES, Q0, u=law, folder=tmp_path)
    with pytest.raises(sp.StorageError, match="differ in robot"):
        wheel(stiffness=1.0).simulate_batch(TIMES, Q0, u=law, folder=tmp_path)
    with pytest.raises(sp.ModelError, match="another robot"):
        Motions.load(tmp_path, wheel(stiffness=1.0))
    assert len(run(Q0[:3], resume=False)) == 3


def test_failures_stand_in_the_index_and_are_tried_again(tmp_path):
    model, good = wheel(), []

    def law(t):
        if t > 0.1 and not good:
            raise RuntimeError("no battery")
        return [1.0]

    with pytest.warns(sp.ModelWarning, match="1 of 2 runs failed"):
        model.simulate_batch(TIMES, Q0[:2], u=[[1.0], law], folder=tmp_path)
    again = Motions.load(tmp_path, model)
    assert again.failed.tolist() == [False, True]
    assert again.done.all()
    assert "no battery" in again.failures[0].message
    assert 0.0 < again[1].t[-1] <= 0.1 + 1e-9  # what there is of it is kept
    assert np.isnan(again.q[1, -1]).all()
    good.append(True)
    mended = model.simulate_batch(TIMES, Q0[:2], u=[[1.0], law], folder=tmp_path)
    assert not mended.failed.any()
    assert not Motions.load(tmp_path, model).failures
    assert not (tmp_path / "part-000001.npz").exists()


def test_a_full_disk_loses_one_run_only(tmp_path, monkeypatch):
    import supple.solvers.motion.trajectory_file as module

    write = module.write_npz

    def full(path, arrays):
        if "000001" in str(path):
            raise sp.StorageError("cannot write it: No space left on device")
        return write(path, arrays)

    monkeypatch.setattr(module, "write_npz", full)
    model = wheel()
    with pytest.warns(sp.ModelWarning, match="1 of 5 runs failed, the first is run 1: StorageError.*No space"):
        motions = model.simulate_batch(TIMES, Q0, folder=tmp_path, threads=2)
    assert motions.failed.tolist() == [False, True, False, False, False]
    assert np.array_equal(motions.q[4], model.simulate(TIMES, Q0[4]).q)


def test_runs_that_hardly_differ_are_different(tmp_path):
    model = wheel()
    for step in (1e-10, 2e-10):
        model.simulate_batch(TIMES, Q0[:1] + step, folder=tmp_path)
        assert Motions.load(tmp_path, model).q[0, 0, 0] == Q0[0, 0] + step


def test_damage_is_named(tmp_path):
    model = wheel()
    model.simulate_batch(TIMES, Q0[:2], folder=tmp_path)
    content = (tmp_path / "run-000001.npz").read_bytes()
    (tmp_path / "run-000001.npz").write_bytes(content[:-30])
    motions = Motions.load(tmp_path, model)
    assert len(motions[0]) == 11
    with pytest.raises(sp.StorageError, match="run-000001"):
        motions[1]
    index = json.loads((tmp_path / "index.json").read_text())
    for change, message in (
        ({"kind": "sweep"}, "no index of motions"),
        ({"format": 99}, "format 99"),
        ({"keys": 3}, "damaged"),
        ({"t": [[0.0]]}, "damaged"),
        ({"t": ["a"]}, "damaged: 't' in its index is .'a'., must be increasing times"),
        ({"t": None}, "'t' in its index is None"),
        ({"t": [0.0, 1.0, 0.5]}, "must be increasing"),
        ({"failures": None}, "damaged: 'failures' is None, no list"),
    ):
        (tmp_path / "index.json").write_text(json.dumps(index | change))
        with pytest.raises(sp.StorageError, match=message):
            Motions.load(tmp_path, model)
    strange = [{"run": run, "kind": "a", "message": "b", "t": None} for run in (float("inf"), -1, -7, 2)]
    (tmp_path / "index.json").write_text(json.dumps(index | {"failures": strange}))
    assert Motions.load(tmp_path, model).failures == ()  # of runs that there are not
    (tmp_path / "index.json").write_text("{")
    with pytest.raises(sp.StorageError, match="damaged"):
        Motions.load(tmp_path, model)
    with pytest.raises(sp.StorageError, match="cannot read"):
        Motions.load(tmp_path / "nowhere", model)


def test_a_process_that_is_killed_leaves_its_runs(tmp_path):
    """SIGKILL in the middle of a batch: the files that are there are whole, and the batch goes on."""
    program = f"""
        import sys; sys.path.insert(0, {os.path.dirname(os.path.dirname(os.path.abspath(__file__)))!r})
        import numpy as np
        from motions import soft_arm
        q0 = 0.01 * np.arange(3000.0).reshape(1000, 3)
        soft_arm(0.01).simulate_batch(np.linspace(0.0, 0.2, 11), q0, folder={str(tmp_path)!r}, threads=2)
    """
    process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(program)])
    while len(list(tmp_path.glob("run-*.npz"))) < 5:
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    model = soft_arm(0.01)
    left = Motions.load(tmp_path, model)
    assert 5 <= left.done.sum() < 1000
    q0 = 0.01 * np.arange(3000.0).reshape(1000, 3)
    chosen = int(np.flatnonzero(left.done)[-1])
    assert np.array_equal(left[chosen].q, model.simulate(TIMES, q0[chosen]).q)
