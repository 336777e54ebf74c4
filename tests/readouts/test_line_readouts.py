"""Tensions, volumes and their derivatives."""

import numpy as np
import pytest

import supple as sp
from helpers import difference_jacobian, relative_error
from readout_cases import everything, random_case


def test_tensions_and_volumes_are_found_by_name():
    model, state = random_case(0)
    tensions = model.tensions(state.q, state.v, state.u)
    assert set(tensions) == {"pull", "band", "stay"}
    assert tensions["pull"] == state.u[model.input_names.index("pull")]
    assert tensions["band"] > 0.0
    volumes = model.volumes(state.q)
    assert set(volumes) == {"cell"}
    assert volumes["cell"] == pytest.approx(0.5 * 1.5e-4, rel=0.3)
    assert volumes["cell"] == model.line_lengths(state.q)["cell"]


@pytest.mark.parametrize("name", ["pull", "band", "stay", "cell"])
@pytest.mark.parametrize("seed", range(2))
def test_derivatives_agree_with_differences(name, seed):
    model, state = random_case(seed)
    exact = model.tension_derivatives(state.q, name, state.v, state.u)
    line = model.lines(state.q, state.v, state.u)[name]
    assert exact.tension == line.tension
    for argument in ("q", "v"):

        def tension(x, argument=argument):
            changed = {"q": state.q, "v": state.v} | {argument: x}
            return np.array([model.lines(**changed, u=state.u)[name].tension])

        reference = difference_jacobian(tension, getattr(state, argument), 1e-5)[0]
        assert relative_error(getattr(exact, f"d{argument}"), reference, 1.0) < 1e-6


def test_a_wrong_name_lists_those_there_are():
    model = everything()
    with pytest.raises(sp.ModelError, match="no line 'rope'; it has: pull, band, cell, stay"):
        model.tension_derivatives(model.rest, "rope")
