"""Tables of arrays inside compiled code, seen as views: by the address of a table, and by the table itself."""

from collections import namedtuple

import numba
import numpy as np

from supple.core.arrays import handle
from supple.core.records import pose_t
from supple.core.views import View, array_of, viewing, viewing_handles

Things = namedtuple("Things", ("counts", "matrix", "cube", "poses"))
KINDS = {
    "poses": array_of(pose_t, 1),  # in another order than the fields of the tuple
    "counts": array_of(np.int64, 1),
    "matrix": array_of(np.float64, 2),
    "cube": array_of(np.float64, 3),
}
KIND = View("things", {field: KINDS[field] for field in Things._fields})
view_at, things_at = viewing(KIND), viewing_handles(KIND)


@numba.njit
def by_address(table):
    things = view_at(table.ctypes.data)
    things.matrix[1, 2] = -1.0
    return things.counts[1], things.cube[1, 2, 3], things.poses[1].p[2], things.matrix.shape[0] * things.cube.shape[2]


@numba.njit
def by_table(table):
    things = things_at(table)
    things.matrix[0, 1] = -2.0
    return things.counts[1], things.cube[1, 2, 3], things.poses[1].p[2], things.matrix.shape[0] * things.cube.shape[2]


def arrays():
    poses = np.zeros(2, pose_t)
    poses["p"][1, 2] = 0.5
    return Things(np.array([3, 4]), np.arange(6.0).reshape(2, 3), np.arange(24.0).reshape(2, 3, 4), poses)


def test_both_see_the_same_arrays():
    things = arrays()
    table = handle(things)
    assert by_address(table) == (4, 23.0, 0.5, 8)
    assert by_table(table) == (4, 23.0, 0.5, 8)


def test_they_are_the_arrays_themselves():
    things = arrays()
    table = handle(things)
    by_address(table)
    by_table(table)
    assert things.matrix.tolist() == [[0.0, -2.0, 2.0], [3.0, 4.0, -1.0]]


def test_another_call_sees_what_became_of_the_table():
    things, others = arrays(), arrays()._replace(counts=np.array([5, 6, 7]))
    table = handle(things)
    assert by_table(table)[0] == 4
    table[:] = handle(others)
    assert by_table(table)[0] == by_address(table)[0] == 6
