"""Plans: instructions follow from operations alone, numbers are filled in."""

import numpy as np

from supple.tracing import operations as op
from supple.tracing.plan import ENDS, REGISTERS, STATIONS, make_plan
from supple.tracing.program import trace
from supple.tracing.schedule import CALL, TIMES, TIMES_STEADY
from supple.tracing.terms import K_ONE, UNIT, Terms

X = np.array([(x, y, z) for x in (0.1, 0.2, 0.3) for y in (-0.1, 0.2, 0.4, 0.5) for z in (0.3, 0.7)])


def swelling(a, b):
    def f(x, q):
        s = x[0] / a
        return np.stack([x[0] + b * q[0] * s, x[1] * (1.0 + a * np.sin(b * q[1] * s)), x[2] * np.exp(q[0] * q[1] * a)])

    return f


def test_instructions_do_not_depend_on_parameters():
    """Designs difference the numbers of plans of one function."""
    first, second = (make_plan(trace(swelling(a, b), 2, 3, (3,), "f"), X, 2, 8) for a, b in ((0.3, 0.7), (1.1, 2.3)))
    for name in ("sizes", "code", "outputs", "station_of"):
        assert np.array_equal(getattr(first, name), getattr(second, name))
    assert not np.array_equal(first.constants, second.constants)


def test_what_places_share_is_done_per_station():
    plan = make_plan(trace(swelling(0.3, 0.7), 2, 3, (3,), "f"), X, 2, 8)
    assert plan.sizes[0, STATIONS] == 8  # three, filled up to lanes
    calls = [int(np.searchsorted(plan.sizes[0, ENDS:], i, "right")) for i in np.flatnonzero(plan.code[:, 0] == CALL)]
    assert sorted(calls) == [0, 2]  # exp of coordinates alone, sin of station and coordinates
    assert make_plan(trace(swelling(0.3, 0.7), 2, 3, (3,), "f"), X, 2).sizes[0, STATIONS] == 0


def test_constants_are_drawn_out_of_products():
    """A polynomial at the nodes of a rule has powers once."""

    def f(x, q):
        value = sum(w * np.cos(q[0] * (x[0] * s) ** 2) for s, w in ((0.1, 0.2), (0.4, 0.3), (0.7, 0.4)))
        return np.stack([value * x[0], x[1], x[2]])

    plan = make_plan(trace(f, 1, 3, (3,), "f"), X, 1)
    values = plan.code[: plan.sizes[0, ENDS + 4]]
    products = np.isin(values[:, 0], (TIMES, TIMES_STEADY)).sum()
    assert products == 2  # q x^2, and the sum times x


def test_registers_are_taken_again():
    def f(x, q):
        y = q[0]
        for _ in range(200):
            y = np.sin(y * x[0])
        return np.stack([y, x[1], x[2]])

    plan = make_plan(trace(f, 1, 3, (3,), "f"), X, 1, 8)
    forward = plan.code[: plan.sizes[0, ENDS + 5]]
    assert len(forward) > 400
    assert plan.sizes[0, REGISTERS] < len(plan.code) / 2


def test_terms_know_what_is_the_same():
    terms = Terms()
    q, p, c = terms.coordinate(0), terms.coordinate(1), terms.given(0)
    assert terms.multiply(terms.multiply(c, q), p)[1] == terms.multiply(p, q)[1]
    assert terms.add(q, terms.scaled(-1.0, q)) is None
    assert terms.add(terms.scaled(-1.0, q), terms.scaled(-1.0, p)) == (terms.literal(-1.0), terms.add(q, p)[1])
    cosine = terms.function(op.COS, q, -1)
    sine = terms.function(op.SIN, q, -1)
    assert terms.arguments(cosine[1]) == {q[1]: terms.scaled(-1.0, sine)}
    assert terms.arguments(terms.multiply(q, q)[1]) == {q[1]: terms.scaled(2.0, q)}
    assert terms.plain((K_ONE, UNIT)) == UNIT


def test_wide_layers_are_differentiated_forward():
    """Pairs of nodes of a layer are many; coordinates are few."""
    rng = np.random.default_rng(0)
    A, B, C = rng.standard_normal((20, 5)), rng.standard_normal((20, 20)), rng.standard_normal((3, 20))
    outputs = trace(lambda x, q: C @ np.tanh(B @ np.tanh(A @ np.concatenate([x, q]))), 2, 3, (3,), "f")
    plan = make_plan(outputs, X, 2, 8)
    sections = np.diff([0, *plan.sizes[0, ENDS:]])
    assert sections[4] > 400
    assert sections[5] < 3 * sections[4]
    assert sections[6] < 3 * sections[4]
