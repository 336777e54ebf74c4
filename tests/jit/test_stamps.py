"""The cache of compiled kernels is stamped by all sources of the compiled ring, not by one file's time."""

import shutil
from pathlib import Path

import pytest

import supple
from supple import jit
from supple.core import inverse_dynamics
from supple.jit import stamps
from supple.jit.cache import KernelCache
from supple.loads.lines.routed import lines

PACKAGE = Path(supple.__file__).parent


def digest_of(package):
    return jit.ring_digest(package=package)


@pytest.fixture
def copied(tmp_path):
    package = tmp_path / "supple"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    return package


def test_a_copy_has_the_same_digest(copied):
    """Content counts, not time stamps and not places."""
    assert digest_of(copied) == jit.ring_digest()


@pytest.mark.parametrize("folder", ["lie", "core"])
def test_an_edit_anywhere_in_the_ring_changes_the_digest(copied, folder):
    files = sorted((copied / folder).glob("*.py"))
    assert len(files) > 3
    before = digest_of(copied)
    for file in files:
        text = file.read_text()
        file.write_text(text + "# edited\n")
        assert digest_of(copied) != before, file.name
        file.write_text(text)
    (copied / folder / "added.py").write_text("")
    assert digest_of(copied) != before


def test_edits_outside_the_ring_keep_the_cache(copied):
    before = digest_of(copied)
    (copied / "model" / "robot.py").write_text("# rewritten\n")
    assert digest_of(copied) == before


def test_an_edit_of_the_compiler_changes_the_digest(copied):
    before = digest_of(copied)
    for name in stamps.COMPILER:
        text = (copied / "jit" / name).read_text()
        (copied / "jit" / name).write_text(text + "# edited\n")
        assert digest_of(copied) != before, name
        (copied / "jit" / name).write_text(text)


def test_kernels_carry_the_digest():
    assert inverse_dynamics.inverse_dynamics._cache.stamp == jit.ring_digest()


def test_loads_carry_a_digest_of_the_loads_as_well():
    assert lines.stamp == jit.ring_digest(jit.RING + jit.LOADS)
    assert lines.address
    assert lines.compiled._cache.stamp == lines.stamp


def function_in(file, text):
    """The function ``load`` of a file with that text, imported from there."""
    file.write_text(text)
    names = {}
    exec(compile(text, str(file), "exec"), names)
    return names["load"]


def test_an_edit_of_a_users_load_changes_its_stamp(tmp_path):
    """Its file is in none of the folders that the digest runs over; what it calls in that file counts too."""
    text = "def force():\n    return 1.0\n\n\ndef load(tree, space, data, mode):\n    return force()\n"
    before = jit.load_stamp(function_in(tmp_path / "my_load.py", text))
    assert before.startswith(jit.ring_digest(jit.RING + jit.LOADS))
    assert jit.load_stamp(function_in(tmp_path / "my_load.py", text)) == before
    assert jit.load_stamp(function_in(tmp_path / "my_load.py", text.replace("1.0", "2.0"))) != before


def test_a_function_without_a_file_is_known_by_its_code():
    def typed(text):
        names = {}
        exec(text, names)
        return jit.load_stamp(names["load"])

    first = typed("def load(a): return 2.0 * a")
    assert typed("def load(a): return 2.0 * a") == first
    assert typed("def load(a): return 3.0 * a") != first
    assert typed("def load(a): return (lambda b: b + 1.0)(a)") != typed("def load(a): return (lambda b: b - 1.0)(a)")


def test_a_function_is_called_the_same_wherever_the_package_is():
    """So that one folder of compiled code serves all copies of the same sources."""
    assert stamps.identity(lines.function) == "loads.lines.routed._lines"


FAMILY = """
from supple import jit


@jit.inner
def part(x):
    return 2.0 * x


def made(part):
    @jit.kernel
    @jit.made_for(part)
    def whole(x):
        return part(x) + 1.0

    return whole
"""


def family_in(file, text):
    """The part and the kernel made for it, of a file with that text."""
    file.write_text(text)
    names = {"__name__": file.stem}
    exec(compile(text, str(file), "exec"), names)
    try:
        return names["part"], names["made"](names["part"])
    finally:
        jit.KERNELS.pop()


def test_kernels_made_for_a_part_are_kept_under_its_name(tmp_path):
    """Closures of two families, from one source, are two kernels in the cache and to the compiler."""
    first, one = family_in(tmp_path / "first.py", FAMILY)
    _, two = family_in(tmp_path / "second.py", FAMILY)
    assert one._cache.portable
    assert one._cache.name == f"{stamps.identity(first.py_func)}.whole"
    assert one._cache.name != two._cache.name
    assert one.py_func.__qualname__ != two.py_func.__qualname__


def test_an_edit_of_a_users_family_changes_the_stamp_of_its_kernels(tmp_path):
    """Of kernels in their own file, too: what they call there counts."""
    file = tmp_path / "family.py"
    before = family_in(file, FAMILY)[1]._cache.stamp
    assert family_in(file, FAMILY)[1]._cache.stamp == before
    assert family_in(file, FAMILY.replace("2.0", "3.0"))[1]._cache.stamp != before
    plain = "def load(x):\n    return 2.0 * x\n"
    own = stamps.kernel_stamp(function_in(tmp_path / "own.py", plain))
    assert stamps.kernel_stamp(function_in(tmp_path / "own.py", plain.replace("2.0", "3.0"))) != own


def test_closures_that_nobody_vouches_for_are_not_kept():
    factor = 2.0

    def whole(x):
        return factor * x

    assert not KernelCache(whole, "stamp", "fast").portable
