"""All equilibria: columns, trusses, four-bars, pendulums, neutral ones; budgets, seeds, interruptions, energies."""

import numpy as np
import pytest
from scipy.optimize import brentq

import supple as sp
from equilibrium_cases import (
    EULER,
    apex_force,
    column,
    elastica,
    four_bar,
    four_bar_energy,
    tip_angle,
    truss,
    truss_of_links,
)

# ---------------------------------------------------------------------- what there is


def test_a_buckled_column_has_three():
    """Straight and unstable; bent to both sides, as the elastica says, with its energy."""
    load = 1.5 * EULER
    model = column(load)
    found = model.statics_all()
    assert [each.stable for each in found] == [True, True, False]
    angle = brentq(lambda a: elastica(a)[0] - load, 0.1, 3.0)
    _, x, y, energy = elastica(angle)
    assert sorted(tip_angle(model, q) for q in found.q[:2]) == pytest.approx([-angle, angle], abs=1e-5)
    assert np.abs(found[0].tip("rod")[:2]) == pytest.approx([x, y], abs=1e-5)
    assert found.energies == pytest.approx([energy, energy, 0.0], abs=1e-5)
    assert found[2].q == pytest.approx(np.zeros(model.n), abs=1e-12)
    assert found[2].unstable_directions.shape == (model.n, 1)
    assert found.complete
    assert found.conservative
    assert (found.hits > 1).all()


def test_beyond_the_second_load_there_are_five():
    """Bent in the second shape, the column is unstable in one direction; straight, in two."""
    found = column(1.5 * 9.0 * EULER).statics_all()
    assert [each.unstable_directions.shape[1] for each in found] == [0, 0, 1, 1, 2]
    assert found.energies[2] == pytest.approx(found.energies[3], rel=1e-9)


@pytest.mark.parametrize("load", [0.0, 1.0])
def test_a_truss_is_bistable(load):
    found = truss(0.4, load, "z").statics_all()
    heights = found.q[:, 0]
    assert [each.stable for each in found] == [True, True, False]
    assert apex_force(0.0, heights, 0.4)[1] == pytest.approx(-load * np.ones(3), abs=1e-9)
    assert np.sign(heights[:2]).sum() == 0.0
    rest = np.hypot(1.0, 0.4)
    assert found.energies == pytest.approx(100.0 * (np.hypot(1.0, heights) - rest) ** 2 + load * heights, abs=1e-9)


@pytest.mark.parametrize("looped", [False, True])
def test_a_steep_truss_has_five(looped):
    """Up, down, folded flat to both sides (saddles), and between the feet (a saddle, too)."""
    if looped:
        model = truss_of_links(3.0, [0.0] * 6)
        apex = [model.pose(q, "left")[[0, 2], 3] for q in model.statics_all().q]
    else:
        apex = truss(3.0, 0.0, "x", "z").statics_all().q
    wide = np.sqrt(10.0)
    for x, z in ((0.0, 3.0), (0.0, -3.0), (wide, 0.0), (-wide, 0.0), (0.0, 0.0)):
        assert np.abs(np.array(apex) - [x, z]).max(axis=1).min() < 1e-8


def test_a_four_bar_with_a_spring():
    """Minima and maxima of the energy along the crank's angle, on both ways of assembling it."""
    found = four_bar().statics_all()
    assert [each.stable for each in found] == [True, True, False, False]
    angles = np.linspace(-np.pi, np.pi, 3001)
    expected = []
    for side in (1, -1):
        V = np.array([four_bar_energy(angle, side) for angle in angles])
        expected += [V[k] for k in range(1, len(V) - 1) if (V[k] - V[k - 1]) * (V[k + 1] - V[k]) < 0.0]
    assert found.energies == pytest.approx(sorted(expected), abs=1e-4)
    for each, angle in zip(found, found.q[:, 0], strict=True):
        energies = [four_bar_energy(angle, side) for side in (1, -1)]
        assert min(abs(each.model.energy(each.q, 0 * each.q).total - e) for e in energies) < 1e-12
        assert each.loop_error < 1e-10


def test_a_column_beside_a_wall():
    """It buckles freely to one side and leans on the wall on the other, with less gain."""
    wall = sp.Plane(normal=(0.0, -1.0, 0.0), height=-0.2)
    contact = sp.Contact("wall", a=sp.Spheres("rod", n=20, radius=0.0), b=wall, stiffness=1e4, exponent=1.5)
    found = column(1.5 * EULER, contact).statics_all()
    assert [each.stable for each in found] == [True, True, False]
    assert found[0].tip("rod")[1] < -0.5
    assert found[1].tip("rod")[1] == pytest.approx(0.2, abs=5e-3)
    assert found[1].contact("wall").force[:, 1].sum() < -0.1
    assert len(found[0].contact("wall").gap) == 0
    assert found.energies[0] < found.energies[1] < found.energies[2] == pytest.approx(0.0, abs=1e-12)


