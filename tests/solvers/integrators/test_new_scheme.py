"""A new scheme is one file: it runs from Python and by name, reaches its order, compiles nothing."""

import importlib
import os
import sys

import numpy as np
import pytest

import supple as sp
from command import SOURCES, error_of, process
from motions import four_bar, free_body, pendulum, slope, soft_arm, stepped, wheel
from supple.jit import cache
from supple.solvers.integrators import method
from supple.solvers.integrators.method import methods

SDIRK3 = '''
"""Alexander's diagonally implicit scheme of three stages and third order; L-stable."""

from dataclasses import dataclass

from supple.solvers.integrators.formula import Formula, diagonally_implicit
from supple.solvers.integrators.implicit import FixedStep

#: Root of g^3 - 3 g^2 + 3 g / 2 - 1 / 6.
G = 0.43586652150845899942
B1, B2 = -(6.0 * G**2 - 16.0 * G + 1.0) / 4.0, (6.0 * G**2 - 20.0 * G + 5.0) / 4.0


@dataclass(frozen=True)
class SDIRK3(FixedStep, name="sdirk3"):
    """Third order, damps everything fast.  Options as for `ImplicitEuler`."""

    order = 3

    def formula(self, past: tuple[float, ...]) -> Formula:
        """Its tableau, whose last row is the step."""
        return diagonally_implicit([[G, 0.0, 0.0], [(1.0 - G) / 2.0, G, 0.0], [B1, B2, G]])
'''

BDF3 = '''
"""The backward formula of third order, on points that need not be equally far apart."""

from dataclasses import dataclass

import numpy as np

from supple.solvers.integrators.formula import Formula, Known, Stage
from supple.solvers.integrators.implicit import FixedStep


@dataclass(frozen=True)
class BDF3(FixedStep, name="bdf3"):
    """Third order, two points behind, started by SDIRK2.  Options as for `ImplicitEuler`."""

    order = 3
    behind = 2
    starter = True

    def formula(self, past: tuple[float, ...]) -> Formula:
        """h y' of the cubic through the new point, the present one and two behind; for v from q and a from v."""
        known = Known()
        points = (known.now, *known.behind[: self.behind])
        c = _slope_weights(np.array([1.0, 0.0, *(-x for x in past)]))
        v = c[0] * known.new.q + sum(w * point.q for w, point in zip(c[1:], points, strict=True))
        a = c[0] * v + sum(w * point.v for w, point in zip(c[1:], points, strict=True))
        return Formula([Stage(v, a, guess=known.now.q + known.now.v)])


def _slope_weights(times: np.ndarray) -> np.ndarray:
    """Weights of the slope at times[0] of the polynomial through all points: exact for all powers of t - times[0]."""
    powers = np.arange(len(times))[:, None]
    return np.linalg.solve((times - times[0]) ** powers, np.eye(len(times))[1])
'''

SCHEMES = {"sdirk3": SDIRK3, "bdf3": BDF3}
TIGHT = sp.DOP853(rtol=1e-12, atol=1e-13)
#: Ratios of consecutive steps.
RATIOS = np.array([1.0, 1.5, 0.7, 2.0])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """An installed package with two schemes: one file each, and a line each that says where they are."""
    folder = tmp_path_factory.mktemp("site")
    package, metadata = folder / "own_schemes", folder / "own_schemes-1.0.dist-info"
    package.mkdir()
    metadata.mkdir()
    (package / "__init__.py").write_text("")
    for name, source in SCHEMES.items():
        (package / f"{name}.py").write_text(source.lstrip())
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: own-schemes\nVersion: 1.0\n")
    lines = "\n".join(f"{name} = own_schemes.{name}" for name in SCHEMES)
    (metadata / "entry_points.txt").write_text(f"[supple.methods]\n{lines}\n")
    return folder


@pytest.fixture(scope="module")
def schemes(folder):
    sys.path.insert(0, str(folder))
    known = dict(method._register)
    yield {name: getattr(importlib.import_module(f"own_schemes.{name}"), name.upper()) for name in SCHEMES}
    method._register.clear()  # messages elsewhere list all that are known
    method._register.update(known)
    sys.path.remove(str(folder))


def test_they_are_short():
    assert max(len(source.splitlines()) for source in SCHEMES.values()) < 60


def test_a_scheme_registers_under_its_name(schemes):
    for name, kind in schemes.items():
        assert methods()[name] is kind
        assert repr(kind(dt=0.1)).startswith(f"{name.upper()}(dt=0.1")


def end_errors(model, start, make, sizes, end, reference):
    """Largest errors of q and v at the end of motions of several steps."""
    runs = [model.simulate([0.0, end], *start, method=make(h), progress=False) for h in sizes]
    return [np.abs(np.concatenate([r.q[-1] - reference.q[-1], r.v[-1] - reference.v[-1]])).max() for r in runs]


@pytest.mark.parametrize("name", SCHEMES)
def test_order_on_a_pendulum(schemes, name):
    model, sizes = pendulum(), (0.02, 0.01, 0.005)
    reference = model.simulate([0.0, 1.0], [0.3], method=TIGHT)
    errors = end_errors(model, ([0.3],), lambda h: schemes[name](dt=h), sizes, 1.0, reference)
    assert slope(sizes, errors) == pytest.approx(3.0, abs=0.1)


