"""Names of `supple` come when they are used; whoever does not use them does not wait for them."""

import subprocess
import sys

import pytest

import supple
from supple import everything


def run(program):
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()


def test_importing_supple_loads_nothing_that_computes():
    heavy = {"numpy", "numba", "scipy", "rich", "typer"}
    assert run(f"import sys, supple; print(*{heavy} & set(sys.modules))") == []


def test_every_name_is_there_and_listed():
    assert supple.__all__ == everything.__all__
    assert set(everything.__all__) <= set(dir(supple))
    for name in everything.__all__:
        assert getattr(supple, name) is getattr(everything, name)


def test_no_name_is_forgotten():
    imported = {name for name in vars(everything) if not name.startswith("_")}
    assert imported == set(everything.__all__)


@pytest.mark.parametrize(
    "program",
    [
        "import supple as sp; print(sp.Rod.__name__)",
        "from supple import Rod; print(Rod.__name__)",
        "from supple import *; print(Rod.__name__)",
        "import supple; print(supple.robot.bodies.Rod.__name__)",
        "import pickle, supple; print(pickle.loads(pickle.dumps(supple.Rod)).__name__)",
    ],
)
def test_names_come_in_every_way_of_importing(program):
    assert run(program) == ["Rod"]


def test_a_name_that_is_not_there_is_an_attribute_error_that_tools_understand():
    assert not hasattr(supple, "__wrapped__")
    with pytest.raises(AttributeError, match="module 'supple' has no attribute 'rod'") as caught:
        supple.rod  # noqa: B018
    assert (caught.value.name, caught.value.obj) == ("rod", supple)  # from which Python suggests `Rod`
