"""Rows on threads: each once, errors and Ctrl-C end them, work inside of work does not wait for itself."""

import os
import threading
import time

import pytest

from interrupts import ctrl_c_inside
from supple.threads import Queue, share, worker_count


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_every_row_is_worked_on_once(workers):
    rows = []
    share(Queue(range(200)), lambda queue: rows.extend(queue), workers)
    assert sorted(rows) == list(range(200))


def test_as_many_threads_as_asked_for():
    names, gate = set(), threading.Barrier(3, timeout=60.0)

    def work(queue):
        for _ in queue:
            gate.wait()
            names.add(threading.get_ident())

    share(Queue(range(3)), work, 3)
    assert len(names) == 3
    assert threading.get_ident() not in names


@pytest.mark.parametrize("workers", [1, 3])
def test_what_a_worker_raises_is_raised_and_stops_the_others(workers):
    queue, ended = Queue(range(10**9)), []

    def work(queue):
        for row in queue:
            if row == 7:
                raise ZeroDivisionError("row 7")
            time.sleep(1e-4)
        ended.append(True)

    with pytest.raises(ZeroDivisionError, match="row 7"):
        share(queue, work, workers)
    assert queue.stopped
    assert len(ended) == workers - 1  # they were waited for


def test_ctrl_c_reaches_the_caller_and_stops_the_others():
    queue = Queue(range(10**9))

    def work(queue):
        for _ in queue:
            time.sleep(1e-3)

    ctrl_c_inside(share)
    with pytest.raises(KeyboardInterrupt):
        share(queue, work, 2)
    assert queue.stopped


def test_whoever_looks_up_may_stop():
    queue, looks = Queue(range(10**9)), []

    def look():
        looks.append(1)
        if len(looks) == 2:
            queue.stop()

    share(queue, lambda rows: [time.sleep(1e-3) for _ in rows], 2, look)
    assert len(looks) >= 2


def test_work_inside_of_work_does_not_wait_for_its_own_threads():
    found = []

    def inner(queue):
        found.extend(queue)

    def outer(queue):
        for _ in queue:
            share(Queue(range(10)), inner, 2)

    share(Queue(range(4)), outer, 2)
    assert sorted(found) == sorted([*range(10)] * 4)


def test_there_are_not_more_workers_than_rows():
    assert worker_count(8, 3) == 3
    assert worker_count(8, 0) == 1
    assert worker_count(None, 10**6) == (os.cpu_count() or 1)
