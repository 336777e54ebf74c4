"""Stages solved with factors over the tree: the same motions as with the dense matrix, whatever a robot has."""

import numpy as np
import pytest

import supple as sp
from coupled_cases import hand
from helpers import case
from load_kinds import KINDS, add_controller, add_kinds, host
from soft_robots import CREEPING, mixed_robot, soft_cone
from supple.solvers import problem as problem_module
from tree_entry import choose_factors

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
            choose_factors(monkeypatch, tree)
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
    times = np.linspace(0.0, 5e-3, 6)  # where adaptive steps end, rounding decides
    tree, dense = over(lambda: model.simulate(times, 0.3 * q, method=METHODS[method]()))
    assert_same(tree, dense, rtol=1e-3 if method == "NDF" else 1e-6)


HANDS = {
    "linear": {},
    "bent": {"kind": "bent"},
    "linear, prescribed": {"prescribed": True},
    "bent, prescribed": {"kind": "bent", "prescribed": True},
    "linear, loop": {"loop": True},
    "bent, loop": {"kind": "bent", "loop": True},
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", HANDS)
def test_joints_that_follow_others(kind, method, over):
    """Linearly or not, with loops and prescribed joints; followers are rows of the border."""
    model = hand(**HANDS[kind]).compile()
    q = model.assemble() if model.nc else np.full(model.n, 0.2)
    v = np.zeros(model.n) if model.nc else np.full(model.n, 0.5)
    tree, dense = over(lambda: model.simulate(5e-3, q, v, u=[0.1, 0.2], method=METHODS[method]()))
    assert_same(tree, dense, doubts=2 if method == "NDF" else 0, rtol=1e-3 if method == "NDF" else 1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_soft_bodies(method, over):
    model = mixed_robot(False).compile()
    q = np.full(model.n, 0.1)
    tree, dense = over(lambda: model.simulate(5e-3, q, u=[0.1, 0.2], method=METHODS[method]()))
    assert_same(tree, dense, rtol=1e-3 if method == "NDF" else 1e-6)


@pytest.mark.parametrize(("loops", "rtol"), [("index3", 1e-6), ("stabilised", 1e-2)])
def test_soft_bodies_in_loops(loops, rtol, over):
    """Directions in which stabilised loops correct positions are weighed otherwise over the tree, by what is there."""
    model = mixed_robot().compile()
    method = sp.GeneralizedAlpha(dt=1e-3, loops=loops)
    tree, dense = over(lambda: model.simulate(3e-3, model.assemble(), u=[0.1, 0.2], method=method))
    assert tree.stats["doubts"] == 0
    assert (tree.stats["factors"], dense.stats["factors"]) == ("tree", "dense")
    np.testing.assert_allclose(tree.q, dense.q, rtol=rtol, atol=0.1 * rtol)
    assert np.abs(model.loop_error(tree.q[-1])).max() < 1e-11


def rough_ring():
    """Soft bodies that creep and joints with friction, closed by a loop."""
    robot, parent = sp.Robot("ring"), "world"
    for k in range(3):
        joint = sp.Revolute("y", friction=sp.Friction(0.05, static=0.1, slip_velocity=0.02), stiffness=0.1)
        robot.add_link(f"soft{k}", soft_cone(k, material=CREEPING), joint, parent=parent)
        parent = f"soft{k}"
    robot.add(sp.Loop("pin", a=(parent,), b=("world", sp.pose((0.8, 0.0, 0.0))), joint=sp.Spherical()))
    return robot.compile()


@pytest.mark.parametrize(("loops", "rtol"), [("index3", 1e-6), ("stabilised", 3e-5)])
def test_friction_and_creep_in_a_loop(over, loops, rtol):
    """Stabilised, directions of corrections are those of the newest factors, which the two make at other moments."""
    model = rough_ring()
    q = model.assemble(np.tile([0.1, 0.05, 0.1, 0.0], 3))
    tree, dense = over(lambda: model.simulate(5e-3, q, method=sp.GeneralizedAlpha(dt=1e-3, loops=loops)))
    assert_same(tree, dense, rtol=rtol)


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


EQUILIBRIA = {
    "spring": lambda: add_kinds(np.random.default_rng(1), host(), ("spring",)).compile(),
    "lines": lambda: add_kinds(np.random.default_rng(1), host(), ("elastic_tendon", "cable")).compile(),
    "loop": lambda: add_kinds(np.random.default_rng(1), host(), ("loop",)).compile(),
    "prescribed": lambda: add_kinds(np.random.default_rng(1), host(), ("prescribed", "fluid")).compile(),
    "followers": lambda: hand().compile(),
    "bent followers": lambda: hand("bent").compile(),
    "followers in a loop": lambda: hand(loop=True).compile(),
    "soft bodies": lambda: mixed_robot(False, sp.Fixed(), (0.0, 0.0, -2.0)).compile(),
    "a ring of soft bodies": rough_ring,
}


@pytest.mark.parametrize("kind", EQUILIBRIA)
def test_equilibria(kind, over):
    """Also whether they are stable, and how sure that is."""
    model = EQUILIBRIA[kind]()

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
