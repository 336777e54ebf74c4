"""Trajectories: what they tell, and how they are kept."""

import dataclasses

import numpy as np
import pytest

import supple as sp
from motions import four_bar, pendulum, soft_arm
from supple.storage import digest_of


def test_saved_and_loaded_is_the_same(tmp_path):
    model, q0 = four_bar()
    run = model.simulate(np.linspace(0, 0.1, 5), q0)
    path = run.save(tmp_path / "swing")
    assert path == tmp_path / "swing.npz"
    again = sp.Trajectory.load(path, model)
    for name in ("t", "q", "v", "a", "u", "z", "efforts"):
        np.testing.assert_array_equal(getattr(again, name), getattr(run, name))
    np.testing.assert_array_equal(again.multipliers["pin"], run.multipliers["pin"])
    assert again.multipliers["pin"].shape == (5, 6)
    assert again.stats == run.stats
    np.testing.assert_array_equal(again.energy(), run.energy())
    alone = sp.Trajectory.load(path)
    assert alone.description == model.description
    with pytest.raises(sp.ModelError, match="loaded without its model"):
        alone.energy()
    with pytest.raises(sp.ModelError, match=r"of another robot: link 'bar' is not in the file; the file has .*crank"):
        sp.Trajectory.load(path, pendulum())
    twice = alone.save(tmp_path / "twice.npz")  # what it is of is not lost
    np.testing.assert_array_equal(sp.Trajectory.load(twice, model).energy(), run.energy())
    with pytest.raises(sp.ModelError, match="is of another robot"):
        sp.Trajectory.load(twice, pendulum())


def test_another_robot_of_the_same_table_is_refused(tmp_path):
    """The same printed table, another stiffness, another damping: energies would be wrong."""
    path = soft_arm().simulate([0.0, 0.1]).save(tmp_path / "run.npz")
    sp.Trajectory.load(path, soft_arm())
    with pytest.raises(sp.ModelError, match=r"of another robot: link 'rod': damping differs$"):
        sp.Trajectory.load(path, soft_arm(damping=0.1))


#: Ways to change the arrays of a file, and what is then said.
EDITS = {
    "missing": ({"q": None}, "'q' is missing"),
    "rows": ({"q": np.zeros((2, 3))}, r"'q' has shape \(2, 3\), must have shape \(5, any\)"),
    "columns": ({"v": np.zeros((5, 2))}, r"'v' has shape \(5, 2\), must have shape \(5, 3\)"),
    "texts": ({"q": np.full((5, 3), "x")}, "'q' holds <U1, must hold float64"),
    "integers": ({"t": np.arange(5)}, "'t' holds int64, must hold float64"),
    "nan": ({"a": np.full((5, 3), np.nan)}, "'a' holds values that are not finite"),
    "infinite": ({"u": np.full((5, 0), np.inf), "z": np.full((5, 1), np.inf)}, "'z' holds values that are not finite"),
    "back in time": ({"t": np.arange(5.0)[::-1].copy()}, "'t' goes back in time"),
    "stats": ({"stats": np.array("{oops")}, "'stats' is no JSON of a dict"),
    "list": ({"stats": np.array("[1]")}, "'stats' is no JSON of a dict"),
    "no text": ({"stats": np.zeros(3)}, "'stats' is no text"),
    "loop": ({"loop0": np.full((7, 2), 9.0)}, "'loop0' points to multipliers that are not there"),
    "content": ({"content": np.array('{"robot": 1}')}, "'content' does not say"),
    "kind": ({"kind": np.array("checkpoint")}, "is not a trajectory of supple"),
    "format": ({"format": np.array("9")}, "is of format '9', which this version of supple does not know"),
}


def edited(path, changes, stamped):
    arrays = {key: array for key, array in np.load(path).items() if key != "digest"} | changes
    arrays = {key: array for key, array in arrays.items() if array is not None}
    np.savez(path, **arrays, digest=digest_of(arrays) if stamped else np.load(path)["digest"])


@pytest.mark.parametrize("edit", EDITS)
def test_every_field_of_a_file_is_checked(edit, tmp_path):
    model, q0 = four_bar()
    path = model.simulate(np.linspace(0, 0.1, 5), q0).save(tmp_path / "swing.npz")
    changes, message = EDITS[edit]
    edited(path, changes, stamped=True)
    for with_model in (model, None):
        with pytest.raises(sp.StorageError, match=message):
            sp.Trajectory.load(path, with_model)


def test_an_edited_file_is_refused(tmp_path):
    run = pendulum().simulate([0.0, 0.1])
    path = run.save(tmp_path / "swing.npz")
    edited(path, {"q": run.q + 1e-12}, stamped=False)
    with pytest.raises(sp.StorageError, match="does not hold what was written: it was edited or damaged"):
        sp.Trajectory.load(path)


def test_what_could_not_be_read_again_is_not_written(tmp_path):
    run = dataclasses.replace(pendulum().simulate([0.0, 0.1]), a=np.full((2, 1), np.nan))
    with pytest.raises(sp.StateError, match=r"this trajectory cannot be saved: .*'a' holds values that are not finite"):
        run.save(tmp_path / "swing.npz")
    assert list(tmp_path.iterdir()) == []


