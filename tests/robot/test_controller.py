"""Controllers: what they keep of what they are given, and what is refused."""

import numpy as np
import pytest

import supple as sp
from supple.errors import ModelError


def nothing(t, q, v, z):
    return []


def test_states_are_kept_as_read_only_vectors():
    controller = sp.Controller([1, 2], nothing, nothing, inputs=["a", "b"])
    assert controller.state0.dtype == float
    assert not controller.state0.flags.writeable
    assert tuple(controller.inputs) == ("a", "b")
    assert sp.Controller(3.0, nothing, nothing).state0.shape == (1,)
    assert sp.Controller([], nothing, nothing).state0.shape == (0,)


def test_it_takes_no_place_on_the_robot():
    assert tuple(sp.Controller([], nothing, nothing).stations()) == ()


def test_unnamed_ones_are_numbered():
    robot = sp.Robot("two")
    robot.add_link("a", sp.Rigid.sphere(0.1, density=1.0), joint=sp.Revolute("x"))
    robot.add(sp.JointDrive("one", "a"))
    robot.add(sp.Controller([], nothing, lambda t, q, v, z: [0.0], inputs=("one",)))
    model = robot.compile()
    assert [controller.name for controller in model.controllers] == ["controller"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"state0": [np.nan]}, "state0 is .* must be a vector of finite numbers"),
        ({"state0": np.eye(2)}, "must be a vector of finite numbers"),
        ({"rate": None}, "rate must be a function of"),
        ({"output": 3.0}, "output must be a function of"),
        ({"inputs": ("a", "a")}, "must be different"),
        ({"inputs": (1,)}, "inputs"),
        ({"name": 3}, "Controller: name"),
    ],
)
def test_bad_controllers_are_named(options, message):
    given = {"state0": [], "rate": nothing, "output": nothing} | options
    with pytest.raises(ModelError, match=message):
        sp.Controller(**given)
