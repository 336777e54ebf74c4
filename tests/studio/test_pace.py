"""Pages that draw slowly are not sent more than they can take."""

import asyncio
import threading
import time
import warnings
from types import SimpleNamespace

import pytest

from supple.serving.site import hush
from supple.studio import pace as pacing
from supple.studio.pace import AHEAD, Pace


class Page:
    """A browser that answers when it is told to."""

    def __init__(self, server, number=0):
        self.client_id, self.server, self.may_answer = number, server, threading.Semaphore(0)
        self.local_storage, self.asked = self, 0
        server.pages[number] = self

    def get_item(self, key, timeout):
        self.asked += 1
        end = time.monotonic() + timeout
        while not self.may_answer.acquire(timeout=0.01):
            if self.client_id not in self.server.pages:
                raise RuntimeError("disconnected")
            if time.monotonic() > end:
                raise TimeoutError


class Server:
    def __init__(self):
        self.pages = {}

    def get_clients(self):
        return self.pages


@pytest.fixture
def theatre():
    server, woken = Server(), threading.Event()
    made = Pace(server, woken.set)
    yield server, made, woken
    server.pages.clear()
    made.stop()
    wait_for(lambda: not [one for one in threading.enumerate() if one.name.startswith("supple studio, page")])


def wait_for(test, timeout=60.0):
    end = time.monotonic() + timeout
    while not test():
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.002)


def test_without_pages_nobody_waits(theatre):
    _, pace, _ = theatre
    for _ in range(50):
        pace.count()
    assert pace.ready


def test_a_page_that_does_not_answer_holds_pictures_back(theatre):
    server, pace, woken = theatre
    page = Page(server)
    pace.came(page)
    for _ in range(AHEAD):
        assert pace.ready
        pace.count()
    assert not pace.ready
    woken.clear()
    page.may_answer.release()
    assert woken.wait(60.0)
    wait_for(lambda: pace.ready)


def test_one_answer_stands_for_all_pictures_before_its_question(theatre):
    server, pace, _ = theatre
    page = Page(server)
    pace.came(page)
    pace.count()
    wait_for(lambda: page.asked == 1)  # about the first
    for _ in range(AHEAD - 1):
        pace.count()
    assert not pace.ready
    page.may_answer.release()
    wait_for(lambda: pace.ready)
    page.may_answer.release()
    wait_for(lambda: pace.answers == 2)
    for _ in range(AHEAD):
        assert pace.ready
        pace.count()
    assert not pace.ready


def test_a_lost_page_keeps_no_other_waiting_and_may_come_back(theatre, monkeypatch):
    monkeypatch.setattr(pacing, "LOST", 0.05)
    server, pace, _ = theatre
    quick, slow = Page(server, 0), Page(server, 1)
    pace.came(quick)
    pace.came(slow)
    for _ in range(AHEAD):
        pace.count()
    for _ in range(AHEAD):
        quick.may_answer.release()
    wait_for(lambda: pace.ready)  # although the slow one never answered
    slow.may_answer.release()
    wait_for(lambda: not pace._pages[1].lost)
    pace.went(quick)
    del server.pages[0]
    for _ in range(AHEAD):
        pace.count()
    assert not pace.ready


def test_if_all_are_lost_nothing_is_sent(theatre, monkeypatch):
    monkeypatch.setattr(pacing, "LOST", 0.05)
    server, pace, _ = theatre
    page = Page(server)
    pace.came(page)
    pace.count()
    wait_for(lambda: pace._pages[0].lost)
    assert not pace.ready
    page.may_answer.release()
    wait_for(lambda: pace.ready)


def test_closing_a_page_lets_others_go_on(theatre):
    server, pace, woken = theatre
    page = Page(server)
    pace.came(page)
    for _ in range(AHEAD):
        pace.count()
    woken.clear()
    del server.pages[0]
    pace.went(page)
    assert woken.is_set()
    assert pace.ready


