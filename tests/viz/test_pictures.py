"""Pictures of robots and motions: what is on them, and what is refused."""

import os
import subprocess
import sys

import numpy as np
import pytest
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from numpy.testing import assert_allclose

import supple as sp
from supple import viz
from supple.viz.style import Style
from supple.viz.view import State, View

PNG = b"\x89PNG\r\n\x1a\n"


def drawn(figure):
    """Number of polygons on all axes of a figure."""
    collections = [c for ax in figure.axes for c in ax.collections if isinstance(c, PolyCollection)]
    return sum(len(collection.get_paths()) for collection in collections)


def ink(figure):
    """Share of pixels that are not white."""
    figure.canvas.draw()
    return float(np.mean(np.asarray(figure.canvas.buffer_rgba())[:, :, :3].min(axis=2) < 250))


def test_a_robot_is_drawn(robot):
    figure = robot.plot(dpi=50)
    assert isinstance(figure, Figure)
    assert drawn(figure) > 500
    assert 0.02 < ink(figure) < 0.9


def test_pictures_need_neither_pyplot_nor_a_display():
    code = (
        "import sys, supple as sp\n"
        "robot = sp.Robot('r'); robot.add_link('a', sp.Rigid.box((1, 1, 1), density=1.0), joint=sp.Revolute('y'))\n"
        "robot.plot().canvas.draw()\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    environment = {key: value for key, value in os.environ.items() if key not in ("DISPLAY", "MPLBACKEND")}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)


def test_a_missing_matplotlib_is_named_with_its_remedy():
    code = (
        "import sys\n"
        "sys.modules['matplotlib'] = None\n"
        "import supple as sp\n"
        "robot = sp.Robot('r'); robot.add_link('a', sp.Rigid.box((1, 1, 1), density=1.0), joint=sp.Revolute('y'))\n"
        "try:\n"
        "    robot.plot()\n"
        "except sp.MissingExtraError as error:\n"
        "    assert isinstance(error, ImportError) and 'pip install \"supple[viz]\"' in str(error), error\n"
        "else:\n"
        "    raise SystemExit('no error')\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_robot_with_loops_is_drawn_assembled():
    robot = sp.Robot("four-bar")
    bar = sp.Rigid.cylinder(1.0, 0.05, density=1.0)
    robot.add_link("a", bar, joint=sp.Revolute("y"), at=sp.pose(rpy=(0, -1.2, 0)))
    robot.add_link("b", bar, joint=sp.Revolute("y"), parent="a")
    robot.add(sp.Loop("end", a=("b", sp.pose()), b=("world", sp.pose((1.2, 0, 0))), joint=sp.Revolute("y")))
    model = robot.compile()
    view = viz.draw(model, None, robot_axes(), frames=True)
    assert_allclose(model.loop_error(model.assemble()), 0.0, atol=1e-8)
    assert view.cloud[:, 0].max() == pytest.approx(1.2, abs=0.2)


def robot_axes():
    return Figure(figsize=(4, 3)).add_axes((0, 0, 1, 1))


def test_pictures_on_given_axes_stay_there(model):
    ax = robot_axes()
    assert model.plot(np.zeros(model.n), ax=ax) is ax.figure
    left, right = ax.get_xlim()
    bottom, top = ax.get_ylim()
    assert (right - left) / (top - bottom) == pytest.approx(4 / 3)  # true to scale


@pytest.mark.parametrize("view", [None, (0.0, 0.0), (120.0, -40.0), (-60.0, 90.0)])
def test_the_window_holds_the_robot(model, view):
    q = 0.5 * np.random.default_rng(0).standard_normal(model.n)
    ax = robot_axes()
    view = viz.draw(model, q, ax, view=view)
    places = view.camera.project(model.points(q)[:, :3, 3])
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    assert np.all((places[:, 0] > left) & (places[:, 0] < right))
    assert np.all((places[:, 1] > bottom) & (places[:, 1] < top))


def test_options_switch_parts_off(model):
    full = drawn(model.plot(t=1.0, frames=True))
    for option in ("frames", "lines", "ground", "loads", "contacts"):
        assert drawn(model.plot(t=1.0, **{"frames": True, option: False})) < full, option


def test_tendons_are_coloured_by_tension(model):
    def colours(u):
        figure = model.plot(u=u)
        figure.canvas.draw()
        edges = [c.get_edgecolors() for ax in figure.axes for c in ax.collections if isinstance(c, PolyCollection)]
        return {tuple(np.round(row[:3], 3)) for row in np.concatenate(edges)}

    slack, taut = (tuple(np.round(viz.style.TENSION(x)[:3], 3)) for x in (0.0, 1.0))
    assert taut not in colours(None)
    assert {slack, taut} <= colours([0.0, 7.0])


def test_arrows_share_one_scale(model):
    states = [State(np.zeros(model.n), t=t) for t in (0.0, 1.0, 2.0)]
    assert View.of(model, Style(), states).most["force"] == pytest.approx(4.0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"veiw": (0, 0)}, r"there is no option 'veiw'; did you mean 'view'\?"),
        ({"view": (0, 0, 0)}, r"view has shape \(3,\)"),
        ({"up": (0, 0, 0)}, "up is zero"),
        ({"size": (0, 1)}, "size is"),
        ({"dpi": 0}, "dpi is 0"),
        ({"dpi": "fine"}, "dpi is 'fine', must be a number"),
        ({"dpi": np.inf}, "dpi is inf"),
        ({"view": 1j}, "view is"),
        ({"frames": "no"}, "frames is 'no', must be True or False"),
        ({"follow": 1}, "follow is 1, must be True or False"),
        ({"title": 3}, "title is 3, must be a text"),
        ({"ax": "left"}, "ax is 'left', must be axes"),
        ({"t": "now"}, "t is 'now'"),
        ({"t": np.nan}, "t is nan"),
        ({"path": 3}, "path is 3, must be the name of a file"),
        ({"path": b"arm.png"}, "must be the name of a file"),
        ({"path": "arm\0.png"}, "cannot be the name of a file"),
        ({"path": ""}, "cannot save a picture as ''"),
        ({"path": "arm"}, "its name must end in one of"),
        ({"q": "arm.png", "path": "other.png"}, "two paths are given"),
    ],
)
def test_bad_options_are_named(model, options, message):
    with pytest.raises(sp.PictureError, match=message):
        model.plot(**options)


