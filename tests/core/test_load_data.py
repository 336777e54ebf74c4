"""Arrays of loads by name: what a kernel sees is what was declared."""

from typing import Annotated, NamedTuple

import numba
import numpy as np
import pytest

from supple.core.arrays import handle
from supple.core.load_data import Columns, Floats, Integers, Poses, array_kinds, load_view, parameters
from supple.core.records import pose_t
from supple.loads.contact.kernel import ContactData
from supple.loads.fluid.fluid import FluidData
from supple.loads.lines.spans import LinePathData
from supple.loads.spring import SpringData


class Sample(NamedTuple):
    places: Integers
    law: Annotated[Floats, Columns(stiffness="N/m", friction="")]
    frames: Poses


sample = load_view(Sample)


@numba.njit
def read(address):
    own = sample(address)
    return own.places[1, 0], own.law[0, 1], own.frames[1].p[2], own.calls[0], own.law.shape[1]


def test_a_kernel_sees_arrays_by_name():
    frames = np.zeros(2, pose_t)
    frames["p"][1, 2] = 7.0
    data = Sample(np.array([[3], [4]]), np.array([[1.0, 0.5]]), frames)
    table = handle((*data, np.array([11])))
    assert read(table.ctypes.data) == (4, 0.5, 7.0, 11, 2)


def test_kinds_and_parameters_are_those_declared():
    assert [kind.dimensions for kind in array_kinds(Sample).values()] == [2, 2, 1]
    assert parameters(Sample) == {"law": {"stiffness": "N/m", "friction": ""}}


@pytest.mark.parametrize(
    ("record", "array", "name", "unit"),
    [
        (ContactData, "law", "stiffness", "N/m^p"),
        (ContactData, "law", "friction", ""),
        (SpringData, "linear", "rest_length", "m"),
        (LinePathData, "elastic", "damping", "N s/m"),
        (FluidData, "current", "x", "m/s"),
    ],
)
def test_loads_declare_their_parameters(record, array, name, unit):
    assert parameters(record)[array][name] == unit
