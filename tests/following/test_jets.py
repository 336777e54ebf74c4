"""Truncated polynomials: products against differences of products."""

import numpy as np

import supple as sp
from coupled_cases import follower


def test_a_chain_of_followers_is_one_function():
    """Followers of followers are inlined: (a -> a^2 -> sin) is one program."""
    robot, bar = sp.Robot("chain"), sp.Rigid.box((0.2, 0.02, 0.02), density=1000.0)
    for name, parent in (("a", "world"), ("b", "a"), ("c", "b"), ("d", "c")):
        robot.add_link(name, bar, sp.Revolute("y"), parent=parent)
    robot.couple("c", to="b", function=lambda b: np.sin(b))
    robot.couple("b", to="a", function=lambda a: a * a)
    robot.couple("d", to={"c": 2.0, "a": 1.0}, offset=0.5)
    model = robot.compile()
    at = model.expand([0.7], [0.3], [0.2])
    by_name = dict(zip(model.full.coordinate_names, at.q, strict=True))
    np.testing.assert_allclose(by_name["c.rotation"], np.sin(0.49), rtol=1e-15)
    np.testing.assert_allclose(by_name["d.rotation"], 2 * np.sin(0.49) + 0.7 + 0.5, rtol=1e-15)
    one = follower(lambda a: 2 * np.sin(a * a) + a + 0.5).expand([0.7], [0.3], [0.2])
    last = model.full.coordinate_names.index("d.rotation")
    for many, single in zip(at[:6], one[:6], strict=True):
        np.testing.assert_allclose(many[last], single[1], rtol=1e-13)
