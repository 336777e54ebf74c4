"""Kernels state their formulas, and what docstrings and pages name is there."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

import supple

PACKAGE = Path(supple.__file__).parent
ROOT = Path(__file__).parents[1]
FILES = sorted(PACKAGE.rglob("*.py"))

#: Decorators of compiled functions (`supple.jit`).
COMPILED = {"kernel", "inner", "inlined", "leaf"}
#: What a formula has: an equation, a comparison, a power, a sum, a product of vectors, a derivative.
FORMULA = re.compile(r"[=<>^]|\+| - | / | \. |\bd\(?[\w']+\)?/d|\bsum\b")
#: Calls whose arguments are counts and addresses.
COUNTING = {"range", "U", "Index", "int", "vector_at", "matrix_at", "matrices_at"}

#: Compiled functions that multiply whole numbers alone, to find rows, addresses and counts: a sentence is enough.
BOOKKEEPING = {
    "core/blocks/rod_columns.py:jacobian_at",
    "core/blocks/rod_sweeps.py:phi_at",
    "core/blocks/rod_sweeps.py:segments_of",
    "core/blocks/rod_sweeps.py:steps_of",
    "fields/adjoints.py:adjoint_at",
    "fields/functionals.py:functional_at",
    "fields/interpreter.py:move_numbers",
    "fields/interpreter.py:run_at",
    "fields/interpreter.py:run_floats",
    "fields/interpreter.py:slope_row",
    "fields/interpreter.py:value_row",
    "fields/viscosity.py:slopes_behind",
    "solvers/sensitivity/plans.py:carry_rows",
    "solvers/sensitivity/plans.py:give_out",
    "solvers/sensitivity/stage_products.py:unknowns",
    "solvers/sensitivity/sweep.py:place_chart",
}


@cache
def tree_of(path):
    """A file as a tree."""
    return ast.parse(path.read_text(encoding="utf-8"))


def is_compiled(node):
    """Whether a node is a function with one of the decorators above."""
    return isinstance(node, ast.FunctionDef) and COMPILED & {getattr(x, "id", "") for x in node.decorator_list}


@cache
def computing():
    """Docstrings of all compiled functions that compute, by name."""
    return {
        f"{path.relative_to(PACKAGE).as_posix()}:{node.name}": ast.get_docstring(node) or ""
        for path in FILES
        for node in ast.walk(tree_of(path))
        if is_compiled(node) and computes(node)
    }


def outside_indices(node):
    """All nodes below one, but for those of indices, counts and addresses."""
    yield node
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in COUNTING:
        return
    for name, value in ast.iter_fields(node):
        if (isinstance(node, ast.Subscript) and name == "slice") or name == "decorator_list":
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from outside_indices(child)


def holds_a_number(node):
    """Whether an expression holds an entry of an array, or a float."""
    return any(
        isinstance(x, ast.Subscript) or (isinstance(x, ast.Constant) and isinstance(x.value, float))
        for x in outside_indices(node)
    )


def computes(function):
    """Whether a function multiplies or divides entries of arrays."""
    for node in outside_indices(function):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div | ast.Pow):
            if holds_a_number(node.left) or holds_a_number(node.right):
                return True
        elif isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Mult | ast.Div):
            return True
    return False


def test_kernels_that_compute_state_their_formula():
    assert len(computing()) > 400
    assert {name for name, text in computing().items() if not FORMULA.search(text)} == BOOKKEEPING


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("y[i] = a * x[i]", True),
        ("y[k * n + i] = x[2 * i]", False),
        ("y[i] /= s", True),
        ("for i in range(2 * x[0]):\n        y[i] = 0.0", False),
        ("X = matrix_at(at + 8 * x[0], (3, 3))", False),
        ("return 0.5 * h", True),
        ("y[i] = x[i] + a[i]", False),
    ],
)
def test_what_counts_as_computing(body, expected):
    assert computes(ast.parse(f"def f(a, x, y, i, k, n, s, h, at):\n    {body}").body[0]) is expected


# ---------------------------------------------------------------------- names

#: A dotted name in single backticks.
NAMED = re.compile(r"(?<!`)`(?:supple\.)?([a-z_]+(?:\.\w+)+)(?:\(\))?`(?!`)")
#: Other packages that rooms of this one are called after.
FOREIGN = {"jax", "torch", "casadi"}


def names_in(node):
    """What a file defines or imports: its own names, and those of its classes; local ones of functions are nobody's."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef):
            yield child.name
            yield from (
                x.attr for x in ast.walk(child) if isinstance(x, ast.Attribute) and isinstance(x.ctx, ast.Store)
            )
        elif isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
            yield child.id
        elif isinstance(child, ast.alias):
            yield (child.asname or child.name).split(".")[-1]
        else:
            if isinstance(child, ast.ClassDef):
                yield child.name
            yield from names_in(child)


@cache
def modules():
    """Names by module ("core.loops"); of a folder, what it exports and its modules."""
    known = {}
    for path in FILES:
        parts = [x for x in path.relative_to(PACKAGE).with_suffix("").parts if x != "__init__"]
        known.setdefault(".".join(parts), set()).update(names_in(tree_of(path)))
        for k in range(1, len(parts)):
            known.setdefault(".".join(parts[:k]), set()).add(parts[k])
    return known


def is_there(name):
    """Whether a dotted name that begins with a room is a module, or a name in one."""
    parts = name.split(".")
    if parts[0] not in modules() or parts[0] in FOREIGN:
        return True
    k = max(k for k in range(1, len(parts) + 1) if ".".join(parts[:k]) in modules())
    return k == len(parts) or parts[k] == "py" or parts[k] in modules()[".".join(parts[:k])]


#: Where modules are named; other pages speak of ``model.`` and ``robot.`` as of things at hand.
TELLING = ["src/**/*.py", "tests/**/*.py", "docs/theory.md", "docs/architecture.md", "CONTRIBUTING.md"]


@pytest.mark.parametrize("pattern", TELLING)
def test_modules_and_names_in_backticks_are_there(pattern):
    paths = sorted(ROOT.glob(pattern))
    assert paths
    found = []
    for path in paths:
        for i, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            found += [f"{path.name}:{i} {name}" for name in NAMED.findall(line) if not is_there(name)]
    assert not found


def test_a_name_that_is_not_there_is_found():
    assert is_there("core.loops.loop_rows")
    assert is_there("solvers.stage")
    assert not is_there("core.segment")
    assert not is_there("core.loops.no_such_rows")
    assert is_there("numpy.linalg")
