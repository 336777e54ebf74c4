"""Functions along rods as tables: exact where they were asked, cubic in between."""

import numpy as np
import pytest

import supple as sp
from supple.files.samples import RecordedCurve, Recorder, Samples


def test_samples_are_exact_where_given_and_cubic_between():
    at = np.sort(np.random.default_rng(0).uniform(size=20))
    table = Samples(at, at**3 - at)
    for x in at.tolist():
        assert table(x) == x**3 - x
    for x in (0.0, 0.33, 1.0):
        assert table(x) == pytest.approx(x**3 - x, abs=1e-10)
    pairs = Samples([0.0, 1.0], [[0.0, 1.0], [2.0, 3.0]])
    np.testing.assert_allclose(pairs(0.25), (0.5, 1.5))
    assert Samples([0.5], [3.0])(0.1) == 3.0


@pytest.mark.parametrize("given", [([], []), ([0.0, 0.0], [1.0, 1.0]), ([0.0, 1.0], [1.0]), ([0.0], [np.nan])])
def test_tables_that_are_none_are_refused(given):
    with pytest.raises(sp.ModelError, match="Samples"):
        Samples(*given)


def test_recorders_remember():
    recorder = Recorder(lambda s: (s, 2.0 * s))
    assert [recorder(0.5), recorder(0.25)] == [(0.5, 1.0), (0.25, 0.5)]
    np.testing.assert_array_equal(recorder.samples().at, (0.25, 0.5))
    np.testing.assert_array_equal(recorder.samples().values, ((0.25, 0.5), (0.5, 1.0)))
    curve = sp.rest.curve([(0.0, 0.0, 0.0), (0.5, 0.1, 0.0), (1.0, 0.0, 0.2), (1.2, 0.3, 0.4)])
    recorded = RecordedCurve(curve)
    stations = np.array([0.2, 0.7])
    np.testing.assert_array_equal(recorded(stations), curve(stations))
    np.testing.assert_array_equal(recorded.samples()(0.7), curve(stations)[1])