@pytest.mark.parametrize("name", ["arm.png", "arm.PNG", "arm.pdf", "arm.svg"])
def test_pictures_are_saved_where_they_are_asked_for(robot, model, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    q = np.zeros(model.n)
    for draw in (
        lambda: robot.plot(name, dpi=40),
        lambda: model.plot(tmp_path / name, dpi=40),
        lambda: model.plot(q, path=name, dpi=40),
        lambda: robot.plot(q, path=name, dpi=40),
    ):
        assert isinstance(draw(), Figure)
        assert [path.name for path in tmp_path.iterdir()] == [name]
        assert (tmp_path / name).stat().st_size > 1000
        (tmp_path / name).unlink()


def test_a_picture_that_cannot_be_written_leaves_nothing(model, tmp_path):
    (tmp_path / "folder.png").mkdir()
    for path in (tmp_path / "folder.png", tmp_path / "no" / "where.png", tmp_path / ("x" * 300 + ".png")):
        with pytest.raises(sp.StorageError, match="cannot write"):
            model.plot(path, dpi=40)
    assert [path.name for path in tmp_path.iterdir()] == ["folder.png"]


def test_the_overview_is_saved_whole(motion, tmp_path):
    path = tmp_path / "motion.png"
    figure = motion.plot(path, watch=[("arm", 0.5), ("hand", 0.0)], dpi=50)
    assert path.read_bytes().startswith(PNG)
    assert len(figure.axes) >= 5  # the robot, x, y, z, inputs, energy
    assert list(tmp_path.iterdir()) == [path]


def test_the_tips_of_leaves_are_watched_by_default(motion):
    figure = viz.time_series(motion)
    lines = figure.axes[2].get_lines()
    assert len(lines) == 1
    assert_allclose(lines[0].get_ydata(), motion.tip("hand")[:, 2], atol=1e-12)


def test_a_strip_has_so_many_frames_with_times(motion, tmp_path):
    figure = viz.snapshots(motion, number=4, path=tmp_path / "strip.pdf", dpi=50)
    words = [text.get_text() for ax in figure.axes for text in ax.texts]
    assert [word for word in words if word.startswith("t =")] == ["t = 0 s", "t = 0.1 s", "t = 0.2 s", "t = 0.3 s"]
    limits = {tuple(np.round([*ax.get_xlim(), *ax.get_ylim()], 9)) for ax in figure.axes[:4]}
    assert len(limits) == 1  # all at one scale
    assert (tmp_path / "strip.pdf").stat().st_size > 1000


@pytest.mark.parametrize("number", [0, 2.0, "six", 10**9])
def test_absurd_numbers_of_snapshots_are_refused(motion, number):
    with pytest.raises(sp.PictureError, match="snapshots: number is"):
        viz.snapshots(motion, number=number)


def test_traces_and_energy(motion):
    assert drawn(viz.tip_traces(motion, watch=[("arm", 1.0)], dpi=50)) > 1000
    figure = viz.energy(motion)
    total = figure.axes[0].get_lines()[3].get_ydata()
    rows = motion.energy()[:, 3]
    assert_allclose(total, rows - rows[0])


@pytest.mark.parametrize(
    ("watch", "message"),
    [
        ([("leg", 1.0)], "watch: there is no link 'leg'"),
        (["arm"], "watch holds 'arm'"),
        ([("hand", 0.5)], "the link is rigid"),
        ([("arm", 2.0)], "watch: link 'arm': s is 2"),
        ([("arm", "end")], "watch: s is 'end'"),
        ([([], 1.0)], r"watch: there is no link \[\]"),
        (3, "watch is 3, must be stations"),
        ("arm", "watch is 'arm', must be stations"),
    ],
)
def test_watched_stations_are_checked(motion, watch, message):
    with pytest.raises(sp.PictureError, match=message):
        motion.plot(watch=watch)


def test_a_bad_ending_is_refused_and_leaves_nothing(motion, tmp_path):
    with pytest.raises(sp.PictureError, match=r"cannot save a picture as 'motion.xyz': its name must end in one of"):
        motion.plot(tmp_path / "motion.xyz")
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_not_there_is_a_storage_error(motion, tmp_path):
    with pytest.raises(sp.StorageError, match="cannot write"):
        motion.plot(tmp_path / "nowhere" / "motion.png")


def test_a_trajectory_without_its_model_says_how_to_get_it(motion, tmp_path):
    loaded = sp.Trajectory.load(motion.save(tmp_path / "motion"))
    with pytest.raises(sp.ModelError, match=r"Trajectory\.load\(path, model\)"):
        loaded.plot()


def test_a_single_state_has_its_page(model, motion):
    one = model.simulate(np.array([0.0, 1e-3]), u=[1.0, 0.0])
    first = sp.Trajectory(*(getattr(one, name)[:1] for name in ("t", "q", "v", "a", "u", "z", "efforts")),
                          one.multipliers, one.stats, one.description, model)  # fmt: skip
    assert drawn(first.plot(dpi=50)) > 500


def test_an_empty_motion_is_refused(motion):
    none = sp.Trajectory(*(getattr(motion, name)[:0] for name in ("t", "q", "v", "a", "u", "z", "efforts")),
                         motion.multipliers, motion.stats, motion.description, motion.model)  # fmt: skip
    for draw in (none.plot, lambda: none.animate("motion.gif"), lambda: viz.snapshots(none)):
        with pytest.raises(sp.PictureError, match="the trajectory is empty"):
            draw()


def test_a_point_mass_is_seen():
    robot = sp.Robot("pendulum")
    robot.add_link("bob", sp.Rigid(1.0, (0, 0, 0), com=(0.0, 0.0, -1.0)), joint=sp.Revolute("y"))
    figure = robot.plot(ground=False, dpi=50)
    assert drawn(figure) > 8  # the plate, the string and the bob
    assert ink(figure) > 0.005


def test_3d_axes_are_refused(model):
    ax = Figure().add_subplot(projection="3d")
    with pytest.raises(sp.PictureError, match="must be plain axes"):
        model.plot(ax=ax)


def test_inputs_are_checked(model):
    with pytest.raises(sp.ShapeError, match="u has shape"):
        model.plot(u=[1.0])
