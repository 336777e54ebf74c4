"""Options of pictures: what is taken, what is refused, and colours."""

import pytest
from numpy.testing import assert_allclose

import supple as sp
from supple.viz.style import Style, faded, rgb


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"veiw": (0, 0)}, "there is no option 'veiw'; did you mean 'view'"),
        ({"view": (1, 2, 3)}, r"picture: view has shape \(3,\)"),
        ({"up": (0, 0, 0)}, "picture: up is zero"),
        ({"size": (1, -1)}, r"picture: size is \(1, -1\), must be a positive width and height"),
        ({"dpi": 0}, "picture: dpi is 0, must be positive"),
        ({"ground": 1}, "picture: ground is 1, must be True or False"),
        ({"title": 3}, "picture: title is 3, must be a text"),
    ],
)
def test_options_that_are_refused(options, message):
    with pytest.raises(sp.PictureError, match=message):
        Style.of(options)


def test_options_that_are_taken():
    style = Style.of({"view": (30, 10), "follow": None, "title": ""})
    assert (style.view, style.follow, style.title, style.ground) == ((30, 10), None, "", True)


def test_colours_fade_to_white():
    assert_allclose(rgb("#ff0000"), [1.0, 0.0, 0.0])
    assert_allclose(faded(rgb("#ff0000"), 0.25), [1.0, 0.25, 0.25])
    assert_allclose(faded(rgb("#123456"), 1.0), [1.0, 1.0, 1.0])
