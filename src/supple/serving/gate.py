"""The gate in front of a studio that other machines can reach: whoever has no token does not come in.

The studio itself stays at an address of this machine alone. The gate listens outside, reads the head of the first
request of every connection, and passes the connection on only if it brings the token, in the address (which is
answered by a cookie) or in that cookie. A page of another site cannot use the cookie: it is strict, and connections of
web sockets must come from the page's own address. What it lets in carries a secret, by which the studio knows it
(`origins`).
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import secrets
import threading
import weakref
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlsplit

from supple.serving.origins import PASS

#: Longest head of a request, bytes, and how long to wait for it, s.
LONGEST, PATIENCE = 32_768, 10.0

#: How long to wait for connections to close at the end, s.
CLOSING = 5.0

#: Bytes that are passed on at once.
CHUNK = 65_536


class Gate:
    """Passes connections on to a port of this machine, if they bring the token; with a secret for whoever serves there.

    Attributes
    ----------
    token : str
        To be sent in the address, as ``?token=...``.
    """

    def __init__(self, host: str, port: int, inner: int, secret: str = "") -> None:
        self.host, self.port, self.inner, self._secret = host, port, inner, secret
        self.token = secrets.token_urlsafe(24)
        self.cookie = f"supple_{port}"
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._stop = asyncio.Event()
        self._failed: OSError | None = None
        self._writers: weakref.WeakSet[asyncio.StreamWriter] = weakref.WeakSet()
        self._thread = threading.Thread(target=self._run, name="supple studio, gate", daemon=True)
        self._thread.start()
        self._ready.wait()
        if self._failed is not None:
            raise self._failed

    def stop(self) -> None:
        """Close it, with all connections."""
        with contextlib.suppress(RuntimeError):  # its loop is closed already
            self._loop.call_soon_threadsafe(self._stop.set)
        if self._thread is not threading.current_thread():
            self._thread.join(CLOSING)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._listen())
        finally:
            self._loop.close()

    async def _listen(self) -> None:
        try:
            server = await asyncio.start_server(self._meet, self.host, self.port, limit=LONGEST)
        except OSError as error:
            self._failed = error
            self._ready.set()
            return
        self._ready.set()
        await self._stop.wait()
        server.close()
        others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        for writer in tuple(self._writers):  # who does not read is not waited for
            writer.transport.abort()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(server.wait_closed(), CLOSING)
        await asyncio.sleep(0.0)  # sockets are closed in the next round

    async def _meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), PATIENCE)
            answer = self.judge(head)
            if answer is not None:
                writer.write(answer)
                await writer.drain()
            else:
                await self._pass_on(head, reader, writer)
        except (TimeoutError, OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass  # whoever asked has gone, or never spoke HTTP
        finally:
            writer.close()

    async def _pass_on(self, head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        inward, outward = await asyncio.open_connection("127.0.0.1", self.inner)
        self._writers.add(outward)
        try:
            first, _, rest = head.partition(b"\r\n")
            outward.write(first + f"\r\n{PASS}: {self._secret}\r\n".encode() + rest)
            there, back = asyncio.create_task(_pump(reader, outward)), asyncio.create_task(_pump(inward, writer))
            try:
                await asyncio.wait((there, back), return_when=asyncio.FIRST_COMPLETED)
            finally:
                there.cancel()
                back.cancel()
                await asyncio.gather(there, back, return_exceptions=True)
        finally:
            outward.close()

    def judge(self, head: bytes) -> bytes | None:
        """What to answer to the head of a request; None: let it pass."""
        lines = head.decode("latin-1").split("\r\n")
        words = lines[0].split(" ")
        headers = {name.strip().lower(): value.strip() for name, _, value in (x.partition(":") for x in lines[1:])}
        if len(words) != 3:
            return _answer("400 Bad Request", "This is no request of a browser.")
        if self._has_cookie(headers.get("cookie", "")):
            origin = headers.get("origin")
            if "upgrade" in headers and (origin is None or urlsplit(origin).netloc != headers.get("host")):
                return _answer("403 Forbidden", "Web sockets of other pages are not let in.")
            return None
        given = parse_qs(urlsplit(words[1]).query).get("token", [""])[0]
        if self._is_token(given) and "upgrade" not in headers:
            cookie = f"{self.cookie}={self.token}; Path=/; HttpOnly; SameSite=Strict"
            return _answer("302 Found", "", f"Location: /\r\nSet-Cookie: {cookie}\r\n")
        return _answer("403 Forbidden", "Open the studio by the whole address that it told, with its token.")

    def _has_cookie(self, text: str) -> bool:
        try:
            morsel = SimpleCookie(text).get(self.cookie)
        except CookieError:
            return False
        return morsel is not None and self._is_token(morsel.value)

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode("utf-8", "replace"), self.token.encode())


async def _pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    """Carry bytes from one side to the other until one of them ends."""
    while data := await source.read(CHUNK):
        sink.write(data)
        await sink.drain()


def _answer(status: str, text: str, headers: str = "") -> bytes:
    body = text.encode()
    length = f"Content-Type: text/plain; charset=utf-8\r\nContent-Length: {len(body)}\r\n"
    return f"HTTP/1.1 {status}\r\n{length}{headers}Connection: close\r\n\r\n".encode() + body
