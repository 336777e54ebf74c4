"""What drives a stage: compiled laws reach inputs, signals and motions; just before a jump; tensions that push."""

import numpy as np
import pytest

from kernel_entry import entry
from supple import laws
from supple.compilation.law_program import make_program
from supple.jit import inner
from supple.solvers.problem import LATEST_TIME, TO_INPUT, TO_MOTION, TO_SIGNAL, WORST, make_workspace, problem_at
from supple.solvers.stage import excitation
from supple.solvers.stage.status import CONVERGED, NEGATIVE_TENSION


@entry
@inner
def excite(table, t):
    return excitation.excite(problem_at(table.ctypes.data), t)


@pytest.fixture(scope="module")
def arm():
    """An arm with two tendons and a prescribed joint."""
    import supple as sp

    robot = sp.Robot("arm")
    rubber = sp.Material(young=1e6, density=1000.0)
    robot.add_link("base", sp.Rigid.sphere(0.1, density=1000.0), joint=sp.Revolute("z"))
    robot.add_link("arm", sp.Rod(0.3, sp.Circle(0.02), rubber, sp.Legendre(bend_y=0), points=3), parent="base")
    robot.add(sp.Tendon("left", {"arm": (0.0, 0.01)}))
    robot.add(sp.Tendon("right", {"arm": (0.0, -0.01)}))
    robot.add(sp.PointWrench("arm", laws.Constant(np.zeros(6))))
    robot.add(sp.Prescribed("base", laws.Sine(0.1, 1.0)))
    return robot.compile()


def driven(arm, *given):
    """A workspace whose laws are given as (law, kind of target, index)."""
    program = make_program([law for law, _, _ in given], [1] * len(given), ["x"] * len(given))
    return make_workspace(arm, program, np.array([(kind, k) for _, kind, k in given], dtype=np.int64).reshape(-1, 2))


def test_laws_reach_what_they_drive(arm):
    wave = laws.Sine(0.3, 2.0)
    workspace = driven(arm, (laws.Ramp(0.0, 2.0, 1.0, 5.0), TO_INPUT, 1), (wave, TO_SIGNAL, 2), (wave, TO_MOTION, 0))
    problem = workspace.problem
    assert excite(workspace.table, 0.5) == CONVERGED
    assert problem.inputs.tolist() == pytest.approx([0.0, float(laws.Ramp(0.0, 2.0, 1.0, 5.0)(0.5))])
    assert problem.signals[2] == pytest.approx(float(wave(0.5)))
    jet = [float(part(0.5)) for part in (wave, wave.rate, wave.acceleration)]
    assert problem.motion[:, 0] == pytest.approx(jet)


def test_before_a_jump_the_law_before_it_holds(arm):
    workspace = driven(arm, (laws.Steps([0.0, 1.0], [2.0, 7.0]), TO_INPUT, 0))
    workspace.problem.numbers[LATEST_TIME] = np.nextafter(1.0, 0.0)
    excite(workspace.table, 1.0)
    assert workspace.problem.inputs[0] == 2.0
    workspace.problem.numbers[LATEST_TIME] = np.inf
    excite(workspace.table, 1.0)
    assert workspace.problem.inputs[0] == 7.0


def test_tendons_that_push_are_named(arm):
    workspace = driven(arm, (laws.Constant(1.0), TO_INPUT, 0), (laws.Constant(-1.0), TO_INPUT, 1))
    assert excite(workspace.table, 0.0) == NEGATIVE_TENSION
    assert workspace.problem.flags[WORST] == 1
