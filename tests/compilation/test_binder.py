"""What loads may ask for while they are bound: stations, nodes, inputs, signals, states; what is refused."""

import numpy as np
import pytest

import supple as sp
from helpers import relative_error
from supple.compilation.binder import Binder, collect_stations, item_name, pose_records
from supple.errors import ModelError

RUBBER = sp.Material(young=1e6, density=1000.0)


class Asking:
    """A load that asks a question while it is bound, and does nothing."""

    name = "asking"

    def __init__(self, question, places=()):
        self.question, self.places, self.answer = question, places, None

    def stations(self):
        return self.places

    def bind(self, binder):
        self.answer = self.question(binder)


def robot(*items):
    """A rod with a body on its tip."""
    made = sp.Robot("two")
    made.add_link("rod", sp.Rod(0.4, sp.Circle(0.02), RUBBER, sp.Legendre(bend_y=1, bend_z=1), points=4))
    made.add_link("hand", sp.Rigid(1.0, np.eye(3), tip=sp.pose((0.1, 0, 0))), joint=sp.Revolute("z"), parent="rod")
    for item in items:
        made.add(item)
    return made


def asked(question, places=()):
    """The answer to a question, and the model."""
    load = Asking(question, places)
    return load, robot(load).compile()


@pytest.mark.parametrize(("link", "s"), [("rod", 0.0), ("rod", 0.37), ("rod", 1.0), ("hand", 0.0), ("hand", 1.0)])
def test_stations_are_ends_of_segments(link, s):
    """Segment and offset together are the pose of the station."""
    offset = sp.pose((0.1, 0.2, 0.3), (0.4, 0.5, 0.6))
    load, model = asked(lambda binder: binder.station(link, s, offset), [(link, s)])
    q = 0.3 * np.arange(1.0, model.n + 1.0)
    model.points(q)
    work = model.workspace.own()[0].work
    g = np.eye(4)
    # positions of the sweeps are from a common origin; segment 0 is the world
    g[:3, :3], g[:3, 3] = work["R"][load.answer.segment], work["p"][load.answer.segment] - work["p"][0]
    assert relative_error(g @ load.answer.offset, model.pose(q, link, s) @ offset) < 1e-12


def test_the_world_is_segment_zero():
    load, _ = asked(lambda binder: binder.station("world", 0.0, sp.pose((1, 2, 3))))
    assert load.answer.segment == 0
    assert np.array_equal(load.answer.offset, sp.pose((1, 2, 3)))


def test_nodes_are_shared_and_rest_poses_are_of_the_bare_robot():
    load, model = asked(
        lambda binder: (
            [binder.node("rod", s) for s in (0.2, 0.7, 0.2)],
            binder.rest_pose("hand", 1.0),
            binder.rest_pose("world", 0.0),
        )
    )
    nodes, hand, world = load.answer
    assert nodes[0] == nodes[2] != nodes[1]
    assert hand == pytest.approx(model.pose(model.rest, "hand", 1.0))
    assert np.array_equal(world, np.eye(4))


def test_inputs_signals_and_states_are_numbered_in_order():
    def question(binder):
        return (
            [binder.input("a"), binder.input("b", tension=True)],
            [binder.signal(lambda t: t, 2), binder.signal(lambda t: t, 1)],
            binder.states(("z",), np.array([3.0])),
            [binder.loop("one", 3), binder.loop("two", 2)],
            binder.demand(),
        )

    load, model = asked(question)
    inputs, signals, states, rows, demand = load.answer
    assert (inputs, signals, states, rows) == ([0, 1], [0, 2], (3, 4), [0, 3])
    assert (demand.inputs, demand.tensions, demand.signals) == (("a", "b"), (False, True), 5)
    assert demand.states[0].state0.tolist() == [3.0]
    assert model.input_names == ("a", "b")


@pytest.mark.parametrize(
    ("question", "message"),
    [
        (lambda b: b.station("leg", 0.0), "there is no link 'leg'; links are: rod, hand"),
        (lambda b: b.station("hand", 0.5), "s is 0.5, but link 'hand' is"),
        (lambda b: b.rod("hand"), "link 'hand' is .*, but this load acts along a rod"),
        (lambda b: (b.input("a"), b.input("a")), "input 'a' exists already"),
        (lambda b: (b.line("a", 1), b.line("a", 1)), "line 'a' exists already"),
        (lambda b: (b.states(("z",), [0.0]), b.states(("z",), [0.0])), "state 'z' exists already"),
        (lambda b: (b.prescribe("hand", abs), b.prescribe("hand", abs)), "is prescribed already"),
        (lambda b: (b.drive("hand", "m"), b.prescribe("hand", abs)), "also driven by JointDrive 'm'"),
        (lambda b: (b.prescribe("hand", abs), b.drive("hand", "m")), "is prescribed: it cannot be driven too"),
    ],
)
def test_what_is_refused_names_the_load(question, message):
    with pytest.raises(ModelError, match=f"Asking 'asking': .*{message}"):
        asked(question)


@pytest.mark.parametrize(
    ("place", "message"),
    [
        (("leg", 0.0), "there is no link 'leg'"),
        (("rod", 1.5), "must lie between 0 and 1"),
        (("rod", np.nan), "s on link 'rod'"),
        ((3, 0.0), "link is 3, must be the name of a link"),
    ],
)
def test_bad_stations_are_refused_before_anything_is_compiled(place, message):
    with pytest.raises(ModelError, match=message):
        collect_stations(robot(Asking(lambda binder: None, [place])))


def test_small_parts():
    records = pose_records([sp.pose((1, 2, 3)), sp.pose(rpy=(0.1, 0, 0))])
    assert records["p"].tolist() == [[1, 2, 3], [0, 0, 0]]
    assert records["R"][1] == pytest.approx(sp.pose(rpy=(0.1, 0, 0))[:3, :3])
    assert item_name(Asking(None), "x") == "Asking 'x'"
    assert item_name(Asking(None), "Asking") == "Asking"
    assert Binder.__doc__


def test_lines_share_nodes_whatever_the_length_of_the_rod():
    """A chamber that ends within the last piece: before, it has the nodes of the rod, rounded otherwise."""

    def build(length=0.59):
        made = sp.Robot("rod")
        rod = sp.Rod(length, sp.Circle(0.02), RUBBER, sp.Hat(bend_y=2, bend_z=2), points=3)
        made.add_link("rod", rod)
        made.add(sp.Tendon("tendon", {"rod": (0.0, 0.01)}))
        made.add(sp.Chamber("chamber", {"rod": (0.01, 0.0)}, area=1e-4, until={"rod": 0.43}))
        return made

    counts = {len(build(length).compile().parameters.nodes) for length in np.linspace(0.5, 0.7, 41)}
    assert counts == {9}
    load, _ = asked(lambda binder: [binder.node("rod", s) for s in (0.3, 0.3 + 1e-16, 0.1 + 0.2, 0.3 + 1e-9)])
    first, *same, other = load.answer
    assert same == [first, first]
    assert other != first
