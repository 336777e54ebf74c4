"""What all pictures of a motion share: room, ground, scales."""

import numpy as np
import pytest

import supple as sp
from supple.model.changes import changed_model
from supple.viz.style import Style
from supple.viz.view import State, View, round_length, tube_ends, whole_cells


def state(model, q=None):
    return State(model.rest.copy() if q is None else np.asarray(q), None, None, 0.0)


@pytest.mark.parametrize(("length", "found"), [(1.0, 1.0), (1.9, 1.0), (2.0, 2.0), (0.049, 0.02), (730.0, 500.0)])
def test_round_lengths(length, found):
    assert round_length(length) == pytest.approx(found)


def test_cells_leave_room_around_points():
    low, high = whole_cells(np.array([[0.1, 1.0], [0.9, 2.4]]), 0.5)
    assert low.tolist() == [-0.5, 0.5]
    assert high.tolist() == [1.5, 3.0]


def test_a_tube_ends_beyond_the_robot():
    low, high = tube_ends(np.array([[0.0, 5.0, 5.0], [2.0, 0.0, 0.0]]))
    assert low == pytest.approx(-0.1)
    assert high == pytest.approx(2.1)


def test_the_ground_is_below_the_lowest_state(model):
    states = [state(model), state(model, np.full(model.n, 0.3))]
    view = View.of(model, Style(), states)
    assert view.ground == pytest.approx(float(view.cloud[:, 2].min()))
    origin, first, second = view.floor
    assert origin[2] == pytest.approx(view.ground)
    for edge in (first, second):
        cells = np.linalg.norm(edge) / view.cell
        assert cells == pytest.approx(round(cells))
        assert cells >= 1.0
    assert View.of(model, Style(ground=False), states).ground is None


def test_every_state_is_in_the_window(model):
    states = [state(model), state(model, np.full(model.n, 0.8))]
    view = View.of(model, Style(), states)
    seen = view.camera.project(view.cloud)
    window = view.window
    assert (seen[:, 0] >= window.left - 1e-12).all()
    assert (seen[:, 0] <= window.right + 1e-12).all()
    assert (seen[:, 1] >= window.bottom - 1e-12).all()
    assert (seen[:, 1] <= window.top + 1e-12).all()


def test_scales_are_the_largest_of_all_states(model):
    inputs = [State(model.rest, None, np.array([pull, 0.0]), 1.0) for pull in (1.0, 5.0, 2.0)]
    most = View.of(model, Style(), inputs).most
    assert most["tension"] == pytest.approx(5.0)
    assert most["force"] == pytest.approx(2.0)  # the ramp of the wrench at t = 1


def test_a_model_without_looks_cannot_be_drawn(model):
    from supple.compilation.scene import Scene

    bare = changed_model(model, scene=Scene((), (), (), ()))
    with pytest.raises(sp.PictureError, match="has nothing to draw"):
        View.of(bare, Style(), [state(bare)])
