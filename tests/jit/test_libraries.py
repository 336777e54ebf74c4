"""What becomes of functions inside kernels: inlined, or by themselves; short, or fast."""

import re

import numpy as np
import pytest

from supple.jit import Work, inner, kernel, outlined
from supple.jit.mode import in_use

pytestmark = pytest.mark.skipif(in_use()[0] != "fast", reason="plain Numba takes no notice")


def _add_squares(x, out):
    for i in range(np.uint64(x.shape[0])):  # unsigned indices vectorise, see linalg.products
        out[i] += x[i] * x[i]


by_itself, anywhere = outlined(_add_squares), inner(_add_squares)


def code(add, work):
    """LLVM's code of a kernel that calls a function twice, and has given the right numbers."""

    def twice(x, out):  # kernels that know another function are not kept: it is compiled now
        add(x, out)
        add(x, out)

    compiled, out = kernel(twice, work), np.zeros(9)
    compiled(np.arange(9.0), out)
    assert np.array_equal(out, 2.0 * np.arange(9.0) ** 2)
    (text,) = compiled.inspect_llvm().values()
    return text


@pytest.mark.parametrize("work", list(Work))
def test_outlined_functions_stay_by_themselves_and_are_fast(work):
    text = code(by_itself, work)
    assert len(re.findall(r"define .*_add_squares", text)) == 1
    assert re.search(r"<\d+ x double>", text)


def test_all_else_is_short_where_little_is_computed():
    assert re.search(r"<\d+ x double>", code(anywhere, Work.LOOPS))
    assert not re.search(r"<\d+ x double>", code(anywhere, Work.BOOKKEEPING))