def test_files_of_the_first_version_load_with_a_warning(tmp_path):
    """They say nothing of what the robot is made of; sizes and names are compared."""
    model, q0 = four_bar()
    run = model.simulate(np.linspace(0, 0.1, 5), q0)
    path = run.save(tmp_path / "swing.npz")
    arrays = dict(np.load(path))
    for key in ("digest", "format", "content", "loops"):
        arrays.pop(key)
    arrays["loop:pin"] = arrays.pop("loop0")
    np.savez(path, **arrays)
    with pytest.warns(sp.ModelWarning, match=r"was written by supple 0\.1\.0"):
        old = sp.Trajectory.load(path, model)
    np.testing.assert_array_equal(old.multipliers["pin"], run.multipliers["pin"])
    assert len(sp.Trajectory.load(path)) == 5
    with pytest.raises(sp.ModelError, match="is of another robot"):
        sp.Trajectory.load(path, pendulum())


def test_a_failed_run_is_saved_with_the_inputs_that_are_known(tmp_path):
    """Those that cannot be had again are NaN, and may be."""

    def broken(t, q, v):
        if t > 0.05:
            raise ValueError("no signal")
        return [0.0]

    model = pendulum(drive=True)
    with pytest.raises(sp.SimulationError) as caught:
        model.simulate(0.1, u=broken)
    path = caught.value.trajectory.save(tmp_path / "part.npz")
    assert len(sp.Trajectory.load(path, model)) == len(caught.value.trajectory)


def test_a_file_is_there_whole_or_not_at_all(tmp_path, monkeypatch):
    run = pendulum().simulate([0.0, 0.1])
    path = run.save(tmp_path / "swing.npz")
    before = path.read_bytes()

    def torn(file, **arrays):
        file.write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("numpy.savez", torn)
    with pytest.raises(sp.StorageError, match="No space left on device"):
        run.save(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["swing.npz"]
    with pytest.raises(sp.StorageError, match="cannot write"):
        run.save(tmp_path / "nowhere" / "swing.npz")
    (tmp_path / "other.npz").write_bytes(before[: len(before) // 2])
    with pytest.raises(sp.StorageError, match="cannot read"):
        sp.Trajectory.load(tmp_path / "other.npz")


def test_what_it_tells():
    model = soft_arm(0.0)
    run = model.simulate(np.linspace(0, 0.2, 9), [0.5, 0.2, -0.1], method=sp.NDF(rtol=1e-9, atol=1e-11))
    assert len(run) == 9
    assert run.pose("rod", 0.5).shape == (9, 4, 4)
    np.testing.assert_array_equal(run.tip("rod"), run.pose("rod")[:, :3, 3])
    assert np.ptp(run.energy()[:, 3]) < 1e-7
    assert run.constraint_error().max() == 0.0
    assert "9 points, 0 to 0.2 s, 3 coordinates" in repr(run)


@pytest.mark.parametrize("method", [sp.NDF(rtol=1e-9, atol=1e-11), sp.GeneralizedAlpha(dt=5e-4)], ids=repr)
def test_output_between_steps_is_a_motion(method):
    """v is the rate of q, a is the rate of v, and all three satisfy the equations of motion."""
    model, h = soft_arm(0.0), 1e-4
    t = np.concatenate([[0.0], (np.linspace(0.02, 0.2, 9)[:, None] + h * np.array([-1, 0, 1])).ravel()])
    run = model.simulate(t, [0.5, 0.2, -0.1], method=method)
    q, v, a = (x[1:].reshape(9, 3, -1) for x in (run.q, run.v, run.a))
    assert np.abs((q[:, 2] - q[:, 0]) / (2 * h) - v[:, 1]).max() < 2e-3 * np.abs(v).max()
    assert np.abs((v[:, 2] - v[:, 0]) / (2 * h) - a[:, 1]).max() < 2e-3 * np.abs(a).max()
    for k in range(9):
        exact = model.forward_dynamics(q[k, 1], v[k, 1]).a
        assert np.abs(exact - a[k, 1]).max() < 2e-2 * np.abs(a).max()


def test_energy_counts_what_inputs_pull():
    """An elastic tendon stores energy as it is wound up, and gives it back: work of the winch and no more."""
    robot = sp.Robot("wound")
    material = sp.Material(1e6, poisson=0.5, density=1000.0)
    robot.add_link("arm", sp.Rod(0.5, sp.Circle(0.02), material, sp.Legendre(bend_y=2), points=4))
    robot.add(sp.ElasticTendon("winch", {"arm": lambda X: (0.0, 0.01)}, stiffness=500.0))
    model = robot.compile()
    pulled = 0.02
    run = model.simulate(np.linspace(0.0, 0.2, 21), u=[pulled], method=sp.GeneralizedAlpha(rho_inf=1.0, dt=1e-3))
    total = run.energy()[:, 3]
    stored = [model.energy(q, v, [pulled]).total for q, v in zip(run.q, run.v, strict=True)]
    assert np.array_equal(total, stored)
    assert model.energy(run.q[0], run.v[0], [pulled]).loads > 0.05
    assert np.ptp(total) < 1e-3 * abs(total).max()
