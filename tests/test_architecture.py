"""Rooms import one way, nobody reaches into a model, and files and functions stay small enough to read."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

import supple

PACKAGE = Path(supple.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))
OPEN_TO_ALL = {"errors", "checks", "fingerprint", "jit", "pickling", "storage", "threads"}

#: What each room may import when it is loaded, besides itself and what is open to all.  "core.records" are layouts of
#: arrays alone: they load no kernels.
ALLOWED = {
    "numerics": set(),
    "lie": set(),
    "linalg": set(),
    "core": {"lie", "linalg", "core.records"},
    "sections": {"numerics"},
    "bases": {"numerics"},
    "joints": {"lie", "core.records"},
    "maps": {"lie", "core", "core.records"},
    "following": {"core", "robot"},
    "tracing": set(),
    "fields": {"lie", "core", "core.records", "tracing"},
    "laws": set(),
    "materials.py": {"sections"},
    "rest.py": {"lie"},
    "robot": {"numerics", "lie", "sections", "bases", "joints", "laws", "rest", "core.records", "tracing"},
    "compilation": {"lie", "sections", "bases", "joints", "core", "core.records", "laws", "rest", "robot"},
    "constraints": {"lie", "joints", "core", "core.records", "compilation", "robot"},
    "loads": {"numerics", "lie", "linalg", "sections", "joints", "core", "core.records", "compilation", "robot"}
    | {"constraints", "fields", "tracing"},  # the last two by kernels of lines through soft bodies, loaded when used
    "files": {"lie", "bases", "joints", "laws", "loads", "sections", "rest", "robot", "tracing"},
    "model": {"lie", "linalg", "core", "core.records", "laws", "compilation", "robot", "following"},
    "readouts": {"lie", "core", "core.records", "compilation", "model", "loads", "robot"},
    "viz": {"lie", "sections", "core", "core.records", "compilation", "model", "loads", "readouts", "robot"},
    "solvers": {"lie", "linalg", "core", "core.records", "laws", "compilation", "model", "robot", "readouts"},
    "serving": set(),
    "studio": {"sections", "compilation", "model", "loads", "robot", "serving", "solvers", "viz"},
    "gradients": {"core", "laws", "core.records", "compilation", "constraints", "model", "robot", "solvers", "tracing"},
    "bridges": {"gradients", "model", "solvers"},
    "batch": {"model", "solvers"},
    "realtime.py": {"model", "solvers"},
    "jax.py": {"bridges"},
    "torch.py": {"bridges"},
    "casadi.py": {"bridges"},
    "control": {"numerics", "laws"},
    "systems": {"control"}
    | {"numerics", "lie", "laws", "sections", "bases", "joints", "loads", "model", "robot", "solvers"},
    "bench": {"laws", "model", "robot", "solvers", "systems"},
    "cli": {"lie", "sections", "bases", "bench", "files", "joints", "loads", "model", "readouts", "robot", "solvers"}
    | {"serving", "systems"},
    "__main__.py": {"cli"},
}

#: What a room may import late, inside a function: whoever does not ask for it does not load it.
LATE = {
    "joints": {"core", "maps"},  # the maps of joints, when a robot is compiled
    "robot": {"core", "fields", "files", "model"},  # `Robot.compile`, the maps of bodies, `Robot.save`
    "files": {"gradients", "materials"},  # `load_design`
    "gradients": {"model", "fields"},  # `Design.model`; soft bodies by parameters
    "batch": {"__version__"},
    "model": {"batch", "gradients", "readouts", "solvers", "studio", "viz"},  # what is asked of a model
    "readouts": {"fields", "viz"},  # reactions behind soft bodies
    "solvers": {"gradients", "studio", "viz", "__version__"},
    "cli": {"fields", "gradients", "laws", "maps", "studio", "tracing", "viz", "__version__"},
}

#: Folders beside the package whose files are held to the same length.
BESIDE = ("tests", "benchmarks", "docs", "examples")

#: Files and functions (without their docstrings) that are longer than they should be.
MOST_LINES, MOST_CODE = 450, 60

#: Where modules are tested that have no file of their name, because one test holds several of them to account.
TESTS = Path(__file__).parent
TESTED_IN = {
    "batch/failure": "batch/test_folder",
    "batch/points": "batch/test_sweep",
    "batch/result_file": "batch/test_sweep",
    "bases/protocol": "bases/test_basis_contract",
    "bench/dynamics": "bench/test_report",
    "bench/equilibria": "bench/test_report",
    "bench/figures": "bench/test_report",
    "bench/jacobians": "bench/test_report",
    "bench/rods": "bench/test_report",
    "bridges/dynamics": "bridges/test_bridge_operations",
    "bridges/equilibria": "bridges/test_bridge_operations",
    "cli/catalogue": "cli/test_info",
    "cli/derivatives": "cli/test_check",
    "cli/exercises": "jit/test_entries",
    "cli/gallery": "cli/test_list",
    "cli/guard": "cli/test_main",
    "cli/options": "cli/test_main",
    "cli/progress": "cli/test_compiling",
    "compilation/compiling": "compilation/test_compile_robot",
    "robot/bodies/soft_kinds": "compilation/test_scene",
    "core/articulated_columns": "core/test_articulated",
    "core/blocks/curved": "core/blocks/test_kinds",
    "core/blocks/exponential": "core/blocks/test_kinds",
    "core/blocks/screw": "core/blocks/test_kinds",
    "core/blocks/moving": "core/blocks/test_kinds",
    "core/blocks/rod_columns": "core/blocks/test_rod_sweeps",
    "core/rod_calls": "core/blocks/test_rod_sweeps",
    "core/loads": "core/test_load_sides",
    "core/loops": "core/test_loop_rows",
    "core/records": "core/test_arrays",
    "cli/robot_files": "cli/test_convert",
    "gradients/linear_matrices": "gradients/test_linearization",
    "model/constrained_derivatives": "core/test_constrained_derivatives",
    "solvers/sensitivity/displacements": "gradients/test_displaced_models",
    "files/couplings": "files/test_model_files",
    "files/decoding": "files/test_model_files",
    "files/encoding": "files/test_model_files",
    "files/json_reader": "files/test_model_files",
    "files/kinds": "files/test_model_files",
    "files/nodes": "files/test_model_files",
    "files/mjcf_drives": "files/test_mjcf",
    "files/mjcf_elements": "files/test_mjcf",
    "files/mjcf_equalities": "files/test_mjcf",
    "files/mjcf_shapes": "files/test_mjcf",
    "files/mjcf_source": "files/test_mjcf",
    "files/xml_numbers": "files/test_urdf",
    "files/urdf_elements": "files/test_urdf",
    "files/urdf_shapes": "files/test_urdf",
    "files/xml_tree": "files/test_urdf",
    "files/yaml_reader": "files/test_model_files",
    "following/arrays": "model/test_coupled",
    "following/calls": "model/test_coupled",
    "following/expansion": "model/test_coupled",
    "following/tree_factors": "solvers/stage/test_factors",
    "core/blocks/body": "robot/bodies/test_soft",
    "sections/hyperelastic": "fields/test_elasticity",
    "fields/evaluation": "fields/test_interpreter",
    "fields/frames": "robot/bodies/test_soft",
    "fields/functions": "fields/test_interpreter",
    "fields/functionals": "loads/lines/test_members",
    "fields/layout": "robot/bodies/test_soft",
    "fields/mass": "robot/bodies/test_soft",
    "fields/rows": "fields/test_interpreter",
    "robot/bodies/densities": "loads/lines/test_cavity",
    "robot/bodies/soft_table": "robot/bodies/test_soft",
    "tracing/functions": "tracing/test_symbols",
    "tracing/operations": "fields/test_interpreter",
    "tracing/program": "tracing/test_symbols",
    "tracing/schedule": "tracing/test_plan",
    "tracing/terms": "tracing/test_plan",
    "tracing/slopes": "tracing/test_symbols",
    "gradients/piece_sweep": "gradients/test_motion_gradients",
    "jit/calls": "jit/test_addressed",
    "jit/fast": "jit/test_mode",
    "jit/plain": "jit/test_mode",
    "jit/self_test": "jit/test_mode",
    "joints/factors": "joints/test_splines",
    "joints/protocol": "joints/test_joint_contract",
    "maps/curve": "joints/test_splines",
    "maps/evaluation": "joints/test_splines",
    "maps/surface": "joints/test_splines",
    "laws/formulas": "laws/test_laws",
    "laws/tables": "laws/test_laws",
    "loads/contact/kernel": "loads/contact/test_contact",
    "loads/contact/pair": "loads/contact/test_force",
    "loads/lines/routed": "loads/lines/test_tendon",
    "loads/lines/soft_routes": "loads/lines/test_members",
    "loads/lines/via": "loads/lines/test_tendon",
    "loads/user/functions": "loads/user/test_user_laws",
    "loads/user/kernels": "loads/user/test_user_laws",
    "loads/wrenches/given": "loads/wrenches/test_point_wrench",
    "materials": "test_material_presets",
    "model/coupled_workspace": "model/test_coupled",
    "model/dynamics": "model/test_model",
    "model/kinematics": "model/test_model",
    "model/many": "batch/test_simulating",
    "model/readouts": "readouts/test_along",
    "model/resting": "solvers/test_options",
    "model/solving": "solvers/test_options",
    "robot/discs": "model/test_attach_anywhere",
    "readouts/kernels": "readouts/test_contact_forces",
    "solvers/statics/arc_length": "solvers/statics/test_continuation",
    "readouts/tensions": "readouts/test_line_readouts",
    "solvers/integrators/bdf2": "solvers/test_order",
    "solvers/integrators/dop853": "solvers/integrators/test_explicit",
    "solvers/integrators/generalized_alpha": "solvers/test_order",
    "solvers/integrators/implicit": "solvers/integrators/test_new_scheme",
    "solvers/integrators/implicit_euler": "solvers/test_order",
    "solvers/integrators/implicit_loop": "solvers/integrators/test_driver",
    "solvers/integrators/integrator": "solvers/integrators/test_driver",
    "solvers/integrators/newmark": "solvers/test_order",
    "solvers/integrators/one_step": "solvers/motion/test_step",
    "solvers/integrators/radau_arrays": "solvers/integrators/test_radau",
    "solvers/integrators/radau_error": "solvers/integrators/test_radau",
    "solvers/integrators/radau_matrix": "solvers/integrators/test_radau",
    "solvers/integrators/radau_stages": "solvers/integrators/test_radau",
    "solvers/integrators/radau_tableau": "solvers/integrators/test_radau",
    "solvers/integrators/rk45": "solvers/integrators/test_explicit",
    "solvers/integrators/rows": "solvers/integrators/test_driver",
    "solvers/integrators/tape": "gradients/test_motion_gradients",
    "solvers/motion/plan": "solvers/motion/test_simulation",
    "solvers/motion/saved_run": "solvers/motion/test_checkpoint",
    "solvers/motion/tape": "gradients/test_motion_gradients",
    "solvers/motion/trajectory_file": "solvers/motion/test_trajectory",
    "solvers/own_laws": "solvers/test_inputs",
    "solvers/rounding": "solvers/integrators/test_error_control",
    "solvers/sensitivity/arrays": "gradients/test_motion_gradients",
    "solvers/sensitivity/chart_moves": "gradients/test_motion_gradients",
    "solvers/sensitivity/coupled_stages": "gradients/test_motion_gradients",
    "solvers/sensitivity/parameter_products": "gradients/test_motion_directions",
    "solvers/sensitivity/plan_formula": "gradients/test_motion_gradients",
    "solvers/sensitivity/plan_motion": "gradients/test_motion_gradients",
    "solvers/sensitivity/plan_ndf": "gradients/test_motion_gradients",
    "solvers/sensitivity/plan_pair": "gradients/test_motion_gradients",
    "solvers/sensitivity/plan_radau": "gradients/test_motion_gradients",
    "solvers/sensitivity/plans": "gradients/test_motion_gradients",
    "solvers/sensitivity/program": "gradients/test_motion_gradients",
    "solvers/sensitivity/stage_forward": "gradients/test_motion_gradients",
    "solvers/sensitivity/stage_tangents": "gradients/test_motion_gradients",
    "solvers/sensitivity/sweep": "gradients/test_motion_gradients",
    "solvers/stage/evaluation": "solvers/stage/test_stage_newton",
    "solvers/stage/status": "solvers/motion/test_diagnosis",
    "solvers/statics/descent": "solvers/statics/test_search",
    "solvers/statics/start_search": "solvers/statics/test_all_equilibria",
    "solvers/statics/newton": "solvers/statics/test_search",
    "serving/door": "studio/test_door",
    "serving/gate": "studio/test_gate",
    "serving/origins": "studio/test_origins",
    "serving/site": "studio/test_site",
    "studio/actor": "studio/test_studio",
    "studio/film": "studio/test_export",
    "studio/lofts": "studio/test_stage",
    "studio/panel": "studio/test_studio",
    "studio/toolbar": "studio/test_studio",
    "studio/viewing": "studio/test_studio",
    "studio/window": "studio/test_studio",
    "viz/video_files": "viz/test_animation",
    "systems/cable_manipulator": "systems/test_systems",
    "systems/fin_ray": "systems/test_regression",
    "systems/serial_arm": "systems/test_systems",
    "systems/ur10_pcc": "systems/test_universal_robots",
    "systems/underwater_vehicle": "systems/test_regression",
    "viz/drawing": "viz/test_pictures",
    "viz/paths": "viz/test_figure_layout",
    "viz/series": "viz/test_pictures",
}

#: Decorators of compiled functions.
COMPILED = {"kernel", "inner", "inlined", "leaf"}


@cache
def tree_of(path):
    """A file as a tree."""
    return ast.parse(path.read_text(encoding="utf-8"))


def named(path):
    """The path of a file inside the package."""
    return path.relative_to(PACKAGE).as_posix()


def room_of(module):
    """The room of a module ("supple.core.arrays" is in "core")."""
    parts = module.split(".")
    return ".".join(parts[1:3]) if parts[1:3] == ["core", "records"] else parts[1]


def imported_rooms(path, late):
    """Rooms that a file imports at run time: when it is loaded, or only inside functions (``late``)."""
    tree = tree_of(path)
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
        for node in ast.walk(tree_of(path)):
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
    for node in ast.walk(tree_of(path)):
        if not isinstance(node, ast.Attribute) or not node.attr.startswith("_") or node.attr.startswith("__"):
            continue
        value = node.value
        name = value.id if isinstance(value, ast.Name) else value.attr if isinstance(value, ast.Attribute) else ""
        assert name != "model", f"{named(path)}:{node.lineno} reads model.{node.attr}"


#: Private names that are not ours, or that named tuples have.
FOREIGN = {"_replace", "_fields", "_asdict", "_make", "_getframe", "_exit", "_getvalue", "_impl"}
#: Insides of viser: `serving.origins` looks whether they are there, `serving.site` whether it warned.
FOREIGN |= {"_websock_server", "_client_connect_cb", "_live_connections", "_client_state_from_id"}
FOREIGN |= {"_warned_push_after_done"}


@pytest.mark.parametrize("room", sorted({named(path).split("/")[0] for path in FILES} - {"jit"}))
def test_private_names_are_known_in_their_own_room_alone(room):
    """Whoever reads ``x._name`` stands in the room that gives something this name; `jit` knows the insides of Numba."""
    nodes = [(path, node) for path in files_of(room) for node in ast.walk(tree_of(path))]
    given = {node.name for _, node in nodes if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    given |= {node.target.id for _, node in nodes if isinstance(node, ast.AnnAssign) and hasattr(node.target, "id")}
    given |= {node.attr for _, node in nodes if isinstance(node, ast.Attribute) and _is_own(node)}
    for path, node in nodes:
        if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__"):
            known = node.attr in given or node.attr in FOREIGN
            assert known, f"{named(path)}:{node.lineno} reads {ast.unparse(node)}"


def _is_own(node):
    return isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")


def test_nobody_asks_for_the_class_of_a_body():
    """Bodies are asked by their protocol (`robot.bodies.protocol`)."""
    for path in FILES:
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance":
                asked = {x.id for x in ast.walk(node.args[1]) if isinstance(x, ast.Name)}
                assert not asked & {"Rod", "Rigid"}, f"{named(path)}:{node.lineno}"


def test_nobody_asks_for_the_kind_of_a_block():
    """Kernels ask `core.blocks.kinds`, Python asks `core.records`."""
    asking = re.compile(r"\bblock\.kind\b|\[\"kind\"\] *[=!]=")
    found = {named(path) for path in FILES if asking.search(path.read_text(encoding="utf-8"))}
    assert found == {"core/blocks/kinds.py", "core/records.py"}


def test_tests_mirror_the_package():
    """Every module has a test in the folder of the same name, called after it, or stands in the list above."""
    modules = {named(path).removesuffix(".py") for path in FILES if not path.name.startswith("__")}
    for module in sorted(modules):
        room, _, name = module.rpartition("/")
        own = [path for path in (TESTS / room).glob("test_*.py") if name in path.stem]
        listed = TESTED_IN.get(module)
        assert not own or listed is None, f"{module} is in the list, but has {own[0].name}"
        assert own or listed, f"{module} has no test"
        assert own or (TESTS / f"{listed}.py").exists(), f"{module}: there is no {listed}"
    assert set(TESTED_IN) <= modules, sorted(set(TESTED_IN) - modules)


def test_no_two_files_of_tests_have_one_name():
    """They are no packages, so that pytest would find the first for both, in a run of all."""
    names = [path.name for path in TESTS.rglob("test_*.py")]
    assert not {name for name in names if names.count(name) > 1}


def test_files_are_short():
    beside = [path for folder in BESIDE for path in (TESTS.parent / folder).rglob("*.py")]
    assert len(beside) > 100
    long = {str(path) for path in [*FILES, *beside] if path.read_text(encoding="utf-8").count("\n") > MOST_LINES}
    assert not long


def test_functions_are_short():
    assert not [name for name, node in functions() if code_lines(node) > MOST_CODE]


def test_every_compiled_function_says_what_it_computes():
    def decorators(node):
        return {x.id for x in node.decorator_list if isinstance(x, ast.Name)}

    compiled = [(name, node) for name, node in functions() if decorators(node) & COMPILED]
    assert len(compiled) > 100
    assert not [name for name, node in compiled if not ast.get_docstring(node)]
