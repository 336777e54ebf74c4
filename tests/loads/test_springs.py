"""Many springs at once: the same as springs one by one, in every function; what is refused."""

import numpy as np
import pytest

import supple as sp
from helpers import difference_jacobian, random_coordinates, random_robot, relative_error
from load_kinds import KINDS, springs


def pair_of_robots(seed, slack=False):
    """A random robot with springs one by one (or cables), and all at once."""
    rng = np.random.default_rng([91, seed])
    robot = random_robot(rng, links=4)
    while True:
        load = springs(rng, robot, "net")
        together = robot.copy()
        together.add(sp.Springs("net", load.points, load.pairs, load.stiffness, 0.3, 0.5, slack))
        try:
            model = together.compile()
            break
        except sp.ModelError:
            continue
    single = robot.copy()
    for i, (a, b) in enumerate(load.pairs):
        ends, k = (load.points[a], load.points[b]), load.stiffness[i]
        if slack:
            single.add(sp.Cable(f"s{i}", ends, stiffness=k, rest_length=0.3, damping=0.5))
        else:
            single.add(sp.Spring(f"s{i}", *ends, stiffness=k, rest_length=0.3, damping=0.5))
    return robot, model, single.compile(), rng


@pytest.mark.parametrize("slack", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_equal_to_springs_one_by_one(seed, slack):
    robot, model, single, rng = pair_of_robots(seed, slack)
    q = random_coordinates(rng, robot, "moderate")
    v, a = rng.standard_normal((2, model.n))
    assert relative_error(model.residual(q, v, a), single.residual(q, v, a)) < 1e-12
    for x, y in zip(model.residual_derivatives(q, v, a), single.residual_derivatives(q, v, a), strict=True):
        assert relative_error(x, y) < 1e-12
    assert np.allclose(model.energy(q, v), single.energy(q, v), rtol=1e-12)
    assert model.check_derivatives(q, v, a).worst.error < 1e-5


def test_force_is_the_slope_of_the_energy():
    robot, model, _, rng = pair_of_robots(7)
    q, zero = random_coordinates(rng, robot, "moderate"), np.zeros(model.n)
    bare = robot.compile()
    force = bare.residual(q, zero, zero) - model.residual(q, zero, zero)
    slope = difference_jacobian(lambda x: np.array([model.energy(x, zero).loads]), q)[0]
    assert relative_error(force, -slope) < 1e-7


def test_rest_lengths_are_those_of_the_rest_configuration():
    robot = sp.Robot("one", gravity=(0.0, 0.0, 0.0))
    robot.add_link("mass", sp.Rigid(1.0, np.zeros(3)), sp.Translational(), at=sp.pose((0.3, 0.0, 0.4)))
    robot.add(sp.Springs("s", [("world", 0.0), ("mass", 0.0)], [(0, 1)], stiffness=10.0))
    model = robot.compile()
    assert np.abs(model.residual(np.zeros(3), np.zeros(3), np.zeros(3))).max() < 1e-14
    assert np.isclose(model.energy([0.3, 0.0, 0.4], np.zeros(3)).loads, 0.5 * 10.0 * 0.25)


def test_among_the_kinds_of_loads():
    assert "springs" in KINDS


def test_refused():
    robot = sp.Robot("one")
    robot.add_link("mass", sp.Rigid(1.0, np.zeros(3)), sp.Translational())
    points = [("world", 0.0), ("mass", 0.0), ("world", 0.0, sp.pose((1.0, 0.0, 0.0)))]

    def compiled(pairs=((0, 1),), stiffness=1.0, given=points, **options):
        made = robot.copy()
        made.add(sp.Springs("net", given, pairs, stiffness, **options))
        return made.compile()

    for match, options in (
        (r"Springs 'net': pairs\[0\] is \(0, 3\), must be two different points of 0 to 2", {"pairs": [(0, 3)]}),
        (r"pairs\[0\] is \(1, 1\)", {"pairs": [(1, 1)]}),
        (r"pairs has the shape \(2,\)", {"pairs": (0, 1)}),
        ("pairs must be whole numbers", {"pairs": [(0, 0.5)]}),
        (r"pairs\[0\] joins two points of the world", {"pairs": [(0, 2)]}),
        (r"stiffness has the shape \(2,\), must be a number or one for each of 1", {"stiffness": (1.0, 2.0)}),
        (r"stiffness\[0\] is -1", {"stiffness": (-1.0,)}),
        (r"points is \[\], must be two or more", {"given": []}),
        ("slack is 3", {"slack": 3}),
    ):
        with pytest.raises(sp.ModelError, match=match):
            compiled(**options)
