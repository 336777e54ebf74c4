"""`supple compile --all` compiles every kernel, once each, and no other robot compiles anything."""

import subprocess
import sys
from collections import Counter
from contextlib import suppress

import numpy as np
import pytest

import supple as sp
from command import ENVIRONMENT
from load_cases import loaded_case
from supple.cli import exercises
from supple.errors import SuppleError
from supple.jit import cache
from supple.systems import SYSTEMS

#: Prints every kernel of the package that no exercise calls.
UNUSED = """
import importlib, pkgutil
from supple import core, fields, jit, lie, linalg, loads, maps, model, readouts, solvers
from supple.cli import exercises

for exercise in exercises.everything():
    exercise.call()
for room in (core, fields, lie, linalg, loads, maps, model, readouts, solvers):
    for module in pkgutil.walk_packages(room.__path__, room.__name__ + "."):
        importlib.import_module(module.name)
for kernel in jit.KERNELS:
    if not kernel.overloads:
        print(kernel.__qualname__)
for kernel in jit.ADDRESSED:
    if not kernel._address:
        print(kernel.function.__qualname__)
"""


@pytest.fixture(scope="module")
def everything():
    """Kernels that were asked for by all exercises, of the package."""
    for exercise in exercises.everything():
        exercise.call()
    return entries()


def entries():
    """(kernel, signature) of all compiled code of the package in this process."""
    rooms = ("core.", "linalg.", "loads.", "solvers.", "lie.")
    return {entry for entry in cache.asked_for if entry[0].startswith(rooms)}


def test_the_exercises_use_every_kernel():
    """In a process of its own: here other tests may have used what the exercises leave out."""
    unused = subprocess.run(
        [sys.executable, "-c", UNUSED], env=ENVIRONMENT | {"SUPPLE_QUIET": "1"}, capture_output=True, text=True
    )
    assert (unused.stdout, unused.stderr, unused.returncode) == ("", "", 0)


def test_no_kernel_is_compiled_for_two_signatures(everything):
    """Such as read-only arrays beside others, or whole numbers beside floats."""
    assert [name for name, count in Counter(name for name, _ in entries()).items() if count > 1] == []


@pytest.mark.parametrize("name", SYSTEMS)
def test_other_robots_compile_nothing(everything, name):
    system = SYSTEMS[name]()
    model = system.compile()
    system.simulate(model, 1e-6 * system.t_end, progress=False)
    q = np.zeros(model.n)
    for call in (
        lambda: model.statics(),
        lambda: model.forward_dynamics(q, q),
        lambda: model.residual_derivatives(q, q, q),
        lambda: model.energy(q, q),
    ):
        with suppress(SuppleError, sp.ModelWarning):  # singular, or no equilibrium: kernels were called all the same
            call()
    assert entries() - everything == set()


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("method", [sp.NDF(), sp.GeneralizedAlpha(dt=1e-6), sp.RK45()], ids=lambda m: type(m).__name__)
def test_random_robots_with_random_loads_compile_nothing(everything, seed, method):
    """Their states are read-only arrays."""
    case = loaded_case(seed)
    model, q, v, a, u = case.model, case.q, case.v, case.a, case.u
    model.residual_tangent(q, v, a, u, cv=1.0, ca=1.0)
    model.forward_dynamics_derivatives(q, v, u)
    model.tangent_product(q, v, a, v, u=u)
    model.pose(list(q), model.link_names[-1])
    with suppress(SuppleError):
        model.simulate(2e-6, q, v, u, method, progress=False)
    assert entries() - everything == set()
