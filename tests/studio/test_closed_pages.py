"""Pages that come and go while robots move, studios that end in the midst of something: no thread minds."""

import asyncio
import contextlib
import gc
import socket
import sys
import threading
import warnings

import msgspec
import pytest
import viser
import websockets
from test_hostile_pages import CAMERA, wait_for
from websockets.asyncio.client import connect

from supple.serving import site
from supple.serving.door import free_port
from supple.serving.gate import Gate
from supple.studio import studio as stages
from supple.studio.actor import Actor
from supple.studio.viewing import view

pytestmark = pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")  # sockets that viser's server leaves


@pytest.fixture
def mishaps(monkeypatch):
    """What threads and destructors raise where nobody catches it, and what viser's workers print."""
    seen = []
    monkeypatch.setattr(threading, "excepthook", lambda arguments: seen.append(arguments.exc_value))
    monkeypatch.setattr(sys, "unraisablehook", lambda arguments: seen.append(arguments.exc_value))
    return seen


def threads():
    return [one.name for one in threading.enumerate() if "supple studio" in one.name]


def visit(studio, count, seconds):
    """Open pages, and close them after some time unless the studio hangs up before."""
    protocols = [f"viser-v{viser.__version__}"]

    async def one():
        try:
            async with connect(studio.url.replace("http", "ws"), subprotocols=protocols, max_size=None) as page:
                await page.send(msgspec.msgpack.encode(CAMERA))
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(page.wait_closed(), seconds)
        except (websockets.exceptions.WebSocketException, OSError):
            pass  # the studio ended

    async def all_of_them():
        await asyncio.gather(*(one() for _ in range(count)))

    asyncio.run(all_of_them())


def test_pages_that_come_and_go_leave_no_trace(arm, mishaps, capfd):
    before = list(warnings.filters)
    with view(arm, open_browser=False, wait=False, mode="Dynamics") as studio:
        assert studio.settled.wait(300.0)
        for seconds in (0.0, 0.1, 0.0):
            visit(studio, 10, seconds)
        wait_for(lambda: not studio.server.get_clients() and not studio.pace.watched and studio.pace.ready)
        wait_for(lambda: not [name for name in threads() if "page" in name])
        assert studio.pace._pages == {}
        assert studio._seen
        studio.wait()  # returns, as the last page has gone
    assert threads() == []
    assert mishaps == []
    assert list(warnings.filters) == before
    assert "Traceback" not in capfd.readouterr().err


def test_a_studio_ends_under_open_pages(arm, mishaps, capfd):
    studio = view(arm, open_browser=False, wait=False, mode="Dynamics")
    assert studio.settled.wait(300.0)
    visitor = threading.Thread(target=visit, args=(studio, 5, 600.0), daemon=True)
    visitor.start()
    wait_for(lambda: len(studio.server.get_clients()) == 5 and studio.actors[0].engine.shots > 2)
    enders = [threading.Thread(target=studio.stop) for _ in range(4)]  # all at once
    for one in enders:
        one.start()
    for one in [*enders, visitor]:
        one.join(120.0)
        assert not one.is_alive()
    assert threads() == []
    (actor,) = studio.actors
    actor.draw(actor.act.state)  # what still has something to show goes on without a word
    studio.toolbar.told.content = "too late"
    assert mishaps == []
    assert "Traceback" not in capfd.readouterr().err


def test_a_studio_that_does_not_come_about_leaves_nothing(arm, monkeypatch):
    def broken(*given):
        raise RuntimeError("no toolbar")

    servers, serve = [], site._serve
    monkeypatch.setattr(site, "_serve", lambda *given: servers.append(serve(*given)) or servers[-1])
    monkeypatch.setattr(stages, "Toolbar", broken)
    with pytest.raises(RuntimeError, match="no toolbar"):
        view(arm, open_browser=False, wait=False)
    wait_for(lambda: threads() == [])
    assert not servers[0]._websock_server._server_thread.is_alive()


def test_what_fails_as_a_robot_is_settled_is_told_on_its_page(arm, mishaps, monkeypatch):
    monkeypatch.setattr(stages, "SOON", 0.0)  # robots enter before they are planned
    begin, tried = Actor._begin, []

    def fail_at_first(self, plan, panel):
        tried.append(self.name)
        if len(tried) == 1:
            raise ZeroDivisionError("a law that fails now and then")
        begin(self, plan, panel)

    monkeypatch.setattr(Actor, "_begin", fail_at_first)
    with view(arm, arm, open_browser=False, wait=False) as studio:
        assert studio.settled.wait(300.0)
        first, second = studio.actors
        assert not first.settled
        assert "now and then" in first.panel.status.content
        assert second.settled
    assert mishaps == []


def test_a_gate_closes_all_connections(mishaps):
    """Whoever says nothing, whoever does not read, and both sides of what it passes on."""
    inner = socket.create_server(("127.0.0.1", 0))
    with warnings.catch_warnings():
        warnings.simplefilter("error", ResourceWarning)
        port = free_port("127.0.0.1", 18_080)
        gate = Gate("127.0.0.1", port, inner.getsockname()[1])
        silent = socket.create_connection(("127.0.0.1", port))
        reading = socket.create_connection(("127.0.0.1", port))
        reading.sendall(f"GET / HTTP/1.1\r\nCookie: {gate.cookie}={gate.token}\r\n\r\n".encode())
        there, _ = inner.accept()
        there.settimeout(60.0)
        assert b"X-Supple-Pass" in there.recv(4096)
        there.setblocking(False)
        try:
            while there.send(bytes(65_536)):  # more than anybody reads
                pass
        except BlockingIOError:
            pass
        gate.stop()
        gate.stop()
        assert gate._loop.is_closed()
        gc.collect()
    for one in (silent, reading, there, inner):
        one.close()
    assert threads() == []
    assert mishaps == []