def test_pendulums():
    """One hangs or stands; of two in a row, every one does; turns of a joint do not count."""
    robot = sp.Robot("pendulum")
    robot.add_link("a", sp.Rigid(1.0, np.eye(3) * 0.01, com=(0.3, 0, 0), tip=sp.pose((0.5, 0, 0))), sp.Revolute("y"))
    found = robot.compile().statics_all(q0=[[20.0], [1.0]])
    assert found.q[:, 0] == pytest.approx([0.5 * np.pi, -0.5 * np.pi])
    assert found.energies == pytest.approx([-9.81 * 0.3, 9.81 * 0.3])
    robot.add_link("b", sp.Rigid(1.0, np.eye(3) * 0.01, com=(0.3, 0, 0)), sp.Revolute("y"), parent="a")
    found = robot.compile().statics_all()
    assert [each.unstable_directions.shape[1] for each in found] == [0, 1, 1, 2]
    assert np.abs(found.q).max() < np.pi + 1e-9


def test_a_spring_counts_the_turns_of_a_joint():
    """A weak spiral spring holds an unbalanced wheel at several places, some of them the same pose, a turn apart."""
    robot = sp.Robot("wheel")
    robot.add_link("wheel", sp.Rigid(1.0, np.eye(3) * 0.01, com=(0.1, 0, 0)), sp.Revolute("y", stiffness=0.05))
    found = robot.compile().statics_all(spread=5.0, starts=100)
    angles = np.linspace(-25.0, 25.0, 100001)
    moment = 0.05 * angles - 0.981 * np.cos(angles)
    expected = angles[:-1][moment[:-1] * moment[1:] < 0.0]
    assert len(expected) > 6
    assert np.sort(found.q[:, 0]) == pytest.approx(expected, abs=1e-3)


# ---------------------------------------------------------------------- what is one and the same


def test_neutral_equilibria_are_merged():
    """A ball joint hangs or stands, however it spins; a cart may stand anywhere."""
    robot = sp.Robot("ball")
    robot.add_link("bar", sp.Rigid(1.0, np.diag([0.01, 0.02, 0.03]), com=(0.3, 0, 0)), sp.Spherical())
    found = robot.compile().statics_all(starts=24)
    assert [each.unstable_directions.shape[1] for each in found] == [0, 2]
    assert [each.free_directions.shape[1] for each in found] == [1, 1]
    assert [each.stable for each in found] == [None, False]
    robot = sp.Robot("cart")
    robot.add_link("cart", sp.Rigid.box((0.2, 0.1, 0.1), density=500.0), joint=sp.Prismatic("x"))
    robot.add_link("rod", sp.Rigid.cylinder(0.5, 0.01, density=1000.0), joint=sp.Revolute("y"), parent="cart")
    found = robot.compile().statics_all(starts=24)
    assert found.q[:, 1] == pytest.approx([0.5 * np.pi, -0.5 * np.pi])


def test_a_buckled_column_on_a_cart_bends_to_both_sides():
    """Neutral equilibria of the same energy that no sliding leads to each other stay two."""
    section = sp.Section(np.ones(6), [1e-3, 1e-3, 1e-3, 1.0, 1.0, 1.0])
    robot = sp.Robot("cart", gravity=(0.0, 0.0, 0.0))
    robot.add_link("cart", sp.Rigid(1.0, np.ones(3)), sp.Prismatic("y"))
    robot.add_link("rod", sp.Rod(1.0, section, strain=sp.Legendre(bend_z=5), points=10), parent="cart")
    robot.add(sp.PointWrench("rod", [0.0, 0.0, 0.0, -1.5 * EULER, 0.0, 0.0]))
    found = robot.compile().statics_all(starts=24)
    assert [each.unstable_directions.shape[1] for each in found] == [0, 0, 1]
    assert found.q[0, 1] == pytest.approx(-found.q[1, 1])


def test_prescribed_joints_stay_where_their_laws_say():
    robot = sp.Robot("arm")
    body = sp.Rigid(1.0, np.eye(3) * 0.01, com=(0.3, 0, 0), tip=sp.pose((0.5, 0, 0)))
    robot.add_link("a", body, sp.Revolute("y"))
    robot.add_link("b", body, sp.Revolute("y"), parent="a")
    robot.add(sp.Prescribed("a", lambda t: (2.0 * t, 2.0, 0.0)))
    found = robot.compile().statics_all(t=0.3)
    assert found.q[:, 0] == pytest.approx([0.6, 0.6])
    assert found.q.sum(axis=1) == pytest.approx([0.5 * np.pi, -0.5 * np.pi])


def test_where_laws_prescribe_everything_there_is_one():
    robot = sp.Robot("shaft")
    robot.add_link("a", sp.Rigid(1.0, np.eye(3) * 0.01, com=(0.3, 0, 0)), sp.Revolute("y"))
    robot.add(sp.Prescribed("a", lambda t: (2.0 * t, 2.0, 0.0)))
    found = robot.compile().statics_all(t=0.3, starts=4)
    assert found.q == pytest.approx(np.array([[0.6]]))
    assert len(found.stable) == 1


