"""Error types, and the prefix that names the culprit."""

import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import supple as sp
from supple import errors
from supple.errors import ConvergenceError, ModelError, ModelWarning, SuppleError, naming, noted, unwarned, warn


@pytest.mark.parametrize(
    ("name", "builtin"),
    [
        ("ModelError", ValueError),
        ("ShapeError", ValueError),
        ("StateError", ValueError),
        ("ConvergenceError", RuntimeError),
        ("SingularError", RuntimeError),
        ("MissingExtraError", ImportError),
        ("PictureError", ValueError),
    ],
)
def test_every_error_is_a_supple_error_and_a_builtin_one(name, builtin):
    kind = getattr(errors, name)
    assert issubclass(kind, SuppleError)
    assert issubclass(kind, builtin)


def test_naming_prefixes_the_message_and_nests():
    expected = r"^robot 'r': link 'arm': radius is bad$"
    with pytest.raises(ModelError, match=expected), naming("robot 'r'"), naming("link 'arm'"):
        raise ModelError("radius is bad")


def test_naming_keeps_type_and_attributes():
    error = ConvergenceError("stopped", 12)
    error.iterations = 12
    with pytest.raises(ConvergenceError) as caught, naming("t = 0.1 s"):
        raise error
    assert caught.value is error
    assert caught.value.args == ("t = 0.1 s: stopped", 12)
    assert caught.value.iterations == 12


def test_naming_copes_with_an_empty_message():
    with pytest.raises(ModelError, match=r"^link 'a': $"), naming("link 'a'"):
        raise ModelError


def test_naming_leaves_other_errors_alone():
    with pytest.raises(KeyError) as caught, naming("link 'arm'"):
        raise KeyError("x")
    assert caught.value.args == ("x",)


def test_warnings_are_silenced_in_one_thread_alone():
    """The filters of `warnings` are those of all threads, so they are left as they are."""
    filters, inside, go = list(warnings.filters), threading.Event(), threading.Event()

    def again():
        with unwarned():
            inside.set()
            go.wait(30.0)
            warn("said before")
        return list(warnings.filters)

    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(again)
        assert inside.wait(30.0)
        with pytest.warns(ModelWarning, match="heard"):
            warn("heard")
        go.set()
        assert other.result() == filters


def test_warnings_are_noted_in_one_thread_alone():
    filters, inside, go = list(warnings.filters), threading.Event(), threading.Event()

    def note():
        with noted() as outer:
            inside.set()
            assert go.wait(30.0)
            warn("first")
            with noted() as inner, unwarned():
                warn("unheard")
            with noted() as other:
                warn("within")
            warn("last")
        return outer, inner, other, list(warnings.filters)

    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(note)
        assert inside.wait(30.0)
        with pytest.warns(ModelWarning, match="heard"):
            warn("heard")
        go.set()
        assert other.result() == (["first", "last"], [], ["within"], filters)
    with pytest.raises(KeyError), noted():  # an error ends it, too
        raise KeyError
    with pytest.warns(ModelWarning, match="afterwards"):
        warn("afterwards")


def test_compiling_leaves_the_filters_of_warnings_to_others():
    """What is compiled once more is silent, and slopes of routes are told from casts: both without a word to others."""
    before, seen = list(warnings.filters), []

    def radius(s):
        seen.append(list(warnings.filters))
        return 0.02

    def route(X):
        seen.append([entry for entry in warnings.filters if entry[2] is not np.exceptions.ComplexWarning])
        return 0.01 + 0.0 * X, 0.0 * X

    robot = sp.Robot("arm")
    rod = sp.Rod(0.3, sp.Circle(radius), sp.Material(1e5, density=1000.0), sp.Legendre(bend_y=1), points=4)
    robot.add_link("arm", rod)
    robot.add(sp.ElasticTendon("t", {"arm": route}, stiffness=100.0))
    robot.compile()
    assert len(seen) > 10
    assert all(filters == before for filters in seen)


#: A body that no real one has: its reader warns of it.
STRANGE_URDF = """<robot name="r"><link name="base"/><link name="{0}"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="9" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="revolute"><parent link="base"/><child link="{0}"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""
STRANGE_MJCF = """<mujoco><worldbody><body name="{0}"><joint name="j"/>
<inertial pos="0 0 0" mass="1" diaginertia="1 1 9"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize(("load", "text"), [("load_urdf", STRANGE_URDF), ("load_mjcf", STRANGE_MJCF)])
def test_files_read_by_two_threads_leave_warnings_to_each_other(tmp_path, monkeypatch, load, text):
    """What one thread's file is warned of is not told of another's, and the filters of `warnings` stay."""
    from supple.robot.bodies import rigid

    pytest.importorskip("trimesh")
    both, say = threading.Barrier(2), rigid.warn

    def say_together(message):
        both.wait(60.0)  # both threads are inside their blocks now
        say(f"{message}, in {threading.current_thread().name}")
        both.wait(60.0)

    monkeypatch.setattr(rigid, "warn", say_together)
    before, heard = list(warnings.filters), {}
    told = threading.local()
    monkeypatch.setattr(warnings, "warn", lambda message, *rest, **more: told.all.append(str(message)))

    def read(name):
        told.all = heard[name] = []
        file = tmp_path / f"{name}.xml"
        file.write_text(text.format(name))
        getattr(sp, load)(file)

    threads = [threading.Thread(target=read, args=(name,), name=name) for name in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120.0)
    assert list(warnings.filters) == before
    for name, other in (("one", "two"), ("two", "one")):
        (message,) = heard[name]
        assert f"'{name}'" in message
        assert f"in {name}" in message
        assert f"in {other}" not in message
