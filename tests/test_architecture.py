"""Imports run one way: lie, numerics <- bases, sections, joints; the compiled ring knows nothing of descriptions."""

import ast
from pathlib import Path

import pytest

import supple

PACKAGE = Path(supple.__file__).parent
OPEN_TO_ALL = {"errors", "checks", "fingerprint", "jit", "pickling", "storage"}

#: What each group may import, besides itself and what is open to all.
ALLOWED = {
    "numerics": set(),
    "lie": set(),
    "linalg": set(),
    "core": {"lie", "linalg"},
    "sections": {"numerics"},
    "bases": {"numerics"},
    "joints": {"lie"},
    "laws.py": set(),
    "materials.py": {"sections"},
    "rest.py": {"lie"},
    "robot": {"numerics", "lie", "sections", "bases", "joints", "laws", "rest", "compilation"},
    "compilation": {"numerics", "lie", "sections", "bases", "joints", "core", "laws", "rest", "robot", "model"},
    "model": {"numerics", "lie", "linalg", "sections", "bases", "joints", "core", "laws", "compilation", "robot"}
    | {"gradients", "readouts", "solvers", "viz"},
    "gradients": {"model", "solvers"},
    "constraints": {"lie", "joints", "core", "compilation", "robot"},
    "loads": {"numerics", "lie", "sections", "joints", "core", "compilation", "robot", "constraints"},
    "readouts": {"lie", "core", "compilation", "model", "loads", "robot", "viz"},
    "solvers": {"lie", "linalg", "core", "laws", "compilation", "model", "robot", "readouts", "gradients", "viz"}
    | {"__version__"},
    "viz": {"lie", "sections", "core", "compilation", "model", "loads", "readouts", "robot"},
    "systems": {"numerics", "lie", "laws", "sections", "bases", "joints", "loads", "model", "robot", "solvers"},
    "bench": {"laws", "model", "robot", "solvers", "systems"},
    "cli": {"lie", "sections", "bases", "bench", "joints", "loads", "model", "readouts", "robot", "solvers"}
    | {"systems", "viz", "__version__"},
    "__main__.py": {"cli"},
}

#: Modules of the compilation that describing a robot loads: like all of `robot` they load no kernels.
DESCRIPTION = ["scene", "tabulate", "rod_table"]


def imported_groups(path, deferred=True):
    """Groups of supple that a file imports at run time; those inside functions only if ``deferred``."""
    tree = ast.parse(path.read_text())
    skipped = {id(child) for node in ast.walk(tree) if _is_skipped(node, deferred) for child in ast.walk(node)}
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}: relative import"
            parts = (node.module or "").split(".")
            if parts == ["supple"]:
                yield from (alias.name for alias in node.names)
            elif parts[0] == "supple":
                yield parts[1]
        elif isinstance(node, ast.Import):
            yield from (alias.name.split(".")[1] for alias in node.names if alias.name.startswith("supple."))


def _is_skipped(node, deferred):
    """Blocks of type checking, and functions unless asked for."""
    if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
        return True
    return not deferred and isinstance(node, ast.FunctionDef)


@pytest.mark.parametrize("group", ALLOWED)
def test_groups_import_only_from_groups_below(group):
    files = sorted(PACKAGE.glob(group) if group.endswith(".py") else (PACKAGE / group).rglob("*.py"))
    assert files
    for file in files:
        foreign = set(imported_groups(file)) - ALLOWED[group] - OPEN_TO_ALL - {group}
        assert not foreign, f"{file.relative_to(PACKAGE)} imports {sorted(foreign)}"


def test_descriptions_do_not_load_the_compiled_core():
    files = [*(PACKAGE / "robot").rglob("*.py"), *(PACKAGE / "compilation" / f"{name}.py" for name in DESCRIPTION)]
    for file in files:
        assert "core" not in set(imported_groups(file, deferred=False)), file.name


@pytest.mark.parametrize("module", sorted(path.stem for path in (PACKAGE / "model").glob("*.py")))
def test_a_model_loads_solvers_only_when_it_is_asked_to_solve(module):
    assert "solvers" not in set(imported_groups(PACKAGE / "model" / f"{module}.py", deferred=False))


@pytest.mark.parametrize("package", ["model", "solvers", "loads", "readouts"])
def test_pictures_load_only_when_they_are_asked_for(package):
    for path in (PACKAGE / package).rglob("*.py"):
        assert "viz" not in set(imported_groups(path, deferred=False)), path.name


@pytest.mark.parametrize("module", sorted(OPEN_TO_ALL))
def test_what_is_open_to_all_depends_on_nothing(module):
    files = [PACKAGE / f"{module}.py"] if (PACKAGE / f"{module}.py").exists() else (PACKAGE / module).glob("*.py")
    for file in files:
        assert set(imported_groups(file)) <= {"errors", "checks", module}, file.name
