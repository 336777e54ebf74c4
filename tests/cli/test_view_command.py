"""The command ``supple view``."""

import functools
import inspect
import sys
import threading
import time
import urllib.request

import pytest

from supple.cli.main import main, straight
from supple.serving.site import Site


def test_a_system_is_served_until_nobody_comes(capsys, monkeypatch):
    from supple.studio import studio

    monkeypatch.setattr(studio.Studio, "wait", lambda self: urllib.request.urlopen(self.url, timeout=60).read())
    assert main(["view", "cantilever", "--no-browser", "--port", "8790"]) == 0
    out = capsys.readouterr().out
    assert "cantilever is at http://127.0.0.1:" in out
    time.sleep(0.1)
    assert not [thread for thread in threading.enumerate() if "supple studio" in thread.name]


@pytest.mark.parametrize(
    ("arguments", "order"),
    [
        (("cantilever",), ["browser", "site", "studio"]),
        (("cantilever", "--mode", "pose"), ["site", "studio", "browser"]),
        (("cantilever", "--set", "length=0.3"), ["site", "studio", "browser"]),
    ],
)
def test_a_browser_is_opened_at_once_where_nothing_typed_can_be_wrong(arguments, order, monkeypatch):
    from supple.cli import view
    from supple.studio import studio

    seen = []
    monkeypatch.setattr(view, "has_display", lambda: True)
    monkeypatch.setattr("webbrowser.open", lambda url: seen.append("browser"))
    monkeypatch.setattr(view, "Site", lambda *given: (seen.append("site"), Site(*given))[1])
    monkeypatch.setattr(studio.Studio, "_enter", lambda self, *given: seen.append("studio"))
    monkeypatch.setattr(studio.Studio, "wait", lambda self: None)
    monkeypatch.setattr(studio.Studio, "stop", lambda self: (self._give_up(), self.site.stop()))
    assert main(["view", *arguments, "--port", "8790"]) == 0
    assert seen == order


@pytest.mark.parametrize(("words", "browser"), [(("cantilever",), True), (("cantilever", "--no-browser"), False)])
def test_what_needs_no_parser_is_as_if_it_were_parsed(words, browser, monkeypatch):
    from supple.cli import view

    command, asked = view.view, []
    shape = inspect.signature(command)

    @functools.wraps(command)
    def ask(*given, **options):
        bound = shape.bind(*given, **options)
        bound.apply_defaults()
        asked.append(dict(bound.arguments))

    monkeypatch.setattr(view, "view", ask)
    assert main(["view", *words]) == 0
    with monkeypatch.context() as parsing:
        parsing.setattr("supple.cli.main.straight", lambda words: None)
        assert main(["view", *words]) == 0
    straight, parsed = asked
    assert straight == parsed
    assert straight["no_browser"] is not browser


@pytest.mark.parametrize(
    "words",
    [
        (), ("view",), ("run", "cantilever"), ("view", "cantilevre"), ("view", "Cantilever"), ("view", "--help"),
        ("view", "cantilever", "--help"), ("view", "cantilever", "--dark"), ("--debug", "view", "cantilever"),
        ("view", "cantilever", "fin-ray"),
    ],
)  # fmt: skip
def test_all_else_is_left_to_the_parser(words):
    assert straight(words) is None


def test_the_site_is_opened_while_the_robot_is_made(monkeypatch):
    """Each waits for the other here: one after the other, they would wait for ever."""
    from supple.cli import catalogue, view
    from supple.studio import studio

    made, opened, build = threading.Event(), threading.Event(), catalogue.build

    def site(*given):
        assert made.wait(60.0)
        assert sys.getswitchinterval() < 1e-3  # neither keeps the other from Python for long
        opened.set()
        return Site(*given)

    def system(*given):
        made.set()
        assert opened.wait(60.0)
        return build(*given)

    monkeypatch.setattr(view, "Site", site)
    monkeypatch.setattr(catalogue, "build", system)
    monkeypatch.setattr(studio.Studio, "wait", lambda self: None)
    before = sys.getswitchinterval()
    assert main(["view", "cantilever", "--no-browser", "--port", "8790"]) == 0
    assert sys.getswitchinterval() == before


@pytest.mark.parametrize("arguments", [("cantilevre",), ("cantilever", "--set", "lenght=1"), ("none.yaml",)])
def test_what_is_typed_wrongly_opens_no_browser(arguments, monkeypatch, capsys):
    from supple.cli import view

    monkeypatch.setattr(view, "has_display", lambda: True)
    monkeypatch.setattr("webbrowser.open", lambda url: pytest.fail("a browser was opened"))
    assert main(["view", *arguments, "--port", "8790"]) == 2
    assert "error:" in capsys.readouterr().err
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen("http://127.0.0.1:8790", timeout=10)


URDF = """<robot name="arm">
  <link name="base"/>
  <link name="upper"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
  <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/></joint>
</robot>"""


@pytest.mark.parametrize(("options", "mode"), [((), "Pose"), (("--mode", "dynamics"), "Dynamics")])
def test_a_urdf_is_posed_and_does_not_collapse_at_once(options, mode, monkeypatch, tmp_path):
    """Nothing drives it: what people look for is its joints."""
    from supple.studio import studio

    seen = []
    monkeypatch.setattr(studio.Studio, "wait", lambda self: seen.append(self.actors[0].options.mode))
    (tmp_path / "arm.urdf").write_text(URDF)
    assert main(["view", str(tmp_path / "arm.urdf"), "--no-browser", "--port", "8790", *options]) == 0
    assert seen == [mode]


def test_a_wrong_mode_is_refused(capsys):
    assert main(["view", "cantilever", "--no-browser", "--mode", "jumping"]) == 2
    assert "mode is 'Jumping'" in capsys.readouterr().err
