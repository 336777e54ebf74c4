"""Compiled laws give what the laws themselves give."""

import math

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import supple as sp
from supple import laws
from supple.compilation.law_program import breaks_of, is_compilable, make_program
from supple.core.time_laws import DEPTH, evaluate_laws

K = 3  # entries of vectors
TIMES = st.lists(st.integers(-8, 8), min_size=2, max_size=6, unique=True).map(lambda t: [x / 4 for x in sorted(t)])
NUMBER = st.floats(-3.0, 3.0)
FREQUENCY = st.floats(-2.0, 2.0)


@numba.njit
def call(ops, numbers, t, values, rates, accelerations):
    evaluate_laws(ops, numbers, t, values, rates, accelerations)


def evaluate(program, t):
    """(3, rows): values, rates, accelerations."""
    out = np.full((3, program.rows), np.nan)
    call(program.ops, program.numbers, t, *out)
    return out


def expected(law, t, size):
    rows = (law(t), law.rate(t), law.acceleration(t))
    return np.array([np.broadcast_to(row, (size,)) for row in rows])


def value(size):
    return NUMBER if size == 1 else st.lists(NUMBER, min_size=size, max_size=size)


def atoms(size):
    samples = TIMES.flatmap(
        lambda times: st.tuples(st.just(times), st.lists(value(size), min_size=len(times), max_size=len(times)))
    )
    ends = st.sampled_from(["not-a-knot", "natural", "clamped"])
    span = st.tuples(st.floats(-2.0, 0.0), st.floats(0.1, 2.0))
    return st.one_of(
        value(size).map(laws.Constant),
        st.builds(lambda a, b, span: laws.Ramp(a, b, *span), value(size), value(size), span),
        st.builds(laws.Sine, value(size), FREQUENCY, value(size), value(size)),
        samples.map(lambda s: laws.Steps(*s)),
        st.builds(lambda s, ends: laws.Spline(*s, ends=ends), samples, ends),
        st.builds(lambda s, hold: laws.Table(*s, hold=hold), samples, st.booleans()),
        st.builds(laws.Polynomial, st.lists(value(size), min_size=1, max_size=6), st.floats(-2.0, 0.0)),
        st.builds(lambda c, s: laws.Polynomial(c, *s), st.lists(value(size), min_size=1, max_size=6), span),
    )


def nested(size):
    """Sums and products of atoms; numbers go with vectors."""
    leaves = atoms(1) if size == 1 else st.one_of(atoms(size), atoms(1))
    trees = st.recursive(
        leaves,
        lambda part: st.one_of(st.builds(laws.Sum, part, part), st.builds(laws.Product, part, part)),
        max_leaves=8,
    )
    return trees if size == 1 else st.builds(laws.Product, st.just(laws.Constant(np.ones(size))), trees)


def magnitude(law, t):
    """Sizes (value, rate, acceleration) of what is added and multiplied: rounding is small beside these."""
    if isinstance(law, (laws.Sum, laws.Product)):
        a, b = magnitude(law.a, t), magnitude(law.b, t)
        if isinstance(law, laws.Sum):
            return a + b
        return np.array([a[0] * b[0], a[1] * b[0] + a[0] * b[1], a[2] * b[0] + 2 * a[1] * b[1] + a[0] * b[2]])
    if isinstance(law, laws.Polynomial):
        x = abs(t) + 2.0
        c = np.abs(law.coefficients).reshape(len(law.coefficients), -1).max(axis=1)
        return np.array([sum(math.perm(i, d) * y * x ** max(i - d, 0) for i, y in enumerate(c)) for d in range(3)])
    if isinstance(law, laws.Spline):
        x = np.diff(law.times).max()
        c = np.abs(law.coefficients[::-1]).reshape(4, -1).max(axis=1)
        return np.array([sum(math.perm(i, d) * y * x ** max(i - d, 0) for i, y in enumerate(c)) for d in range(3)])
    if isinstance(law, laws.Sine):
        omega = 2 * math.pi * abs(law.frequency)
        a = np.max(np.abs(law.amplitude)) * (1.0 + omega * abs(t) + np.max(np.abs(law.phase)))
        return np.array([a + np.max(np.abs(law.offset)), a * omega, a * omega**2])
    if isinstance(law, laws.Ramp):
        return np.array([3.0, 6.0 / (law.t1 - law.t0), 0.0])
    if isinstance(law, laws.Table):
        return np.array([3.0, np.max(np.abs(law.slopes)), 0.0])
    return np.array([3.0, 0.0, 0.0])


