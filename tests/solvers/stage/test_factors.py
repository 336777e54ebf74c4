"""Stages solved with factors over the tree: the same motions as with the dense matrix, whatever a robot has."""

import numpy as np
import pytest

import supple as sp
from helpers import case
from load_kinds import KINDS, add_controller, add_kinds, host
from supple.solvers import problem as problem_module

pytestmark = pytest.mark.filterwarnings("ignore::supple.errors.ModelWarning")

METHODS = {
    "NDF": lambda: sp.NDF(rtol=1e-7, atol=1e-9),
    "generalised alpha": lambda: sp.GeneralizedAlpha(dt=1e-3),
    "BDF2": lambda: sp.BDF2(dt=1e-3),
}


@pytest.fixture
def over(monkeypatch):
    """Run something over the tree, then dense."""

    def both(run):
        results = []
        for tree in (True, False):
            monkeypatch.setattr(problem_module, "tree_pays", lambda *_, tree=tree: tree)
            results.append(run())
        return results

    return both


def assert_same(tree, dense, doubts=0, rtol=1e-6):
    """Two motions are one, and the first is what it says; Newton's last step may be either's, to its tolerance."""
    assert (tree.stats["factors"], dense.stats["factors"]) == ("tree", "dense")
    assert tree.stats["doubts"] <= doubts
    assert tree.stats["steps"] == dense.stats["steps"]
    for name in ("q", "v", "a", "z"):
        a, b = getattr(tree, name), getattr(dense, name)
        np.testing.assert_allclose(a, b, rtol=rtol, atol=0.1 * rtol * max(np.abs(b).max(initial=0.0), 1e-3))
    a, b = np.asarray(tree.multipliers), np.asarray(dense.multipliers)
    np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5 * np.abs(b).max(initial=1.0))


@pytest.mark.parametrize("kind", KINDS)
def test_motions_with_every_load(kind, over):
    """Also loops, prescribed joints, and states of loads; contact of rods asks for the dense matrix while it lasts."""
    rng = np.random.default_rng(7)
    model = add_kinds(rng, host(), [kind]).compile()
    q = model.assemble() if model.nc else 0.1 * rng.standard_normal(model.n)
    u = rng.uniform(0.0, 0.5, model.nu)
    tree, dense = over(lambda: model.simulate(4e-3, q, u=u, method=sp.GeneralizedAlpha(dt=1e-3)))
    assert_same(tree, dense, doubts=10 if "contact_of_rod" in kind else 0)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", [2, 10, 11])
def test_methods(seed, method, over):
    _, model, q, _, _ = case(seed)
    tree, dense = over(lambda: model.simulate(5e-3, 0.3 * q, method=METHODS[method]()))
    assert_same(tree, dense, rtol=1e-3 if method == "NDF" else 1e-6)


def feedback(t, q, v):
    """Every input answers to all coordinates."""
    return np.full(2, 1.0) + 0.1 * np.sin(q.sum()) - 0.01 * np.tanh(v.sum())


def test_feedback_and_controllers(over):
    rng = np.random.default_rng(0)
    robot = add_kinds(rng, host(), ["tendon", "chamber"])
    model = robot.compile()
    tree, dense = over(lambda: model.simulate(4e-3, u=feedback, method=sp.GeneralizedAlpha(dt=1e-3)))
    assert_same(tree, dense)
    add_controller(robot, model.nu)
    controlled = robot.compile()
    tree, dense = over(lambda: controlled.simulate(4e-3, method=sp.NDF()))
    assert_same(tree, dense)


@pytest.mark.parametrize("kinds", [("spring",), ("elastic_tendon", "cable"), ("loop",), ("prescribed", "fluid")])
def test_equilibria(kinds, over):
    """Also whether they are stable, and how sure that is."""
    model = add_kinds(np.random.default_rng(1), host(), kinds).compile()

    def run():
        model.workspace._threads.__dict__.clear()  # a solver is kept per thread
        return model.statics()

    tree, dense = over(run)
    assert tree.converged
    np.testing.assert_allclose(tree.q, dense.q, rtol=1e-6, atol=1e-8)
    assert (tree.stable, tree.how) == (dense.stable, dense.how)


class KilledError(Exception):
    """The end of a process."""


@pytest.mark.parametrize("method", METHODS)
def test_a_checkpoint_holds_the_factors(method, tmp_path, monkeypatch):
    """A run that is taken up again goes on bit for bit, with the factors that it had."""
    from supple.solvers.motion import checkpoint

    monkeypatch.setattr(problem_module, "tree_pays", lambda *_: True)
    monkeypatch.setattr("supple.solvers.motion.simulation.BUDGET", 2)
    _, model, q, _, _ = case(10)
    options = {"q0": 0.2 * q, "method": METHODS[method](), "progress": False}
    whole, file = model.simulate(0.02, **options), tmp_path / "run.npz"
    write, count = checkpoint.save, [0]

    def deadly(*arguments):
        write(*arguments)
        count[0] += 1
        if count[0] == 2:
            raise KilledError

    monkeypatch.setattr(checkpoint, "save", deadly)
    with pytest.raises(KilledError):
        model.simulate(0.02, **options, checkpoint=file, checkpoint_every=0.0)
    again = model.simulate(0.02, **options, checkpoint=file, checkpoint_every=0.0, resume=True)
    np.testing.assert_array_equal(again.q, whole.q)
    assert again.stats["residuals"] == whole.stats["residuals"]
