"""Equations of joints that turn, for factors that were made where they stood before."""

import numpy as np
import pytest

import supple as sp
from kernel_entry import entry
from supple.jit import inner
from supple.solvers.motion.simulation import Simulation
from supple.solvers.problem import problem_at
from supple.solvers.stage.turned_rows import keep_turns, turn_rows

JOINTS = {
    "spherical": sp.Spherical(),
    "damped": sp.Spherical(damping=0.01),  # keeps its chart
    "free": sp.Free(),
    "planar": sp.Planar((1.0, 2.0, 3.0)),
}


def needle(joint, above=None):
    """A slender bar, a hundred times as hard to turn across as along, on a joint, at the end of a lever or alone."""
    robot = sp.Robot("needle", gravity=(0, 0, 0))
    if above is not None:
        robot.add_link("lever", sp.Rigid.sphere(0.1, density=1000.0), joint=above)
    bar = sp.Rigid(1.0, (1e-3, 0.1, 0.1), com=(0.2, 0.0, 0.0))
    robot.add_link("bar", bar, joint=joint, parent="world" if above is None else "lever")
    return robot.compile()


@inner
def keep(table):
    keep_turns(problem_at(table.ctypes.data))


@inner
def turn(table, side):
    turn_rows(problem_at(table.ctypes.data), side)


@pytest.mark.parametrize("name", JOINTS)
def test_equations_are_turned_by_the_body_s_own_frame(name):
    """S(q0)^T S(q)^-T r with S from the Jacobian of the body's frame; the lever's equations stay as they are."""
    model = needle(JOINTS[name], sp.Revolute("y"))
    run = Simulation(model, 1.0, None, None, None, sp.NDF(), progress=False)
    problem, rng = run.workspace.problem, np.random.default_rng(3)
    before, now, rows = (rng.normal(size=model.n) for _ in range(3))
    own = [k for k in range(model.n) if model.coordinate_names[k].startswith("bar.")]
    place = [problem.free.tolist().index(k) for k in own]
    side = rows[problem.free]
    problem.q[:] = before
    entry(keep)(run.workspace.table)
    problem.q[:] = now
    entry(turn)(run.workspace.table, side)

    # rates to twists along the joint's own axes, in which S is square
    axes = model.jacobian(np.zeros(model.n), "bar", s=0.0)[:, own]
    S0, S = (axes.T @ model.jacobian(q, "bar", s=0.0)[:, own] for q in (before, now))
    expected = rows.copy()
    expected[own] = S0.T @ np.linalg.solve(S.T, rows[own])
    assert side[place] == pytest.approx(expected[own], rel=1e-11)
    others = [i for i in range(model.n) if i not in place]
    assert np.array_equal(side[others], rows[problem.free][others])

    kept = side.copy()
    problem.q[:] = before
    entry(turn)(run.workspace.table, kept)
    assert np.array_equal(kept, side)  # factors made right here serve as they are


@pytest.mark.parametrize("name", ["spherical", "damped", "free"])
@pytest.mark.parametrize(
    ("method", "most"),
    [(sp.NDF(), 16), (sp.Radau(), 12), (sp.GeneralizedAlpha(dt=1e-3), 40)],
    ids=["NDF", "Radau", "alpha"],
)
def test_factors_serve_while_a_slender_body_turns(name, method, most):
    """It turns by 3 rad; if its equations were left as they are, there would be 22, 33 and 263 tangents at least."""
    model = needle(JOINTS[name])
    v0 = np.zeros(model.n)
    v0[:3] = 1.0, 2.0, 2.0
    motion = model.simulate(1.0, v0=v0, method=method, progress=False)
    assert motion.stats["tangents"] <= most, motion.stats
    poses = motion.pose("bar", 0.0)
    turned = np.arccos(np.clip((np.trace(poses[-1, :3, :3]) - 1.0) / 2.0, -1.0, 1.0))
    assert turned > 1.0
