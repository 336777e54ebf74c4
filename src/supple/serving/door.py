"""The door of a site: it answers before the server behind it is even loaded.

Loading viser takes as long as a browser takes for the page that viser serves, so they do it side by side: the door
listens from the first moment on, and gives the page to whoever comes first. All who come after that wait outside, in
the system's queue, until the server takes the door over: the same socket, so that nobody is sent away in between.
"""

from __future__ import annotations

import asyncio
import contextlib
import selectors
import socket
import sys
import threading
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from supple.errors import MissingExtraError, StorageError

#: How many ports are tried.
PORTS = 100

#: How many may wait outside.
QUEUE = 100

#: Longest request that is read, bytes, and how long it may take to send the page, or to take the door over, s.
LONGEST, PATIENCE = 32_768, 10.0

#: What is sent before the page; viser's own is compressed already.
HEAD = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\r\n"


class Door:
    """Listens at the first free port, and answers the first request for the page.

    Attributes
    ----------
    host : str
    port : int
    """

    def __init__(self, host: str, port: int) -> None:
        page = _page()
        self.host, self._listener = host, _listen(host, port)
        self.port: int = self._listener.getsockname()[1]
        self._behind: Any = None
        self._here, self._there = socket.socketpair()
        self._thread = threading.Thread(target=self._answer, args=(page,), name="supple studio, door", daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """Where a browser finds it."""
        return f"http://{named(self.host)}:{self.port}"

    @contextlib.contextmanager
    def taken_over(self) -> Iterator[None]:
        """Block in which a server of websockets that is made for this port gets the door in its place.

        It lets nobody in before `let_in`. viser takes no socket, but an address alone; so this goes between.
        """
        import websockets.asyncio.server as servers

        plain = servers.serve

        def serve(handler: Any, host: Any = None, port: Any = None, **options: Any) -> Any:
            if port != self.port or self._behind is not None:
                return plain(handler, host, port, **options)
            self._leave()
            self._behind = plain(handler, sock=self._listener, start_serving=False, **options)
            return self._behind

        servers.serve = serve  # type: ignore[assignment,misc]
        try:
            yield
        finally:
            servers.serve = plain  # type: ignore[misc]

    @property
    def passed_on(self) -> bool:
        """Whether a server has taken it over."""
        return self._behind is not None

    def let_in(self, loop: asyncio.AbstractEventLoop) -> None:
        """Let the server behind it, in whose loop that is, take whoever waits outside."""
        asyncio.run_coroutine_threadsafe(self._behind.server.start_serving(), loop).result(PATIENCE)

    def close(self) -> None:
        """Answer nobody any more; a server that has taken it over has it."""
        self._leave()
        if not self.passed_on:
            self._listener.close()

    def __enter__(self) -> Door:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _leave(self) -> None:
        """End the thread that answers."""
        self._there.close()
        self._thread.join(PATIENCE)
        self._here.close()

    def _answer(self, page: bytes) -> None:
        """Send the page to the first who asks for it; of those who come before, some may only be there in advance."""
        with selectors.DefaultSelector() as selector, contextlib.ExitStack() as guests:
            for one in (self._listener, self._here):
                selector.register(one, selectors.EVENT_READ)
            while page:
                for key, _ in selector.select():
                    if key.fileobj is self._here:
                        return
                    with contextlib.suppress(OSError):  # whoever asked has gone
                        if key.fileobj is self._listener:
                            guest = guests.enter_context(self._listener.accept()[0])
                            guest.settimeout(PATIENCE)
                            selector.register(guest, selectors.EVENT_READ)
                            continue
                        selector.unregister(key.fileobj)
                        if _serve(key.fileobj, page):  # type: ignore[arg-type]
                            return


def _serve(guest: socket.socket, page: bytes) -> bool:
    """Send the page, if that is what is asked for; hang up on all others, who may come again."""
    with guest:
        request = guest.recv(LONGEST)
        if not request.startswith((b"GET / ", b"GET /?")) or b"\r\nupgrade:" in request.lower():
            return False
        guest.sendall(HEAD.format(len(page)).encode() + page)
        return True


def _page() -> bytes:
    """The page of viser, which is not loaded for that; empty if it is not there yet."""
    found = find_spec("viser")
    if found is None or not found.submodule_search_locations:
        raise MissingExtraError('the studio needs viser, which is not installed: pip install "supple[view]"')
    file = Path(found.submodule_search_locations[0]) / "client" / "build" / "index.html"
    return file.read_bytes() if file.is_file() else b""  # viser makes it when it is loaded


def free_port(host: str, first: int) -> int:
    """The first port from a number on that nobody uses."""
    with _listen(host, first) as listener:
        return int(listener.getsockname()[1])


def _listen(host: str, first: int) -> socket.socket:
    """A socket at that port."""
    reason: OSError | None = None
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for port in range(first, min(first + PORTS, 65536)):
        listener = socket.socket(family, socket.SOCK_STREAM)
        try:
            if sys.platform != "win32":  # there it would take a port from whoever has it
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((host, port))
            listener.listen(QUEUE)
            return listener
        except OSError as error:
            listener.close()
            reason = error
    raise StorageError(f"the studio cannot be served at {host}, ports {first} to {first + PORTS - 1}: {reason}")


def named(host: str) -> str:
    """An address as it stands in a URL."""
    return f"[{host}]" if ":" in host else host
