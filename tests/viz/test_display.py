"""How pictures come before one's eyes: windows where there are any, notebooks, and words where there is neither."""

import os
import pickle
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import supple as sp
from supple.viz import display as window

START = """
import sys, supple as sp
robot = sp.Robot("r")
robot.add_link("a", sp.Rigid.box((1, 1, 1), density=1.0), joint=sp.Revolute("y"))
"""


def script(code, backend="module://windows"):
    """Run a user's script in a process of its own, with windows in memory unless another backend is asked for."""
    paths = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "MPLBACKEND": backend, "PYTHONPATH": paths}
    environment.pop("DISPLAY", None)
    subprocess.run([sys.executable, "-W", "error", "-c", START + code], check=True, env=environment)


def test_show_opens_a_window_and_waits_until_it_is_closed():
    script(
        "figure = robot.plot()\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
        "import windows\n"
        "figure.show()\n"
        "assert windows.SHOWN == [figure, 'waited'], windows.SHOWN\n"
        "assert figure.dpi == 150\n"  # that of a window is coarser
        "figure.canvas.draw(); figure._repr_png_()\n"
        "figure.show()\n"  # again, after its window was closed
        "assert windows.SHOWN == 2 * [figure, 'waited'], windows.SHOWN\n"
    )


def test_a_window_can_be_asked_for_at_once():
    script(
        "figure = robot.plot(show=True)\nimport windows\nassert windows.SHOWN == [figure, 'waited'], windows.SHOWN\n"
    )


def test_plt_show_shows_pictures_that_were_not_saved(tmp_path):
    script(
        "import matplotlib.pyplot as plt, windows\n"
        f"robot.plot({str(tmp_path / 'robot.png')!r})\n"
        "mine = plt.figure()\n"
        "figures = [mine, robot.plot(), robot.compile().plot([0.1])]\n"
        "assert windows.SHOWN == [] and len(plt.get_fignums()) == 3\n"
        "plt.show()\n"
        "assert windows.SHOWN == [*figures, 'waited'], windows.SHOWN\n"
        "assert not plt.get_fignums()\n"
    )
    assert (tmp_path / "robot.png").is_file()


def test_windows_appear_at_once_in_interactive_mode():
    script(
        "import matplotlib.pyplot as plt, windows\n"
        "plt.ion()\n"
        "figure = robot.plot()\n"
        "assert windows.SHOWN == [figure], windows.SHOWN\n"
    )


def test_so_many_windows_and_no_more():
    script(
        "import matplotlib.pyplot as plt\n"
        "plt.rcParams['figure.max_open_warning'] = 3\n"
        "model = robot.compile()\n"
        "for _ in range(5): model.plot()\n"
        "assert len(plt.get_fignums()) == 3\n"
    )


def test_pictures_of_other_threads_have_no_windows():
    script(
        "import matplotlib.pyplot as plt, threading\n"
        "model, errors = robot.compile(), []\n"
        "def work():\n"
        "    figure = model.plot()\n"
        "    try: figure.show()\n"
        "    except sp.PictureError as error: errors.append(error)\n"
        "thread = threading.Thread(target=work); thread.start(); thread.join()\n"
        "assert not plt.get_fignums() and len(errors) == 1, errors\n"
    )


def test_without_windows_the_remedy_is_named():
    script(
        "import matplotlib.pyplot as plt\n"
        "figure = robot.plot()\n"
        "assert not plt.get_fignums()\n"
        "for show in (figure.show, lambda: robot.plot(show=True)):\n"
        "    try: show()\n"
        "    except sp.PictureError as error: assert 'robot.plot(\"arm.png\")' in str(error), error\n"
        "    else: raise SystemExit('no error')\n"
        "figure.canvas.draw()\n",
        "agg",
    )


def test_notebooks_show_pictures_by_themselves(model):
    data, size = model.plot(size=(4.0, 3.0))._repr_png_()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    assert size == {"width": 384, "height": 288}


def test_in_a_notebook_show_displays_and_nothing_is_left_to_pyplot(model, monkeypatch):
    displayed = []

    class Shell:
        kernel = object()

    fake = type(sys)("IPython")
    fake.get_ipython, fake.version_info = Shell, (9, 0)
    fake.display = type(sys)("IPython.display")
    fake.display.display = displayed.append
    monkeypatch.setitem(sys.modules, "IPython", fake)
    monkeypatch.setitem(sys.modules, "IPython.display", fake.display)
    monkeypatch.setattr(window, "adopt", lambda figure: pytest.fail("a notebook needs no window"))
    figure = model.plot()
    assert displayed == []  # it is the cell's value
    figure.show()
    assert displayed == [figure]
    assert model.plot(show=True) is displayed[1]


def test_figures_travel_between_processes(model):
    assert pickle.loads(pickle.dumps(model.plot()))._repr_png_()[0].startswith(b"\x89PNG")


def test_threads_draw_the_same_picture(model):
    def picture():
        return model.plot(dpi=40)._repr_png_()[0]

    drawn = []
    threads = [threading.Thread(target=lambda: drawn.append(picture())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert drawn == 4 * [picture()]


def test_absurd_sizes_are_refused_before_memory_is_taken(model):
    for options in ({"dpi": 1e6}, {"size": (1e5, 1.0)}, {"size": (200.0, 200.0)}):
        with pytest.raises(sp.PictureError, match="pixels, too many to hold"):
            model.plot(**options)
