"""Elements, parts of arrays, nested arrays and loops in compiled code: the same as in Python, whatever the indices."""

import numpy as np
import pytest

from kernel_entry import entry
from supple.jit import inner, local_array

U = np.uint64

record_t = np.dtype([("count", "i8"), ("w", "f8", (3,)), ("M", "f8", (2, 3))], align=True)
_local = local_array(3, 4)


@inner
def _elements(x, y, z, i, j, out):
    """Signed, unsigned, fixed and negative indices of one, two and three dimensions."""
    u = U(1)
    out[0], out[1], out[2], out[3], out[4] = x[i], x[-1], x[j - 5], y[i, j], y[-1, j]
    out[5], out[6], out[7], out[8], out[9] = y[u, u], y[1, -2], y[i - 2, 0], z[1, i, j], z[-1, u, -1]


def test_elements():
    x, y, z, out = np.arange(5.0), np.arange(12.0).reshape(3, 4), np.arange(24.0).reshape(2, 3, 4), np.zeros(10)
    i, j = 1, 2
    entry(_elements)(x, y, z, i, j, out)
    expected = [x[1], x[4], x[2], y[1, 2], y[2, 2], y[1, 1], y[1, 2], y[2, 0], z[1, 1, 2], z[1, 1, 3]]
    assert out.tolist() == expected


@inner
def _parts(z, i, out):
    """Parts of an array are views, of which parts may be taken again."""
    y, row, last = z[i], z[-1, i], z[i][-1]
    row[0] = 100.0
    out[0], out[1], out[2] = y[1, 1], row[1], last[2]
    return y.shape[0] * 100 + y.shape[1] * 10 + row.shape[0]


def test_parts():
    z, out = np.arange(24.0).reshape(2, 3, 4), np.zeros(3)
    assert entry(_parts)(z, 1, out) == 344
    assert z[1, 1, 0] == 100.0
    assert out.tolist() == [17.0, 17.0, 22.0]


@inner
def _writes(x, y, flags, i):
    """Numbers of another type are converted, elements of local arrays are as any other."""
    x[i], x[-1] = 7, True
    y[i, -1] = 2.5
    y[U(0), U(1)] += x[i]
    flags[i] = 3.9
    local = _local()
    for k in range(3):
        for l in range(4):
            local[k, l] = 10 * k + l
    return local[2, 3] + local[-1, 0] + local[i, -2]


def test_writes():
    x, y, flags = np.zeros(3), np.zeros((2, 2)), np.zeros(3, dtype=np.int64)
    assert entry(_writes)(x, y, flags, 1) == 23.0 + 20.0 + 12.0
    assert x.tolist() == [0.0, 7.0, 1.0]
    assert y.tolist() == [[0.0, 7.0], [0.0, 2.5]]
    assert flags.tolist() == [0, 3, 0]


@inner
def _records(records, i):
    """Arrays within records: their elements, their parts, their shape."""
    r = records[i]
    r.w[-1] = 5.0
    r.M[1, i] += 1.0
    r.count += r.M.shape[0] * 10 + r.M.shape[1]
    row, total = r.M[1], 0.0
    for k in range(row.shape[0]):
        total += row[k] * r.w[k]
    return total


def test_nested_arrays_of_records():
    records = np.zeros(3, dtype=record_t)
    records["w"], records["M"] = [1.0, 2.0, 3.0], np.arange(6.0).reshape(2, 3)
    assert entry(_records)(records, 2) == 3.0 * 1.0 + 4.0 * 2.0 + 6.0 * 5.0
    assert records["w"].tolist() == [[1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [1.0, 2.0, 5.0]]
    assert records["M"][2].tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 6.0]]
    assert records["count"].tolist() == [0, 0, 23]


@inner
def _ranges(first, last, step, out):
    """Loops of all forms, of which the last has no rounds."""
    n = 0
    for i in range(last):
        out[n], n = i, n + 1
    for i in range(first, last):
        if i == 3:
            continue
        out[n], n = 100 + i, n + 1
        if i == 5:
            break
    for i in range(last, first, -step):
        out[n], n = 200 + i, n + 1
    for i in range(U(first), U(last), U(step)):
        out[n], n = 300 + i, n + 1
    for i in range(last, first):
        out[n], n = -1 - i, n + 1
    return n


@pytest.mark.parametrize(("first", "last", "step"), [(1, 7, 2), (0, 3, 1), (2, 2, 3), (0, 0, 1)])
def test_loops(first, last, step):
    out = np.zeros(60)
    expected = [*range(last)]
    expected += [100 + i for i in range(first, last) if i != 3 and i <= 5]
    expected += [200 + i for i in range(last, first, -step)]
    expected += [300 + i for i in range(first, last, step)]
    n = entry(_ranges)(first, last, step, out)
    assert out[:n].tolist() == expected


@inner
def _triangle(n):
    """A loop within a loop, whose range depends on the outer one."""
    total = 0
    for i in range(n):
        for j in range(i, n):
            total += 10 * i + j
    return total


def test_loops_within_loops():
    assert entry(_triangle)(6) == sum(10 * i + j for i in range(6) for j in range(i, 6))
