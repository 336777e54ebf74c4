"""Whom operations are about."""

import numpy as np
import pytest

import supple as sp
from bridge_cases import arm
from supple.bridges.subject import Subject


def test_a_model_has_no_parameters():
    model = arm()
    subject = Subject(model)
    assert subject.nominal is model
    assert subject.parameters == []
    assert subject.model([]) is model


@pytest.mark.parametrize("given", [None, "arm", np.zeros(3), sp.Robot("raw")])
def test_what_is_no_model_is_refused(given):
    with pytest.raises(sp.ModelError, match="must be a Model"):
        Subject(given)