def test_follower_loads_have_no_potential():
    follower = sp.PointWrench("rod", [0.0, 0.0, 0.0, 0.0, 2.0, 0.0], frame="local")
    found = column(0.1, follower).statics_all(starts=4)
    assert not found.conservative
    assert "stored [J]" in repr(found)
    model, each = found.model, found[0]
    assert found.energies[0] == pytest.approx(model.energy(each.q, 0 * each.q).total)


# ---------------------------------------------------------------------- budgets, seeds, results


def test_the_same_seed_gives_the_same():
    model = column(1.5 * EULER)
    one, same, other = (model.statics_all(starts=12, seed=seed) for seed in (3, 3, 4))
    assert np.array_equal(one.q, same.q)
    assert np.array_equal(one.hits, same.hits)
    assert np.array_equal(one.energies, same.energies)
    assert not np.array_equal(one.hits, other.hits) or not np.array_equal(one.q, other.q)


def test_budgets():
    model = column(1.5 * EULER)
    assert len(model.statics_all(most=2)) == 2
    few = model.statics_all(most=1)
    assert len(few) == 1
    assert not few.complete
    assert "as many as were asked for" in few.message
    short = model.statics_all(seconds=1e-9)
    assert not short.complete
    assert "ended after 1e-09 s" in short.message
    told = []
    stopped = model.statics_all(progress=lambda starts, found: told.append((starts, found)) or found == 2)
    assert told[-1][1] == len(stopped) == 2
    assert "told of the progress" in stopped.message
    many = model.statics_all(starts=1, q0=np.zeros((3, model.n)))
    assert many.starts == 3


def test_interruption_keeps_what_was_found():
    def interrupt(starts, found):
        if found == 3:
            raise KeyboardInterrupt

    with pytest.raises(sp.Interrupted, match=r"3 equilibria, which are kept") as caught:
        column(1.5 * EULER).statics_all(progress=interrupt)
    result = caught.value.result
    assert len(result) == 3
    assert not result.complete
    assert result.energies[0] < -0.4


def test_nothing_to_find():
    robot = sp.Robot("falling")
    robot.add_link("body", sp.Rigid(1.0, np.ones(3)), sp.Free())
    with pytest.warns(sp.ModelWarning, match="no equilibrium found"):
        found = robot.compile().statics_all(starts=2)
    assert len(found) == 0
    assert found.q.shape == (0, 6)
    assert "0 equilibria" in repr(found)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"starts": 0}, "starts is 0"),
        ({"most": 0}, "most is 0"),
        ({"seconds": -1.0}, "seconds is -1"),
        ({"seed": -1}, "seed is -1"),
        ({"spread": -1.0}, "spread is -1"),
        ({"spread": [1.0, 2.0]}, "spread is"),
        ({"tolerance": 2.0}, "tolerance is 2"),
        ({"progress": "yes"}, "progress is 'yes'"),
    ],
)
def test_options_are_checked(options, message):
    with pytest.raises(sp.ModelError, match=message):
        column(1.0).statics_all(**options)


@pytest.mark.parametrize("q0", [[1.0], np.zeros((0, 9)), np.zeros((2, 3)), [[1.0], [1.0, 2.0]]])
def test_starts_have_a_shape(q0):
    with pytest.raises(sp.ShapeError, match="q0"):
        column(1.0).statics_all(q0=q0)


# ---------------------------------------------------------------------- on threads


def assert_same_set(found, other):
    assert np.array_equal(found.q, other.q)
    assert np.array_equal(found.energies, other.energies)
    assert np.array_equal(found.hits, other.hits)
    assert [each.stable for each in found] == [each.stable for each in other]
    assert (found.starts, found.complete, found.message) == (other.starts, other.complete, other.message)


@pytest.mark.parametrize("make", [lambda: column(1.5 * EULER), four_bar, lambda: truss(3.0, 0.0, "x", "z")])
@pytest.mark.parametrize("most", [None, 2])
def test_what_is_found_does_not_depend_on_the_number_of_threads(make, most):
    model = make()
    alone = model.statics_all(starts=14, seed=3, most=most, threads=1)
    for threads in (2, 3, 5, None):
        assert_same_set(model.statics_all(starts=14, seed=3, most=most, threads=threads), alone)


def test_a_progress_that_ends_the_search_ends_it_at_the_same_start_on_all_threads():
    model = column(1.5 * EULER)
    told = {threads: [] for threads in (1, 3)}
    found = [
        model.statics_all(threads=k, progress=lambda starts, count, k=k: told[k].append((starts, count)) or starts >= 6)
        for k in told
    ]
    assert told[1] == told[3]
    assert told[1][-1][0] == 6
    assert_same_set(*found)


def test_threads_are_checked():
    with pytest.raises(sp.ModelError, match="threads is 0"):
        column(1.0).statics_all(threads=0)