@pytest.mark.parametrize("name", SCHEMES)
def test_order_where_charts_are_recentred(schemes, name):
    model, sizes, v0 = free_body(), (0.02, 0.01, 0.005), [3.0, 2.0, 1.0, 0.1, 0.2, 0.3]
    reference = model.simulate([0.0, 2.0], None, v0, method=TIGHT)
    errors = end_errors(model, (None, v0), lambda h: schemes[name](dt=h), sizes, 2.0, reference)
    assert slope(sizes, errors) == pytest.approx(3.0, abs=0.25)
    assert model.simulate(2.0, None, v0, method=schemes[name](dt=0.01)).stats["recentred"] > 0


@pytest.mark.parametrize("name", SCHEMES)
def test_order_where_steps_vary(schemes, name):
    model, errors, sizes = pendulum(), [], (1.0, 0.5, 0.25)
    reference = model.simulate([0.0, 1.0], [0.3], method=TIGHT)
    for size in sizes:
        steps = np.tile(RATIOS, int(25 / size))
        row = stepped(model, schemes[name](dt=1.0), steps / steps.sum(), [0.3])[-1]
        errors.append(np.abs(row[:2] - [reference.q[-1, 0], reference.v[-1, 0]]).max())
    assert slope(sizes, errors) == pytest.approx(3.0, abs=0.1)


@pytest.mark.parametrize("name", SCHEMES)
def test_a_loop_robot(schemes, name):
    """Position and velocity of the loop hold; a backward formula keeps its order, stages cost one."""
    model, q0 = four_bar()
    sizes, end = (2e-3, 1e-3, 5e-4), 0.3
    reference = model.simulate([0.0, end], q0, method=TIGHT)
    errors = end_errors(model, (q0,), lambda h: schemes[name](dt=h), sizes, end, reference)
    assert slope(sizes, errors) > (1.8 if name == "sdirk3" else 2.7)
    motion = model.simulate([0.0, end], q0, method=schemes[name](dt=2e-3))
    assert motion.constraint_error().max() < 1e-10


@pytest.mark.parametrize("name", SCHEMES)
def test_further_states(schemes, name):
    """A state that follows the wheel: z' = q - z, and a torque that follows the state."""
    controller = sp.Controller([0.2], lambda t, q, v, z: [q[0] - z[0]], lambda t, q, v, z: [5 * (1 - z[0]) - 2 * v[0]])
    model, sizes, errors = wheel(controller), (0.02, 0.01, 0.005), []
    exact = model.simulate([0.0, 1.0], [0.1], method=TIGHT)
    for h in sizes:
        motion = model.simulate([0.0, 1.0], [0.1], method=schemes[name](dt=h))
        errors.append(abs(motion.z[-1, 0] - exact.z[-1, 0]))
    assert slope(sizes, errors) == pytest.approx(3.0, abs=0.2)


@pytest.mark.parametrize("name", SCHEMES)
def test_a_checkpoint_goes_on_bit_for_bit(schemes, name, tmp_path):
    model, method, q0 = soft_arm(0.01), schemes[name](dt=3e-3), [0.5, 0.2, -0.1]
    times = np.linspace(0.0, 0.5, 11)  # no multiple of the step: its coefficients change at breaks
    whole = model.simulate(times, q0, method=method, breaks=(0.2, 0.25), progress=False)
    part = model.simulate(
        times,
        q0,
        method=method,
        breaks=(0.2, 0.25),
        checkpoint=tmp_path / "run",
        checkpoint_every=0.0,
        progress=lambda t, h: t > 0.22,
    )
    assert part.stats["stopped"]
    resumed = model.simulate(
        times, q0, method=method, breaks=(0.2, 0.25), checkpoint=tmp_path / "run", resume=True, progress=False
    )
    for field in ("q", "v", "a"):
        assert np.array_equal(getattr(whole, field), getattr(resumed, field))


def test_nothing_is_compiled_for_a_scheme(schemes):
    model = pendulum()
    model.simulate(0.01, [0.3], method=sp.BDF2(dt=1e-3), progress=False)
    known = set(cache.asked_for)
    for kind in schemes.values():
        model.simulate(0.01, [0.3], method=kind(dt=1e-3), progress=False)
    assert set(cache.asked_for) == known


@pytest.mark.slow
def test_the_command_line_finds_it_by_its_entry_point(folder, tmp_path):
    path = os.pathsep.join([str(folder), SOURCES])
    options = ("--method", "sdirk-3", "--dt", "0.01", "--t-end", "0.05", "--no-plots")
    result = process("run", "cable-manipulator", *options, folder=tmp_path, PYTHONPATH=path)
    assert result.code == 0, result.err
    assert "sdirk3" in result.out + result.err
    result = process("run", "cable-manipulator", "--method", "sdirk4", folder=tmp_path, PYTHONPATH=path)
    assert result.code == 2
    assert "bdf3" in error_of(result)
    assert "ndf" in error_of(result)