@settings(max_examples=120, deadline=None)
@given(data=st.data())
def test_programs_equal_their_laws(data):
    sizes = data.draw(st.lists(st.sampled_from([1, K]), min_size=1, max_size=3))
    chosen = [data.draw(nested(size)) for size in sizes]
    program = make_program(chosen, sizes)
    assert program.rows == sum(sizes)
    breaks = breaks_of(chosen)
    moments = [data.draw(st.floats(-3.0, 3.0)), *breaks, *(t + 1e-9 for t in breaks)]
    for t in moments:
        got, first = evaluate(program, t), 0
        for law, size in zip(chosen, sizes, strict=True):
            error = np.abs(got[:, first : first + size] - expected(law, t, size))
            assert (error <= 1e-13 * magnitude(law, t)[:, None] + 1e-300).all()
            first += size


def test_derivatives_at_breaks_are_those_from_the_right():
    table = laws.Table([0.0, 1.0, 2.0], [0.0, 3.0, 1.0])
    program = make_program([table, laws.Steps([0.0, 1.0], [4.0, 5.0])], [1, 1])
    assert evaluate(program, 1.0) == pytest.approx(np.array([[3.0, 5.0], [-2.0, 0.0], [0.0, 0.0]]))
    assert evaluate(program, np.nextafter(1.0, 0.0))[1, 0] == 3.0
    assert evaluate(program, 2.0)[:, 0].tolist() == [1.0, 0.0, 0.0]
    assert evaluate(program, -1.0)[:, 0].tolist() == [0.0, 0.0, 0.0]


def test_one_sample_is_a_constant():
    program = make_program([laws.Steps([1.0], [7.0]), laws.Table([1.0], [[2.0, 3.0]])], [1, 2])
    for t in (0.0, 1.0, 2.0):
        assert evaluate(program, t).tolist() == [[7.0, 2.0, 3.0], [0.0] * 3, [0.0] * 3]


def test_long_sums_fit_however_they_are_nested():
    parts = [laws.Polynomial([i, i**2]) for i in range(200)]
    left, right, level = parts[0], parts[0], list(parts)
    for part in parts[1:]:
        left, right = left + part, part + right
    while len(level) > 1:
        level = [a + b for a, b in zip(level[::2], level[1::2], strict=False)] + level[len(level) // 2 * 2 :]
    program = make_program([left, right, level[0]], [1, 1, 1])
    total, slope = 199 * 200 / 2, 199 * 200 * 399 / 6
    assert np.allclose(evaluate(program, 2.0), np.array([[total + 2 * slope], [slope], [0.0]]), rtol=1e-14)


def test_nesting_beyond_the_stack_is_refused():
    law = laws.Constant(1.0)
    for _ in range(DEPTH - 1):
        law = law * law
    assert evaluate(make_program([law], [1]), 0.0)[0, 0] == 1.0
    with pytest.raises(sp.ModelError, match="law 0: sums and products are nested too deeply"):
        make_program([law * law], [1])


def test_no_laws_make_an_empty_program():
    program = make_program([], [])
    assert (program.ops.shape, program.numbers.shape, program.rows) == ((0, 4), (0,), 0)
    assert evaluate(program, 0.0).shape == (3, 0)


def test_components_share_the_times_of_a_table():
    law = laws.Steps(np.arange(100.0), np.ones((100, K)))
    assert len(make_program([law * law], [K]).numbers) == 100 + 2 * K * (4 * 99 + 1)


class Mine(laws.Constant):
    def __call__(self, t):
        return t


@pytest.mark.parametrize("law", [math.sin, lambda t: t, Mine(1.0), laws.Sine(1.0, 1.0) + Mine(1.0), 2.0, None])
def test_foreign_laws_are_not_compilable(law):
    assert not is_compilable(law)
    with pytest.raises(sp.ModelError, match=r"Drive 'motor': .*cannot be evaluated in compiled loops"):
        make_program([laws.Constant(0.0), law], [1, 1], ["Other", "Drive 'motor'"])


@pytest.mark.parametrize(
    ("law", "size"),
    [
        (laws.Constant(1.0), 3),
        (laws.Sine([1.0, 2.0], 1.0), 3),
        (laws.Sine([1.0, 2.0], 1.0), 1),
        (laws.Steps([0.0], np.ones((1, 3, 3))), 9),
    ],
)
def test_wrong_sizes_are_named(law, size):
    assert is_compilable(law)
    with pytest.raises(sp.ModelError, match=rf"law 0: .* has values of shape .*, must give {size} numbers"):
        make_program([law], [size])


def test_breaks_of_all_laws():
    chosen = [laws.Ramp(0, 1, 0.5, 1.0), math.sin, laws.Steps([0.0, 0.5], [0, 1]), laws.Sine(1.0, 1.0)]
    assert breaks_of(chosen) == (0.0, 0.5, 1.0)
    assert breaks_of([]) == ()
