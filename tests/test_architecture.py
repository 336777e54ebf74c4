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
    "core": {"lie"},
    "sections": {"numerics"},
    "bases": {"numerics"},
    "joints": {"lie"},
    "laws.py": set(),
    "materials.py": {"sections"},
    "rest.py": {"lie"},
    "model": {"numerics", "lie", "sections", "bases", "joints", "core", "laws", "rest", "readouts", "solvers", "viz"},
    "loads": {"numerics", "lie", "sections", "joints", "core", "model"},
    "readouts": {"lie", "core", "model", "loads", "viz"},
    "solvers": {"lie", "core", "laws", "model", "readouts", "viz", "__version__"},
    "measure": set(),
    "viz": {"lie", "sections", "core", "model", "loads", "readouts"},
    "systems": {"numerics", "lie", "laws", "sections", "bases", "joints", "loads", "model", "solvers"},
    "published": {"laws", "measure", "model", "solvers", "systems"},
    "cli": {"lie", "sections", "bases", "joints", "loads", "measure", "model", "published", "readouts", "solvers"}
    | {"systems", "viz", "__version__"},
    "__main__.py": {"cli"},
}

#: Modules in which people describe robots: they load no kernels, so that describing stays quick.
DESCRIPTION = ["links", "robot", "rigid_shapes", "meshes", "scene", "summary", "tabulate", "rod_table", "validate"]


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


@pytest.mark.parametrize("module", DESCRIPTION)
def test_descriptions_do_not_load_the_compiled_core(module):
    assert "core" not in set(imported_groups(PACKAGE / "model" / f"{module}.py", deferred=False))


@pytest.mark.parametrize("module", sorted(path.stem for path in (PACKAGE / "model").glob("*.py")))
def test_a_model_loads_solvers_only_when_it_is_asked_to_solve(module):
    assert "solvers" not in set(imported_groups(PACKAGE / "model" / f"{module}.py", deferred=False))


@pytest.mark.parametrize("package", ["model", "solvers", "loads", "readouts"])
def test_pictures_load_only_when_they_are_asked_for(package):
    for path in (PACKAGE / package).glob("*.py"):
        assert "viz" not in set(imported_groups(path, deferred=False)), path.name


@pytest.mark.parametrize("module", sorted(OPEN_TO_ALL))
def test_what_is_open_to_all_depends_on_nothing(module):
    files = [PACKAGE / f"{module}.py"] if (PACKAGE / f"{module}.py").exists() else (PACKAGE / module).glob("*.py")
    for file in files:
        assert set(imported_groups(file)) <= {"errors", "checks", module}, file.name
