"""Fingerprints: the same content the same digest, anything else another one, in every process."""

import functools
import os
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path

import numba
import numpy as np
import pytest

import supple as sp
from supple.fingerprint import fingerprint


def digest(*values):
    return fingerprint(*values).digest


class Gain:
    def __init__(self, k):
        self.k = k

    def __call__(self, t):
        return self.k * t

    def method(self, t):
        return self.k + t


@dataclass
class Setting:
    k: float
    names: tuple = ("a",)


def scaled(k, t):
    return k * t


K = 1.0


def with_global(t):
    return K * t


def with_closure(k):
    return lambda t: k * np.sin(t)


def with_inner(k):
    def law(t):
        def inner(x):
            return k * x

        return inner(t)

    return law


def with_default(k):
    def law(t, gain=k, *, offset=0.0):
        return gain * t + offset

    return law


def of_class(k):
    class Law:
        gain = k

        def __call__(self, t):
            return self.gain * t

    return Law()


#: Values that depend on one number.
MADE = {
    "float": float,
    "array": lambda k: np.array([0.0, k, 1e-9]),
    "records": lambda k: np.array([(1, k)], dtype=[("a", "i1"), ("b", "f8")]),
    "objects": lambda k: np.array([k, "text", None], dtype=object),
    "list": lambda k: [1, "a", (k,)],
    "dict": lambda k: {"a": 1, "b": k},
    "set": lambda k: {1, "a", k},
    "dataclass": Setting,
    "object": Gain,
    "bound method": lambda k: Gain(k).method,
    "class": lambda k: type(of_class(k)),
    "object of a class": of_class,
    "partial": lambda k: functools.partial(scaled, k),
    "closure": with_closure,
    "inner function": with_inner,
    "default": with_default,
    "compiled": lambda k: numba.njit(with_closure(k)),
    "law": lambda k: sp.laws.Ramp(0.0, k, 0.0, 2.0) * sp.laws.Sine(0.3, 1.5),
    "table": lambda k: sp.laws.Table([0.0, 1.0, 2.0], [0.0, k, 3.0]),
    "random": lambda k: np.random.default_rng(int(10 * k)),
    "spline": lambda k: __import__("scipy.interpolate").interpolate.CubicSpline([0, 1, 2, 3], [0, k, 2, 1]),
    "complex": lambda k: 1j * k,
    "model": lambda k: bob(k),
}


def bob(mass):
    robot = sp.Robot("bob")
    robot.add_link("bob", sp.Rigid(mass, (0.1, 0.1, 0.1)), joint=sp.Revolute("y"))
    return robot.compile()


@pytest.mark.parametrize("kind", MADE)
def test_content_counts_and_identity_does_not(kind):
    make = MADE[kind]
    assert digest(make(1.0)) == digest(make(1.0))
    assert digest(make(1.0)) != digest(make(1.5))
    assert fingerprint(make(1.0)).unknown == ()


def test_code_and_globals_count(monkeypatch):
    assert digest(lambda t: t + 1) != digest(lambda t: t - 1)
    assert digest(lambda t: t + 1) != digest(lambda t: t + 2)
    assert digest(lambda t: np.sin(t)) != digest(lambda t: np.cos(t))
    before = digest(with_global)
    monkeypatch.setitem(globals(), "K", 2.0)
    assert digest(with_global) != before


def test_attributes_of_own_modules_count(tmp_path, monkeypatch):
    (tmp_path / "settings_of_mine.py").write_text("gain = 1.0\n")
    monkeypatch.syspath_prepend(tmp_path)
    import settings_of_mine

    def law(t):
        return settings_of_mine.gain * t

    before = digest(law)
    settings_of_mine.gain = 2.0
    assert digest(law) != before


def test_rounding_of_another_processor_does_not_count():
    x = np.random.default_rng(0).standard_normal((20, 20))
    assert digest(x) == digest(np.nextafter(x, 9.0))
    assert digest(x) != digest(x * (1.0 + 1e-8))
    assert digest(np.array([1.0, 1e-17, 0.0])) == digest(np.array([1.0, -1e-17, -0.0]))
    assert digest(np.array([1e5, 1e-7])) != digest(np.array([1e5, 2e-7]))
    assert digest(0.1 + 0.2) == digest(0.3)
    assert digest(np.nan, np.inf) == digest(-np.nan, np.inf) != digest(np.nan, -np.inf)


def test_what_is_told_apart_exactly():
    pairs = (1.0, 1.0 + 1e-15), ([2.0, 1e-20], [2.0, 0.0]), (np.array([1e9, 1e-9]), np.array([1e9, 2e-9]))
    for a, b in (*pairs, (1.0 + 2e-12j, 1.0 + 1e-12j), (np.array([1.0 + 1e-12j]), np.array([1.0]))):
        assert fingerprint(a, exact=True) != fingerprint(b, exact=True)
        assert fingerprint(a, exact=True) == fingerprint(a, exact=True)
    assert fingerprint(10**6000) != fingerprint(10**6000 + 1)  # longer than what Python prints


def test_what_a_law_remembers_is_no_content():
    law = sp.laws.Spline([0.0, 1.0, 2.0], [0.0, 1.0, 0.0])
    before = digest(law)
    law(0.5)
    assert digest(law) == before


def test_what_holds_itself_ends():
    values = [1.0]
    values.append(values)
    other = [1.0]
    other.append(other)
    assert digest(values) == digest(other)

    def even(n):
        return n == 0 or odd(n - 1)

    def odd(n):
        return n != 0 and even(n - 1)

    assert digest(even) != digest(odd)


def test_what_cannot_be_looked_into_is_told():
    with open(os.devnull) as file:
        found = fingerprint([1.0, file, (x for x in "a")])
    assert found.unknown == ("an object of type TextIOWrapper", "an object of type generator")


def test_functions_of_packages_are_known_by_name():
    """Their code changes with every version, and is not the user's."""
    assert digest(np.cross) != digest(np.outer)
    assert digest(sp.pose) != digest(sp.Robot)
    assert digest(np.sin) != digest(np.cos)


def test_the_same_in_another_process(tmp_path):
    """With another seed of hashes, as a script instead of a module."""
    names = [name for name in MADE if name != "model"]
    script = textwrap.dedent(f"""
        import test_fingerprint
        print({{name: test_fingerprint.digest(test_fingerprint.MADE[name](1.0)) for name in {names!r}}})
    """)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path]), "PYTHONHASHSEED": "7"}
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=env)
    assert eval(told.stdout) == {name: digest(MADE[name](1.0)) for name in names}
