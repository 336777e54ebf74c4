"""The place where a studio is served: to this machine alone, or to others through a gate."""

from __future__ import annotations

import contextlib
import io
import os
import secrets
import socket
import sys
from typing import Any

from supple.errors import MissingExtraError, StorageError
from supple.serving.door import Door, free_port, named
from supple.serving.gate import Gate
from supple.serving.origins import OWN, guard

#: Colour of buttons and sliders.
BRAND = (0, 114, 178)


class Site:
    """A web server that answers from now on, with an empty page until a studio fills it.

    Parameters
    ----------
    host : str
        Address to serve at; beyond this machine there is a gate before it, which asks for a token.
    port : int
        First port to try; the next free one is taken.
    dark : bool
        Colours of the page.
    door : Door, optional
        That of this machine, if it was opened before; then host and port are its own.

    Attributes
    ----------
    server : ViserServer
    gate : Gate or None
    early : set of int
        Pages that came before there was anything to see; `opened` tells that there is.
    """

    def __init__(self, host: str, port: int, dark: bool = False, door: Door | None = None) -> None:
        outside, secret = host not in OWN, secrets.token_urlsafe(24)
        self.early: set[int] = set()
        self._empty, self._ended = True, False
        door = door or Door("127.0.0.1" if outside else host, port)
        try:
            self.server = _serve(door)
        except BaseException:
            door.close()
            raise
        try:
            hush(self.server)
            guard(self.server, secret, self._came)
            set_theme(self.server, dark)
            # before any page comes: without a graphics card, a browser takes seconds to make light of it
            self.server.scene.configure_environment_map(None)
            if door.passed_on:
                door.let_in(self.server.get_event_loop())
            self.gate = _gate(host, port, self.server.get_port(), secret) if outside else None
        except BaseException:
            _stop(self.server)
            raise

    def _came(self, page: int) -> None:
        if self._empty:
            self.early.add(page)

    def opened(self) -> None:
        """There is something to see: pages that come from now on find it at once."""
        self._empty = False

    @property
    def url(self) -> str:
        """Where a browser finds it; with the token, if other machines reach it."""
        if self.gate is None:
            return f"http://{named(self.server.get_host())}:{self.server.get_port()}"
        host = socket.gethostname() if self.gate.host in ("0.0.0.0", "::", "") else self.gate.host
        return f"http://{named(host)}:{self.gate.port}/?token={self.gate.token}"

    def stop(self) -> None:
        """End the server, and the gate; once is enough."""
        if self._ended:
            return
        self._ended = True
        if self.gate is not None:
            self.gate.stop()
        _stop(self.server)

    def __enter__(self) -> Site:
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()


def set_theme(server: Any, dark: bool) -> None:
    """Colours of the page, without what is viser's own."""
    server.gui.configure_theme(dark_mode=dark, show_logo=False, show_share_button=False, brand_color=BRAND)


def hush(who: Any) -> None:
    """Let viser not warn of what is sent to a page that was closed, or by a server that was stopped, a moment before.

    People close pages while something is on its way to them; that is no news. ``who`` is a client or a server of
    viser, which warns once for each: it is told that it has. (A filter of `warnings` would be one of all threads.)
    """
    connection = getattr(who, "_websock_connection", None) or getattr(who, "_websock_server", None)
    if connection is not None:
        connection.get_message_buffer()._warned_push_after_done = True


def _serve(door: Door) -> Any:
    """A server of viser behind a door, which is quiet and shares nothing with the world."""
    try:
        import viser
    except ImportError as error:
        raise MissingExtraError('the studio needs viser, which is not installed: pip install "supple[view]"') from error

    def serve() -> Any:
        with contextlib.redirect_stdout(io.StringIO()):  # its greeting
            return viser.ViserServer(host=door.host, port=door.port, label="supple", verbose=False)

    with door.taken_over():
        server = serve()
    if not door.passed_on:  # a viser that makes its socket in another way, and found this port in use
        _stop(server)
        door.close()
        server = serve()
    return server


def _stop(server: Any) -> None:
    with contextlib.redirect_stdout(io.StringIO()):  # its farewell
        server.stop()


def _gate(host: str, port: int, inner: int, secret: str) -> Gate:
    """The gate of a studio that other machines reach."""
    try:
        return Gate(host, free_port(host, port), inner, secret)
    except OSError as error:
        raise StorageError(f"the studio cannot be served at {host}: {error}") from error


def has_display() -> bool:
    """Whether a browser could open a window here."""
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
