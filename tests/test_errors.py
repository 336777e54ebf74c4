"""Error types, and the prefix that names the culprit."""

import pytest

from supple import errors
from supple.errors import ConvergenceError, ModelError, SuppleError, naming


@pytest.mark.parametrize(
    ("name", "builtin"),
    [
        ("ModelError", ValueError),
        ("ShapeError", ValueError),
        ("StateError", ValueError),
        ("ConvergenceError", RuntimeError),
        ("SingularError", RuntimeError),
        ("MissingExtraError", ImportError),
        ("PictureError", ValueError),
    ],
)
def test_every_error_is_a_supple_error_and_a_builtin_one(name, builtin):
    kind = getattr(errors, name)
    assert issubclass(kind, SuppleError)
    assert issubclass(kind, builtin)


def test_naming_prefixes_the_message_and_nests():
    expected = r"^robot 'r': link 'arm': radius is bad$"
    with pytest.raises(ModelError, match=expected), naming("robot 'r'"), naming("link 'arm'"):
        raise ModelError("radius is bad")


def test_naming_keeps_type_and_attributes():
    error = ConvergenceError("stopped", 12)
    error.iterations = 12
    with pytest.raises(ConvergenceError) as caught, naming("t = 0.1 s"):
        raise error
    assert caught.value is error
    assert caught.value.args == ("t = 0.1 s: stopped", 12)
    assert caught.value.iterations == 12


def test_naming_copes_with_an_empty_message():
    with pytest.raises(ModelError, match=r"^link 'a': $"), naming("link 'a'"):
        raise ModelError


def test_naming_leaves_other_errors_alone():
    with pytest.raises(KeyError) as caught, naming("link 'arm'"):
        raise KeyError("x")
    assert caught.value.args == ("x",)
