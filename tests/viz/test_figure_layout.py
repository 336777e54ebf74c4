"""Figures: names of files, sizes, undistorted axes."""

import pytest

import supple as sp
from supple.viz.display import new_figure
from supple.viz.layout import bare_axes, figure_of, figure_size, frame_axes, length_text
from supple.viz.paths import checked_path
from supple.viz.style import Style
from supple.viz.view import State, View


@pytest.fixture(scope="module")
def view(model):
    return View.of(model, Style(), [State(model.rest, None, None, 0.0)])


@pytest.mark.parametrize(
    ("path", "message"),
    [
        (3, "path is 3, must be the name of a file"),
        ("a.txt", "cannot save a picture as 'a.txt': its name must end in one of png, svg"),
    ],
)
def test_names_that_no_picture_has(path, message):
    with pytest.raises(sp.PictureError, match=message):
        checked_path(path, "a picture", {"png", "svg"})


def test_names_that_pictures_have(tmp_path):
    assert checked_path(tmp_path / "arm.PNG", "a picture", {"png"}) == tmp_path / "arm.PNG"


def test_axes_show_all_of_a_view_undistorted(view):
    figure = new_figure((6.0, 4.0), 100.0)
    ax = bare_axes(figure, (0.0, 0.0, 1.0, 1.0))
    window = frame_axes(ax, view, Style())
    assert window.width / window.height == pytest.approx(6.0 / 4.0)
    assert window.left <= view.window.left
    assert window.top >= view.window.top
    assert figure_of(ax) is figure


def test_what_is_no_axes_is_refused(view):
    with pytest.raises(sp.PictureError, match="ax is 3, must be axes"):
        figure_of(3)
    flat = new_figure((4.0, 4.0), 50.0).add_subplot(projection="3d")
    with pytest.raises(sp.PictureError, match="ax is a 3D one, must be plain axes"):
        frame_axes(flat, view, Style())


def test_sizes_follow_what_is_shown(view):
    width, height = figure_size(view, Style())
    assert 3.4 <= width <= 7.0
    assert height > figure_size(view, Style(scale=False, title=""))[1]


@pytest.mark.parametrize(("length", "text"), [(2.0, "2 m"), (0.05, "50 mm"), (0.002, "2 mm")])
def test_lengths_are_told_in_fitting_units(length, text):
    assert length_text(length) == text
