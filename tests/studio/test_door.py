"""A page is there before viser is loaded, and whoever comes meanwhile is let in later, not sent away."""

import asyncio
import contextlib
import socket
import subprocess
import sys
import threading
import urllib.request

import pytest

from supple.errors import StorageError
from supple.serving.door import Door, free_port


@pytest.fixture
def door():
    made = Door("127.0.0.1", 8650)
    yield made
    made.close()


def ask(door, request):
    """All that is answered to a request."""
    with socket.create_connection((door.host, door.port), timeout=10.0) as guest:
        guest.sendall(request)
        with contextlib.suppress(ConnectionResetError):
            return b"".join(iter(lambda: guest.recv(65_536), b""))
        return b""


def test_the_page_is_served_before_viser_is_loaded():
    program = (
        "import sys, urllib.request\n"
        "from supple.serving.door import Door\n"
        "door = Door('127.0.0.1', 8650)\n"
        "page = urllib.request.urlopen(door.url, timeout=60).read()\n"
        "door.close()\n"
        "assert b'<html' in page.lower() and page.rstrip().endswith(b'</html>')\n"
        "assert not {'viser', 'websockets', 'numpy', 'numba'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_connections_in_advance_and_other_requests_do_not_keep_the_page_from_anybody(door):
    with socket.create_connection((door.host, door.port)):  # browsers open some before they have anything to ask
        assert ask(door, b"GET /other HTTP/1.1\r\n\r\n") == b""
        assert ask(door, b"GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n") == b""  # a page of an earlier studio
        assert ask(door, b"nonsense\r\n\r\n") == b""
        assert ask(door, b"GET /?token=1 HTTP/1.1\r\n\r\n").startswith(b"HTTP/1.1 200 OK")


def test_who_comes_later_waits_for_the_server(door):
    """In the system's queue: the socket is the same, so nobody is refused in between."""
    urllib.request.urlopen(door.url, timeout=10).read()
    with socket.create_connection((door.host, door.port), timeout=10.0) as guest:
        guest.sendall(b"GET /late HTTP/1.1\r\nHost: here\r\n\r\n")
        with serving(door) as loop:
            guest.settimeout(0.2)
            with pytest.raises(TimeoutError):
                guest.recv(100)
            guest.settimeout(10.0)
            door.let_in(loop)
            assert guest.recv(100).startswith(b"HTTP/1.1 418")


@contextlib.contextmanager
def serving(door, port=None):
    """A server of websockets that is made as viser makes its own, by an address; yields its loop."""
    import websockets.asyncio.server as servers
    from websockets.datastructures import Headers
    from websockets.http11 import Response

    loop, ready, ended = asyncio.new_event_loop(), threading.Event(), asyncio.Event()

    async def handle(connection):
        """Never reached."""

    async def serve():
        teapot = Response(418, "I'm a teapot", Headers())
        made = servers.serve(handle, door.host, port or door.port, process_request=lambda *_: teapot)
        async with made:
            ready.set()
            await ended.wait()

    with door.taken_over():
        thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
        thread.start()
        assert ready.wait(10.0)
    try:
        yield loop
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join()
        loop.close()


def test_servers_of_others_are_left_alone(door):
    with serving(door, free_port(door.host, 8750)):
        assert not door.passed_on
    assert ask(door, b"GET / HTTP/1.1\r\n\r\n")


def test_the_next_free_port_is_taken_and_none_left_is_told(door, monkeypatch):
    monkeypatch.setattr("supple.serving.door.PORTS", 1)
    with pytest.raises(StorageError, match=f"ports {door.port} to {door.port}: "):
        Door(door.host, door.port)
    monkeypatch.undo()
    other = Door(door.host, door.port)
    try:
        assert door.port < other.port < door.port + 100
    finally:
        other.close()


def test_closing_ends_it(door):
    door.close()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((door.host, door.port))
    assert not [thread for thread in threading.enumerate() if thread.name == "supple studio, door"]


def test_a_page_that_is_not_there_yet_is_left_to_viser(monkeypatch, tmp_path):
    monkeypatch.setattr(
        "supple.serving.door.find_spec", lambda name: type("Spec", (), {"submodule_search_locations": [str(tmp_path)]})
    )
    door = Door("127.0.0.1", 8650)
    try:
        with socket.create_connection((door.host, door.port), timeout=0.3) as guest:
            guest.sendall(b"GET / HTTP/1.1\r\n\r\n")
            with pytest.raises(TimeoutError):
                guest.recv(100)
    finally:
        door.close()
