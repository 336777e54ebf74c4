"""Ctrl-C inside of laws in Python: it ends the motion, whatever the method makes of a residual that is not finite."""

import warnings

import pytest

import supple as sp
from supple.errors import ModelWarning

METHODS = [sp.NDF(), sp.Radau(), sp.GeneralizedAlpha(dt=1e-3), sp.RK45()]
BAR = sp.Rigid.cylinder(0.1, 0.01, density=1000.0)


class Interrupting:
    """A law of which one call is interrupted, and all others are fine."""

    def __init__(self, value, asked=200):
        self.value, self.left = value, asked

    def __call__(self, *arguments):
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt("in a law")
        return self.value


def drag(law):
    return sp.PointLaw("drag", "bar", law, uses=("twist",))


def spring(law):
    return sp.Spring("spring", ("world", 0.0, sp.pose((0, 1, 0))), ("bar", 1.0), law=law)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: type(method).__name__)
@pytest.mark.parametrize(("load", "value"), [(drag, [0.0] * 6), (spring, 0.1)])
def test_ctrl_c_inside_of_a_law_ends_the_motion(load, value, method):
    robot = sp.Robot("pendulum")
    robot.add_link("bar", BAR, sp.Revolute("y"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        robot.add(load(Interrupting(value)))
        model = robot.compile()
    with pytest.raises(KeyboardInterrupt, match="in a law"):
        model.simulate(20.0, q0=[0.3], method=method)
