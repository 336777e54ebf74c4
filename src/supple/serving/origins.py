"""Which web pages may talk to a studio: its own, and nobody else's.

Whatever runs in a browser may open web sockets to any address of the machine it runs on, a page of any site included;
browsers only tell, in the header ``Origin``, whose page it is. So a connection is let in if that is the studio's own
page, under a name of this machine: comparing with ``Host`` alone would let in a site whose name leads here (whose
owner has the name server say so). Programs that are no browsers send no origin, and are let in: they run on this
machine, and could do worse by themselves.
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from supple.errors import MissingExtraError

#: Names of this machine that no name server is asked for; names below ``localhost`` are its own, too.
OWN = ("127.0.0.1", "localhost", "::1")

#: Header by which a gate tells that it let a connection in.
PASS = "X-Supple-Pass"


def welcome(headers: Mapping[str, str], secret: str = "") -> bool:
    """Whether a request for a web socket comes from the studio's own page, from no page at all, or through its gate.

    Parameters
    ----------
    headers : mapping
        Of the request; names in any case.
    secret : str
        What the gate sends along; empty if there is none.
    """
    given = {name.lower(): value for name, value in headers.items()}
    if secret and hmac.compare_digest(given.get(PASS.lower(), "").encode("utf-8", "replace"), secret.encode()):
        return True
    origin = given.get("origin")
    if origin is None:
        return True
    try:
        parts = urlsplit(origin)
        name, place = parts.hostname or "", parts.netloc
    except ValueError:  # brackets that do not close
        return False
    return (name in OWN or name.endswith(".localhost")) and place.lower() == given.get("host", "").lower()


def guard(server: Any, secret: str = "", came: Callable[[int], Any] = lambda page: None) -> None:
    """Let a server of viser hang up on pages of others before anything is sent to them, or taken from them.

    ``came`` gets the number of every page that is let in.
    viser itself asks nobody, so this reaches into it; where that fails there is no studio, rather than an open one.
    """
    try:
        inner = server._websock_server
        callbacks, connections, states = inner._client_connect_cb, inner._live_connections, inner._client_state_from_id
    except AttributeError as error:
        import viser

        raise MissingExtraError(
            f"the studio does not know viser {viser.__version__} ({error}), and cannot keep pages of others away: "
            'pip install --upgrade "supple[view]", or an older viser'
        ) from error

    async def look(client: Any) -> None:
        connection = connections[client.client_id]
        if welcome(dict(connection.request.headers.raw_items()), secret):
            came(client.client_id)
            return
        connections.pop(client.client_id, None)
        states.pop(client.client_id, None)
        await connection.close(1008, "pages of other sites are not let in")
        raise asyncio.CancelledError  # ends the handler of this connection, in silence

    callbacks.insert(0, look)
    inner.disconnect_all_clients()  # whoever came before; the studio's own page comes again
