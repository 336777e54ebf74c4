"""Sets of equilibria: sequences that print as tables, select what is stable, and show shapes."""

import pickle

import numpy as np
import pytest

import supple as sp
from equilibrium_cases import EULER, truss


@pytest.fixture(scope="module")
def found():
    robot = sp.Robot("column", gravity=(0.0, 0.0, 0.0))
    section = sp.Section(np.ones(6), [1e-3, 1e-3, 1e-3, 1.0, 1.0, 1.0])
    robot.add_link("rod", sp.Rod(1.0, section, strain=sp.Legendre(bend_z=4), points=8))
    robot.add(sp.PointWrench("rod", [0.0, 0.0, 0.0, -1.5 * EULER, 0.0, 0.0]))
    return robot.compile().statics_all(starts=12)


def test_it_is_a_sequence(found):
    assert len(found) == 3
    assert found[0] is next(iter(found))
    assert found[-1].stable is False
    assert found[:2] == found.equilibria[:2]
    assert found.q.shape == (3, found.model.n)
    assert found[1] in found


def test_what_is_stable(found):
    stable = found.stable
    assert len(stable) == 2
    assert stable.energies.tolist() == found.energies[:2].tolist()
    assert all(each.stable for each in stable)


def test_it_prints_as_a_table(found):
    lines = repr(found).splitlines()
    assert lines[0] == "<EquilibriumSet of 'column': 3 equilibria, 2 of them stable, ended after 12 starts>"
    assert lines[1].split() == ["energy", "[J]", "above", "stability", "met", "residual"]
    assert lines[2].split()[:4] == ["0", f"{found.energies[0]:.6g}", "0", "stable"]
    assert "unstable: 1 direction" in lines[4]


def test_it_shows_shapes(found, tmp_path):
    figure = found.plot(tmp_path / "shapes.png")
    words = [text.get_text() for ax in figure.axes for text in ax.texts]
    assert sum("J, stable" in word for word in words) == 2
    assert sum("unstable: 1 direction" in word for word in words) == 1
    assert (tmp_path / "shapes.png").stat().st_size > 10_000


def test_an_empty_one_shows_nothing(found):
    none = truss(0.4, 0.0, "z").statics_all(starts=1)
    empty = type(none)((), np.zeros(0), np.zeros(0, int), 1, True, True, "ended", none.model)
    with pytest.raises(sp.PictureError, match="0 states"):
        empty.plot()


def test_it_can_be_pickled(found):
    again = pickle.loads(pickle.dumps(found))
    assert np.array_equal(again.q, found.q)
    assert repr(again) == repr(found)
