"""What compilation leaves of a robot: it pickles without the description, and can be changed."""

import pickle

import numpy as np
import pytest

import supple as sp
from supple.compilation.compiling import compile_robot


@pytest.fixture
def compiled():
    robot = sp.Robot("pendulum")
    robot.add_link("bob", sp.Rigid.sphere(0.1, density=1000.0), sp.Revolute("y"))
    robot.add(sp.PointWrench("bob", np.ones(6)))
    return compile_robot(robot)


def test_it_has_no_behaviour_and_no_model(compiled):
    assert compiled.coordinate_names == ("bob.rotation",)
    assert [load.name for load in compiled.loads] == ["wrench"]
    assert compiled.loops == ()
    assert compiled.maps == ()


def test_it_pickles_with_its_text_instead_of_the_robot(compiled):
    copy = pickle.loads(pickle.dumps(compiled))
    assert copy.robot is None
    assert copy.description == compiled.description == str(compiled.robot)
    assert np.array_equal(copy.parameters.screws, compiled.parameters.screws)


def test_a_changed_one_shares_all_else(compiled):
    twin = compiled.changed(loads=())
    assert twin.loads == ()
    assert len(compiled.loads) == 1
    assert twin.topology is compiled.topology
    assert twin.description == compiled.description


def test_it_is_frozen(compiled):
    with pytest.raises(AttributeError):
        compiled.name = "other"
