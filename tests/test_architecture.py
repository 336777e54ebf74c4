"""Rooms import one way, nobody reaches into a model, and files and functions stay small enough to read."""

import ast
from pathlib import Path

import pytest

import supple

PACKAGE = Path(supple.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))
OPEN_TO_ALL = {"errors", "checks", "fingerprint", "jit", "pickling", "storage"}

#: What each room may import when it is loaded, besides itself and what is open to all.  "core.records" are layouts of
#: arrays alone: they load no kernels.
ALLOWED = {
    "numerics": set(),
    "lie": set(),
    "linalg": set(),
    "core": {"lie", "linalg", "core.records"},
    "sections": {"numerics"},
    "bases": {"numerics"},
    "joints": {"lie"},
    "laws": set(),
    "materials.py": {"sections"},
    "rest.py": {"lie"},
    "robot": {"numerics", "lie", "sections", "bases", "joints", "laws", "rest", "core.records"},
    "compilation": {"lie", "sections", "bases", "joints", "core", "core.records", "laws", "rest", "robot"},
    "constraints": {"lie", "joints", "core", "core.records", "compilation", "robot"},
    "loads": {"numerics", "lie", "linalg", "sections", "joints", "core", "core.records", "compilation", "robot"}
    | {"constraints"},
    "model": {"lie", "linalg", "core", "core.records", "laws", "compilation", "robot"},
    "readouts": {"lie", "core", "core.records", "compilation", "model", "loads", "robot"},
    "viz": {"lie", "sections", "core", "core.records", "compilation", "model", "loads", "readouts", "robot"},
    "solvers": {"lie", "linalg", "core", "core.records", "laws", "compilation", "model", "robot", "readouts"},
    "gradients": {"model", "solvers"},
    "systems": {"numerics", "lie", "laws", "sections", "bases", "joints", "loads", "model", "robot", "solvers"},
    "bench": {"laws", "model", "robot", "solvers", "systems"},
    "cli": {"lie", "sections", "bases", "bench", "joints", "loads", "model", "readouts", "robot", "solvers", "systems"},
    "__main__.py": {"cli"},
}

#: What a room may import late, inside a function: whoever does not ask for it does not load it.
LATE = {
    "robot": {"core", "model"},  # `Robot.compile`, and the maps of bodies
    "model": {"gradients", "readouts", "solvers", "viz"},  # what is asked of a model
    "readouts": {"viz"},
    "solvers": {"gradients", "viz", "__version__"},
    "cli": {"viz", "__version__"},
}

#: Files and functions (without their docstrings) that are longer than they should be.
MOST_LINES, MOST_CODE = 450, 60
LONG_FILES: set[str] = set()
LONG_FUNCTIONS: set[str] = set()

#: Decorators of compiled functions.
COMPILED = {"kernel", "inner", "inlined", "leaf"}


def named(path):
    """The path of a file inside the package."""
    return path.relative_to(PACKAGE).as_posix()


def room_of(module):
    """The room of a module ("supple.core.arrays" is in "core")."""
    parts = module.split(".")
    return ".".join(parts[1:3]) if parts[1:3] == ["core", "records"] else parts[1]


