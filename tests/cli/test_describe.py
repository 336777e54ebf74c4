"""What drives an input, in whatever form a system gives it."""

import numpy as np
import pytest

import supple as sp
from supple import laws
from supple.cli.describe import input_source, inputs_at, method_text, vector, watched
from supple.systems import System


def wheels(u, *items):
    robot = sp.Robot("wheels", gravity=(0, 0, 0))
    for name in ("a", "b"):
        robot.add_link(name, sp.Rigid.sphere(0.1, density=1000.0), joint=sp.Revolute("z"))
        robot.add(sp.JointDrive(f"drive {name}", name))
    for item in items:
        robot.add(item)
    system = System("wheels", robot, t_end=1.0, u=u, q0=[0.5, 0.0])
    return system, system.compile()


STEERED = sp.Controller([], lambda t, q, v, z: z, lambda t, q, v, z: [3.0 * q[0]], inputs=("drive a",))


@pytest.mark.parametrize(
    ("u", "items", "drivers", "inputs"),
    [
        (None, (), ["zero", "zero"], (0.0, 0.0)),
        ([2.0, laws.Ramp(0.0, 1.0)], (), ["2", "Ramp"], (2.0, 0.5)),
        ({"drive b": laws.Constant(4.0)}, (), ["zero", "Constant"], (0.0, 4.0)),
        (lambda t, q, v: [q[0], t], (), ["function", "function"], (0.5, 0.5)),
        (None, (STEERED,), ["Controller", "zero"], (1.5, 0.0)),
    ],
)
def test_inputs(u, items, drivers, inputs):
    system, model = wheels(u, *items)
    assert [input_source(system, model, i) for i in range(2)] == drivers
    np.testing.assert_allclose(inputs_at(system, model, 0.5), inputs)


def test_a_system_without_stations_is_watched_at_its_last_tip():
    assert watched(*wheels(None)) == (("b", 1.0),)


def test_methods_show_what_matters():
    assert method_text(sp.NDF(max_order=2)) == "ndf (rtol = 0.001, atol = 1e-06, max_order = 2)"
    assert method_text(sp.GeneralizedAlpha(dt=0.01)) == "generalized-alpha (dt = 0.01)"
    assert method_text(sp.GeneralizedAlpha()) == "generalized-alpha (rtol = 0.0001, atol = 1e-06)"


def test_rounding_is_not_shown():
    assert vector([1.0, -1e-17, np.pi], "m") == "(1, 0, 3.14159) m"
