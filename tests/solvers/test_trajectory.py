"""Trajectories: what they tell, and how they are kept."""

import numpy as np
import pytest

import supple as sp
from motions import four_bar, pendulum, soft_arm


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
    with pytest.raises(sp.ModelError, match="is of another robot"):
        sp.Trajectory.load(path, pendulum())


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
