"""What every body answers, and how those without a capability are refused."""

import pytest

import supple as sp
from supple.robot.bodies import Body, Rigid, Rod
from supple.robot.bodies.protocol import ArcLength, centreline_of

MATERIAL = sp.Material(young=1e5, density=1000.0)
BODIES = {
    "rod": Rod(0.5, sp.Circle(0.02), MATERIAL, sp.Legendre(bend_y=1), points=3),
    "rigid": Rigid.sphere(0.1, density=100.0),
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_bodies_keep_the_contract(body):
    table = body.tabulate()
    assert isinstance(body, Body)
    assert table.n == body.size == len(body.labels)
    assert table.stiffness.shape == table.damping.shape == (body.size, body.size)
    assert table.rest_position.shape == (body.size,)
    assert table.locate(0.0) is not None
    assert table.locate(1.0) is not None
    assert (table.line is None) == (body.centreline is None)
    assert body.look("link").link == "link"
    chain = table.chain()
    points = [point for point, _ in table.points]
    assert max(points) == (1 if chain is None else len(chain.own))


def test_only_what_is_a_body_becomes_a_link():
    robot = sp.Robot()
    for thing in ("rod", Rod, None):
        with pytest.raises(sp.ModelError, match=r"link 'a': body is .*, must be a Rod or a Rigid"):
            robot.add_link("a", thing)


def test_a_missing_centreline_names_link_and_remedy():
    assert centreline_of(BODIES["rod"], "arm", "routes need rods") is BODIES["rod"]
    with pytest.raises(sp.ModelError, match=r"^link 'hand' is rigid, but routes need rods; give via points$"):
        centreline_of(BODIES["rigid"], "hand", "routes need rods", "give via points")


def test_metres_become_stations():
    assert ArcLength(0.2).station(BODIES["rod"], "arm") == pytest.approx(0.4)
    assert ArcLength(0.2).station(BODIES["rigid"], "hand") == 0.0
    with pytest.raises(sp.ModelError, match=r"X is 0\.6 m on link 'arm', must lie in \[0, 0\.5\]"):
        ArcLength(0.6).station(BODIES["rod"], "arm")
