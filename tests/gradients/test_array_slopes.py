"""How arrays follow parameters, and what counts as structure."""

import numpy as np
import pytest

import supple as sp
from gradients.design_cases import LOOPED, looped
from supple.errors import DesignError
from supple.gradients.array_slopes import Ends, array_slopes, flat_numbers, structure_change
from supple.model.model import compile_like


def compiled(**changes):
    return looped(**LOOPED | changes).compile().compiled


def test_slopes_are_differences_of_all_numbers_and_work_both_ways():
    model = sp.Design(lambda **p: looped(**p), **LOOPED).model()
    slopes = model.design.slopes
    assert slopes.size == len(flat_numbers(model.parameters, model.loads))
    rng = np.random.default_rng(0)
    bar, change = rng.standard_normal(slopes.size), rng.standard_normal(slopes.count)
    assert slopes.pulled_back(bar) @ change == pytest.approx(bar @ slopes.pushed(change), rel=1e-12)
    j = model.design.design.labels.index("young")
    young = slopes.columns == j
    dense = np.zeros(slopes.size)
    dense[slopes.rows[young]] = slopes.values[young]
    K = model.parameters.stiffness
    # stiffness of the rod is proportional to Young's modulus, that of joints does not depend on it
    start = len(flat_numbers(model.parameters[:5], ()))
    found = dense[start : start + K.size].reshape(K.shape)
    rod = model.layouts[1].body_coordinates
    own = np.ix_(rod, rod)
    assert np.allclose(found[own], K[own] / LOOPED["young"], rtol=1e-9)
    assert not np.delete(found, rod, axis=0).any()


def test_robots_of_one_structure_and_others():
    base = compiled()
    assert structure_change(base, compile_like(looped(**LOOPED | {"width": 0.51}), base)) == ""
    robot = looped(**LOOPED)
    robot.add(sp.JointDrive("motor", "right"))
    assert structure_change(base, robot.compile().compiled) == "the loads of the robot"
    robot = looped(**LOOPED)
    robot.add_link("more", sp.Rigid(1.0, np.ones(3)), sp.Revolute("x"), parent="top")
    assert "the coordinates (" in structure_change(base, robot.compile().compiled)


def test_a_change_of_structure_names_the_parameter():
    base = compiled()
    robot = looped(**LOOPED)
    robot.add(sp.PointWrench("top", np.ones(6)))
    other = robot.compile().compiled
    with pytest.raises(DesignError, match="parameter 'more' changes the loads of the robot"):
        array_slopes(base, [Ends(other, base, 1.0)], ["more"])
