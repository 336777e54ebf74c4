"""What `Robot.couple` takes and refuses."""

import numpy as np
import pytest

import supple as sp


def robot(*joints):
    made, bar = sp.Robot("r"), sp.Rigid.box((0.2, 0.02, 0.02), density=1000.0)
    for k, joint in enumerate(joints or (sp.Revolute("y"),) * 4):
        made.add_link("abcdefg"[k], bar, joint, parent="world" if k == 0 else "abcdefg"[k - 1])
    return made


def test_ratios_of_followers_multiply():
    made = robot()
    made.couple("c", to="b", ratio=2.0, offset=1.0)
    made.couple("b", to="a", ratio=-0.5, offset=0.1)
    model = made.compile()
    assert model.coordinate_names == ("a.rotation", "d.rotation")
    assert [c.follower for c in made.couplings] == ["c", "b"]
    q = dict(zip(model.full.coordinate_names, model.whole(np.array([0.4, 0.0])), strict=True))
    assert q["b.rotation"] == pytest.approx(-0.1)
    assert q["c.rotation"] == pytest.approx(0.8)


def test_all_coordinates_of_a_joint_may_follow():
    made = robot(sp.Revolute("y"), sp.Universal("x", "z"), sp.Cylindrical("x"))
    made.couple("b.rotation_1", to="a")
    made.couple("b.rotation_2", to="a", ratio=2.0)
    made.couple("c.rotation", to="a")
    made.couple("c.translation", to="a", ratio=0.1)
    model = made.compile()
    assert model.n == 1
    assert model.check_derivatives([0.3], [0.2], [0.1]).ok(1e-8)


def test_copies_keep_couplings():
    made = robot()
    made.couple("b", to="a")
    assert made.copy().compile().n == 3


def joined(*couplings, joints=(), items=()):
    made = robot(*joints)
    for item in items:
        made.add(item)
    for follower, options in couplings:
        made.couple(follower, **options)
    return made.compile()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: joined(("x", {"to": "a"})), "coupling of 'x': there is no joint 'x'; links are: a, b, c, d"),
        (lambda: joined(("b", {"to": "x"})), "coupling of 'b': there is no joint 'x'"),
        (lambda: joined(("b", {"to": "a"}), ("a", {"to": "b"})), "cycle, .*a.rotation.* -> .*b.rotation"),
        (lambda: joined(("b", {"to": "b"})), "in a cycle, b.rotation -> b.rotation"),
        (lambda: joined(("b", {"to": "a"}), ("b", {"to": "c"})), "it follows a already"),
        (lambda: joined(("b", {"to": "a"}), ("b.rotation", {"to": "c"})), "'b.rotation' follows already"),
        (lambda: joined(("b", {"to": 3.0})), "to is 3.0, must be the name of a joint"),
        (lambda: joined(("b", {"to": {}})), "give each leader its ratio"),
        (lambda: joined(("b", {"to": {"a": np.nan}})), "ratio to 'a'"),
        (lambda: joined(("b", {"to": "a", "ratio": "x"})), "coupling of 'b': ratio"),
        (lambda: joined(("b", {"to": "a", "function": 3.0})), "function is 3.0"),
        (lambda: joined(("b", {"to": "a", "ratio": 2.0, "function": np.sin})), "stands instead of ratios"),
        (lambda: joined(("b", {"to": ["a", "a"]})), "named twice"),
        (lambda: joined(("b", {"to": ["a", "a.rotation"]})), "named twice"),
        (lambda: joined(("b", {"to": lambda *x: x[0]})), "name the leaders of the function"),
        (lambda: joined(("b", {"to": lambda x: x})), "there is no joint 'x'"),
        (
            lambda: joined(("b", {"to": "a"}), items=[sp.Prescribed("b", sp.laws.Sine(1.0, 1.0))]),
            "the joint of 'b' is prescribed, it cannot follow too",
        ),
        (lambda: joined(("a", {"to": "b"}), joints=(sp.Spherical(), sp.Revolute("x"))), "has 3 coordinates: name one"),
        (
            lambda: joined(("a.wx", {"to": "b"}), joints=(sp.Spherical(), sp.Revolute("x"))),
            "belongs to a rotation vector, which cannot follow",
        ),
        (
            lambda: joined(("b", {"to": "a.wx"}), joints=(sp.Spherical(), sp.Revolute("x"))),
            "belongs to a rotation vector, which cannot lead",
        ),
        (
            lambda: joined(("b.rotation_1", {"to": "a"}), joints=(sp.Revolute("y"), sp.Universal("x", "z"))),
            r"has coordinates that do not follow \(b.rotation_2\); put the joint",
        ),
        (lambda: joined(("a", {"to": "b"}), joints=(sp.Fixed(), sp.Revolute("x"))), "the joint of 'a' does not move"),
    ],
)
def test_bad_couplings_are_refused(make, message):
    with pytest.raises(sp.ModelError, match=message):
        make()


def test_strains_lead_but_do_not_follow():
    made = robot()
    material = sp.Material(young=1e5, poisson=0.4, density=1000.0)
    made.add_link("rod", sp.Rod(0.3, sp.Circle(0.02), material, sp.Legendre(bend_y=1)), parent="d")
    made.couple("b", to="rod.bend_y_0")
    assert made.compile().n == 5
    made.couple("rod.bend_y_1", to="a")
    with pytest.raises(sp.ModelError, match="is a strain, only coordinates of joints can follow"):
        made.compile()


def test_parts_bring_their_couplings():
    hand = robot()
    hand.couple("b", to="a", ratio=0.5)
    whole = robot(sp.Revolute("x"))
    whole.attach(hand, to="a", prefix="left/")
    whole.attach(hand, to="a", prefix="right/")
    model = whole.compile()
    assert model.n == 1 + 3 + 3
    q = dict(zip(model.full.coordinate_names, model.whole(np.arange(7.0)), strict=True))
    assert q["right/b.rotation"] == 0.5 * q["right/a.rotation"]
    assert q["left/b.rotation"] == 0.5 * q["left/a.rotation"] != q["right/b.rotation"]


def test_the_table_tells_who_follows():
    robot = sp.Robot("hand")
    body = sp.Rigid.box((0.05, 0.01, 0.01), density=500.0)
    robot.add_link("palm", body, sp.Revolute("z"))
    robot.add_link("near", body, sp.Revolute("y"), parent="palm")
    robot.add_link("far", body, sp.Revolute("y"), parent="near")
    robot.couple("near", to={"far": 0.5, "palm": 1.0})
    rows = str(robot).splitlines()
    assert rows[0].startswith("Robot 'hand': 3 links, 2 coordinates")
    assert [row.split("  ")[-1].strip() for row in rows[2:5]] == ["[0:1)", "follows far, palm", "[1:2)"]
    assert "2 coordinates" in repr(robot)
    assert robot.compile().n == 2