def test_a_page_nobody_looks_at_does_not_count_until_it_answers_again(theatre, monkeypatch):
    monkeypatch.setattr(pacing, "LOST", 0.02)
    server, pace, woken = theatre
    assert not pace.watched
    page = Page(server)
    pace.came(page)
    assert pace.watched
    pace.count()
    wait_for(lambda: not pace.watched)
    woken.clear()
    page.may_answer.release()
    assert woken.wait(60.0)
    assert pace.watched
    other = Page(server, 1)
    pace.came(other)
    pace.count()
    page.may_answer.release()
    wait_for(lambda: not pace._pages[1].unanswered < pacing.AWAY)
    assert pace.watched  # the other is looked at


def test_who_asks_how_long_pictures_take_may_ask_for_more():
    server, told, again = Server(), [], []

    def tell(client, seconds):
        told.append((client, seconds))
        return len(told) < 3

    pace = Pace(server, lambda: None, AHEAD, tell, lambda: (again.append(1), pace.count()))
    page = Page(server)
    pace.came(page)
    page.may_answer.release(10)
    pace.count()
    wait_for(lambda: len(told) == 3)
    assert all(client is page and seconds >= 0.0 for client, seconds in told)
    assert len(again) == 2
    server.pages.clear()
    pace.stop()


class ClosedPage(Page):
    """A page whose tab was closed between the check that it is there and the question."""

    def get_item(self, key, timeout):
        warnings.warn("Queued a LocalStorageGetItemRequestMessage on a closed connection", UserWarning, stacklevel=2)
        raise RuntimeError("disconnected")


def threads_of_pages():
    return [one for one in threading.enumerate() if one.name.startswith("supple studio, page")]


def test_a_page_that_closes_while_it_is_asked_is_no_news(theatre):
    """Where warnings are errors, too: pytest would tell of a thread that ends by an error."""
    server, pace, _ = theatre
    page = ClosedPage(server)
    pace.came(page)
    del server.pages[page.client_id]
    pace.count()
    wait_for(lambda: not threads_of_pages())


def test_viser_is_told_that_pages_may_close_and_filters_stay():
    messages = pytest.importorskip("viser._messages")
    buffers = pytest.importorskip("viser.infra._async_message_buffer")
    loop = asyncio.new_event_loop()
    loop.close()
    message = messages.LocalStorageGetItemRequestMessage(key="a", request_uuid="b")
    before = list(warnings.filters)

    def closed():
        buffer = buffers.AsyncMessageBuffer(loop, persistent_messages=False)
        buffer.set_done()
        return buffer

    with pytest.warns(UserWarning, match="on a closed connection"):
        closed().push(message)
    for name in ("_websock_connection", "_websock_server"):
        buffer = closed()
        hush(SimpleNamespace(**{name: SimpleNamespace(get_message_buffer=lambda buffer=buffer: buffer)}))
        buffer.push(message)  # warnings are errors here
    assert list(warnings.filters) == before


def test_a_page_whose_end_is_told_before_its_beginning_keeps_nobody_waiting(theatre):
    server, pace, woken = theatre
    page = Page(server)
    del server.pages[page.client_id]
    pace.went(page)
    pace.came(page)
    assert pace.watched  # as far as anybody knows
    woken.clear()
    for _ in range(AHEAD + 1):
        pace.count()
    wait_for(lambda: pace.ready and not pace.watched)
    assert woken.wait(60.0)
    wait_for(lambda: not threads_of_pages())


def test_a_page_that_comes_again_under_its_number_is_not_forgotten_with_the_old_one(theatre):
    server, pace, _ = theatre
    old, new = Page(server), Page(server)
    pace.came(old)
    pace.went(old)
    pace.came(new)
    wait_for(lambda: len(threads_of_pages()) == 1)
    pace.count()
    new.may_answer.release()
    wait_for(lambda: pace.answers == 1)
    assert pace.watched


def test_ending_waits_for_questions_that_are_open(theatre):
    server, pace, _ = theatre
    page = Page(server)
    pace.came(page)
    pace.count()
    wait_for(lambda: threads_of_pages())
    pace.stop()
    threading.Timer(0.2, server.pages.clear).start()  # the server hangs up
    pace.join(60.0)
    assert not threads_of_pages()
