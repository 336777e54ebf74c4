"""The command ``supple view``."""

import threading
import time
import urllib.request

from supple.cli.main import main


def test_a_system_is_served_until_nobody_comes(capsys, monkeypatch):
    from supple.studio import studio

    monkeypatch.setattr(studio.Studio, "wait", lambda self: urllib.request.urlopen(self.url, timeout=60).read())
    assert main(["view", "cantilever", "--no-browser", "--port", "8790"]) == 0
    out = capsys.readouterr().out
    assert "cantilever is at http://127.0.0.1:" in out
    time.sleep(0.1)
    assert not [thread for thread in threading.enumerate() if "supple studio" in thread.name]


def test_a_wrong_mode_is_refused(capsys):
    assert main(["view", "cantilever", "--no-browser", "--mode", "jumping"]) == 2
    assert "mode is 'Jumping'" in capsys.readouterr().err
