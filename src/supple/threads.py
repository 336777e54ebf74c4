"""Rows of work on several threads: who is free takes the next one, and Ctrl-C ends it within a moment.

Compiled code runs without the lock of the interpreter, so threads are enough.  Ctrl-C reaches the main thread only, and
a thread that waits without end does not notice it: the main thread looks up ten times per second.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from functools import cache

#: How often the main thread looks up, s.
LOOKING_UP = 0.1


class Queue:
    """Numbers of rows, each handed out once, in order, to whoever asks next; none any more after `stop`."""

    def __init__(self, rows: range) -> None:
        self._left = iter(rows)
        self._lock = threading.Lock()
        self._stopped = threading.Event()

    def __iter__(self) -> Iterator[int]:
        while not self._stopped.is_set():
            with self._lock:
                row = next(self._left, None)
            if row is None:
                return
            yield row

    def stop(self) -> None:
        """Hand out no further rows."""
        self._stopped.set()

    @property
    def stopped(self) -> bool:
        """Whether somebody said stop."""
        return self._stopped.is_set()


def worker_count(threads: int | None, rows: int) -> int:
    """How many threads work on so many rows, if as many as ``threads`` (None: one per processor) are allowed."""
    return max(1, min(threads or os.cpu_count() or 1, rows))


def share(queue: Queue, work: Callable[[Queue], None], workers: int, look: Callable[[], None] | None = None) -> None:
    """Let so many threads work off a queue, each by one call of ``work``; raise what the first of them raises.

    One worker is the thread that calls; so it is inside of other work, whose threads are all taken.  ``look`` is called
    by the thread that calls whenever it looks up.  Whatever is raised, a Ctrl-C among it, stops the queue, and threads
    are waited for: work that lasts long looks at ``queue.stopped``.
    """
    if workers == 1 or getattr(_here, "inside", False):
        try:
            work(queue)
        finally:
            queue.stop()
        return
    running = {_pool(workers).submit(_inside, work, queue) for _ in range(workers)}
    try:
        while running:
            ended, running = wait(running, LOOKING_UP, FIRST_EXCEPTION)
            for future in ended:
                future.result()
            if look is not None:
                look()
    finally:
        queue.stop()
        wait(running)


def _inside(work: Callable[[Queue], None], queue: Queue) -> None:
    """Work on a thread of the pool, which must not wait for others of it."""
    _here.inside = True
    try:
        work(queue)
    finally:
        _here.inside = False


@cache
def _pool(workers: int) -> ThreadPoolExecutor:
    """Threads that stay, and with them their scratch."""
    return ThreadPoolExecutor(workers, thread_name_prefix="supple")


_here = threading.local()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # threads do not survive a fork
