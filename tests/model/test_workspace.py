"""Handles and scratch: one per thread, filled before every call, shared by parts of a model."""

import threading

import numpy as np
import pytest

import supple as sp
from supple.model.changes import changed_model


@pytest.fixture(scope="module")
def model():
    robot = sp.Robot("pendulum")
    robot.add_link("bob", sp.Rigid.sphere(0.1, density=1000.0), sp.Revolute("y"))
    robot.add(sp.JointDrive("motor", "bob"))
    robot.add(sp.PointWrench("bob", lambda t: np.full(6, t)))
    return robot.compile()


def test_arrays_cannot_be_written(model):
    assert not any(array.flags.writeable for array in (*model.topology, *model.parameters))
    assert model.workspace.tree.shape[0] == len(model.workspace.arrays)


def test_every_thread_has_its_own_scratch(model):
    found = []
    thread = threading.Thread(target=lambda: found.append(model.workspace.own()[0]))
    thread.start()
    thread.join()
    own = model.workspace.own()[0]
    assert own is model.workspace.own()[0]
    assert found[0] is not own
    assert not np.shares_memory(found[0].inputs, own.inputs)


def test_inputs_and_laws_are_filled_in_and_forgotten(model):
    space = model.workspace.own()[0]
    model.workspace.space([2.0], 0.5)
    assert space.inputs.tolist() == [2.0]
    assert space.signals.tolist() == [0.5] * 6
    model.workspace.space(None, 1.0)
    assert space.inputs.tolist() == [0.0]
    assert space.signals.tolist() == [1.0] * 6


def test_a_law_that_fails_is_named():
    robot = sp.Robot("pendulum")
    robot.add_link("bob", sp.Rigid.sphere(0.1, density=1000.0), sp.Revolute("y"))
    robot.add(sp.PointWrench("bob", lambda t: np.zeros(6) if t < 1.0 else [1.0]))
    model = robot.compile()
    with pytest.raises(sp.StateError, match="PointWrench 'wrench': its law"):
        model.workspace.space(None, 2.0)


def test_the_oldest_is_forgotten_first(model):
    made = []

    def remember(key):
        return model.workspace.remembered("numbers", key, lambda: made.append(key) or key, 2)

    assert [remember(key) for key in (1, 2, 1, 3, 2, 1)] == [1, 2, 1, 3, 2, 1]
    assert made == [1, 2, 3, 1]


def test_a_failure_is_not_remembered(model):
    with pytest.raises(ZeroDivisionError):
        model.workspace.remembered("failures", 0, lambda: 1 / 0, 2)
    assert model.workspace.remembered("failures", 0, lambda: 7, 2) == 7


def test_parts_may_share_scratch(model):
    part = changed_model(model, loads=())
    assert part.workspace.own()[0] is not model.workspace.own()[0]
    part.workspace.share(model.workspace)
    assert part.workspace.own()[0] is model.workspace.own()[0]