def imported_rooms(path, late):
    """Rooms that a file imports at run time: when it is loaded, or only inside functions (``late``)."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    typing = {id(child) for node in ast.walk(tree) if _is_typing(node) for child in ast.walk(node)}
    inside = {id(child) for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) for child in ast.walk(node)}
    for node in ast.walk(tree):
        if id(node) in typing or (id(node) in inside) != late:
            continue
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}: relative import"
            if node.module == "supple":
                yield from (alias.name for alias in node.names)
            elif (node.module or "").startswith("supple."):
                yield room_of(node.module)
        elif isinstance(node, ast.Import):
            yield from (room_of(alias.name) for alias in node.names if alias.name.startswith("supple."))


def _is_typing(node):
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def files_of(room):
    return sorted(PACKAGE.glob(room) if room.endswith(".py") else (PACKAGE / room).rglob("*.py"))


def functions():
    """(name, node) of every function of the package."""
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                yield f"{named(path)}:{node.name}", node


def code_lines(node):
    """Lines of a function without its docstring."""
    first = node.body[0]
    told = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    return node.end_lineno - node.lineno + 1 - (first.end_lineno - first.lineno + 1 if told else 0)


@pytest.mark.parametrize("room", ALLOWED)
def test_rooms_import_only_from_rooms_below(room):
    files = files_of(room)
    assert files
    for file in files:
        foreign = set(imported_rooms(file, late=False)) - ALLOWED[room] - OPEN_TO_ALL - {room}
        assert not foreign, f"{named(file)} imports {sorted(foreign)}"


@pytest.mark.parametrize("room", ALLOWED)
def test_rooms_import_late_only_what_is_said_here(room):
    for file in files_of(room):
        foreign = set(imported_rooms(file, late=True)) - ALLOWED[room] - OPEN_TO_ALL - {room} - LATE.get(room, set())
        assert not foreign, f"{named(file)} imports {sorted(foreign)} inside a function"


def test_every_room_has_its_place():
    rooms = {path.name for path in PACKAGE.iterdir() if path.is_dir() and not path.name.startswith("_")}
    assert rooms <= {*ALLOWED, *OPEN_TO_ALL}


def test_no_rooms_import_each_other():
    """What is allowed has no cycle: rooms stand in a line."""
    left = {room.removesuffix(".py"): {below for below in ALLOWED[room] if "." not in below} for room in ALLOWED}
    while left:
        ready = {room for room, below in left.items() if not below & set(left)}
        assert ready, f"a cycle among {sorted(left)}"
        left = {room: below for room, below in left.items() if room not in ready}


@pytest.mark.parametrize("module", sorted(OPEN_TO_ALL))
def test_what_is_open_to_all_depends_on_nothing(module):
    files = [PACKAGE / f"{module}.py"] if (PACKAGE / f"{module}.py").exists() else (PACKAGE / module).glob("*.py")
    for file in files:
        rooms = {*imported_rooms(file, late=False), *imported_rooms(file, late=True)}
        assert rooms <= {"errors", "checks", module}, file.name


def test_records_are_layouts_alone():
    """Descriptions of robots import them, and load no kernels by it."""
    modules = {node.module for node in ast.walk(ast.parse((PACKAGE / "core/records.py").read_text())) if _imports(node)}
    assert modules <= {"__future__", None}
    assert not (PACKAGE / "core/__init__.py").read_text(encoding="utf-8").count("import")


def _imports(node):
    return isinstance(node, ast.ImportFrom)


@pytest.mark.parametrize("path", FILES, ids=named)
def test_nobody_reaches_into_a_model(path):
    """Private names of a model are known to model/model.py alone."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Attribute) or not node.attr.startswith("_") or node.attr.startswith("__"):
            continue
        value = node.value
        name = value.id if isinstance(value, ast.Name) else value.attr if isinstance(value, ast.Attribute) else ""
        assert name != "model", f"{named(path)}:{node.lineno} reads model.{node.attr}"


def test_nobody_asks_for_the_class_of_a_body():
    """Bodies are asked by their protocol (`robot.bodies.protocol`)."""
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance":
                asked = {x.id for x in ast.walk(node.args[1]) if isinstance(x, ast.Name)}
                assert not asked & {"Rod", "Rigid"}, f"{named(path)}:{node.lineno}"


def test_files_are_short():
    long = {named(path) for path in FILES if path.read_text(encoding="utf-8").count("\n") > MOST_LINES}
    assert long <= LONG_FILES, sorted(long - LONG_FILES)


def test_functions_are_short():
    long = {name for name, node in functions() if code_lines(node) > MOST_CODE}
    assert long <= LONG_FUNCTIONS, sorted(long - LONG_FUNCTIONS)


def test_every_compiled_function_says_what_it_computes():
    def decorators(node):
        return {x.id for x in node.decorator_list if isinstance(x, ast.Name)}

    compiled = [(name, node) for name, node in functions() if decorators(node) & COMPILED]
    assert len(compiled) > 100
    assert not [name for name, node in compiled if not ast.get_docstring(node)]
