"""How far pages have come with the pictures that were sent to them.

A page takes what it was sent when it next draws. One that draws slowly would be sent more than it can take, and would
fall behind further and further. So after every picture each page is asked for an answer, which it gives when it comes
to it; who sends pictures waits while too many are under way, and then sends the newest state, not those it missed.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from supple.serving.site import hush

#: Pictures under way to a page: enough to fill a slow line, and for a page that is asked again when it has answered,
#: which tells of a picture two answers late; few enough that a slider is felt at once.
AHEAD = 4

#: After so long without an answer a page counts as lost, s; others are not kept waiting by it.
LOST = 2.0

#: After so many questions without an answer nobody looks at a page: its tab is hidden, or shows something else.
AWAY = 3

#: What pages are asked for; whether they have it does not matter.
QUESTION = "supple"


class _Page:
    """One page: how many pictures were sent when it last answered, and whether it is still there."""

    def __init__(self, client: Any, seen: int) -> None:
        self.client, self.seen, self.open = client, seen, True
        self.unanswered = 0  # questions in a row

    @property
    def lost(self) -> bool:
        return self.unanswered > 0


class Pace:
    """Counts pictures sent and seen.

    Parameters
    ----------
    server : ViserServer
    wake : callable
        Called, from any thread, when pages can take more.
    ahead : int
        How many pictures may be under way to a page.
    told : callable, optional
        Gets a page's client and how long a picture took it, s, in a thread of the page; if it returns True, the page
        is to be sent another one.
    again : callable, optional
        Called then.
    """

    def __init__(
        self,
        server: Any,
        wake: Callable[[], Any],
        ahead: int = AHEAD,
        told: Callable[[Any, float], bool] = lambda client, seconds: False,
        again: Callable[[], Any] = lambda: None,
    ) -> None:
        self.server, self.wake, self.ahead, self.told, self.again = server, wake, ahead, told, again
        self.sent = 0
        self.answers = 0  #: of all pages so far
        self._pages: dict[int, _Page] = {}
        self._changed = threading.Condition()
        self._threads: list[threading.Thread] = []
        self._ended = False

    def came(self, client: Any) -> None:
        """A page was opened."""
        hush(client)
        with self._changed:
            if self._ended or client.client_id in self._pages:
                return
            page = self._pages[client.client_id] = _Page(client, self.sent)
            name = f"supple studio, page {client.client_id}"
            thread = threading.Thread(target=self._listen, args=(page,), name=name, daemon=True)
            self._threads = [*(one for one in self._threads if one.is_alive()), thread]
            thread.start()

    def went(self, client: Any) -> None:
        """A page was closed."""
        with self._changed:
            page = self._pages.pop(client.client_id, None)
            if page is not None:
                page.open = False
            self._changed.notify_all()
        self.wake()

    def stop(self) -> None:
        """End all threads."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def join(self, timeout: float) -> None:
        """Wait for all threads to end, after `stop`; those in the midst of a question end when the server hangs up."""
        end = time.monotonic() + timeout
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join(max(0.0, end - time.monotonic()))

    def count(self) -> None:
        """Another picture was sent to all pages."""
        with self._changed:
            self.sent += 1
            self._changed.notify_all()

    @property
    def ready(self) -> bool:
        """Whether pages can take another picture; those that are lost count only if there are no others."""
        with self._changed:
            pages = list(self._pages.values())
            live = [page for page in pages if not page.lost]
            return not pages or (bool(live) and all(self.sent - page.seen < self.ahead for page in live))

    @property
    def watched(self) -> bool:
        """Whether somebody looks at a page; a browser keeps its connection open for tabs that are out of sight."""
        with self._changed:
            return any(page.unanswered < AWAY for page in self._pages.values())

    def _listen(self, page: _Page) -> None:
        """Ask a page for answers until it is closed."""
        try:
            with suppress(UserWarning):  # where warnings are errors, this is how a page that was just closed may show
                self._ask_on(page)
        finally:
            self._forget(page)

    def _forget(self, page: _Page) -> None:
        """A page went, and nobody may have said so: viser tells of coming and going in any order."""
        with self._changed:
            if self._pages.get(page.client.client_id) is page:
                del self._pages[page.client.client_id]
            ended = self._ended
        if not ended:
            self.wake()

    def _ask_on(self, page: _Page) -> None:
        """Ask a page for answers, one after the other."""
        while True:
            with self._changed:
                while page.open and not self._ended and page.seen == self.sent:
                    self._changed.wait()
                if self._ended or not page.open:
                    return
                sent = self.sent
            asked = time.perf_counter()
            try:
                page.client.local_storage.get_item(QUESTION, timeout=LOST)
            except TimeoutError:
                page.unanswered += 1
                self.wake()  # others may go on
                continue
            except RuntimeError:  # it went, or its browser keeps nothing: then this was the answer
                if page.client.client_id not in self.server.get_clients():
                    return
            with self._changed:
                page.seen, page.unanswered = sent, 0
                self.answers += 1
            self.wake()
            seconds = time.perf_counter() - asked
            if page.open and not self._ended and self.told(page.client, seconds):
                self.again()
