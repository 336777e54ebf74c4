"""The studio and exported pages in a real browser, headless.

Not among the tests that run by themselves, because it needs Chromium and its driver, which no package of Python
brings: ``apt-get install chromium chromium-driver``, ``pip install selenium``, then
``python -m pytest tests/studio/browser_check.py``. ``.ci/run`` does that where it can.
"""

import io
import shutil
import time

import numpy as np
import pytest
from PIL import Image
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

from supple.studio.viewing import view

FLAGS = (
    "--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist", "--disable-dev-shm-usage", "--window-size=640,480", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip


@pytest.fixture
def browser():
    options = Options()
    options.binary_location = shutil.which("chromium") or shutil.which("google-chrome")
    for flag in FLAGS:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    yield driver
    driver.quit()


def wait_for(test, timeout=300.0):
    end = time.monotonic() + timeout
    while not test():
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.1)


def pixels(browser):
    return np.asarray(Image.open(io.BytesIO(browser.get_screenshot_as_png())).convert("RGB"), dtype=float)


def complaints(browser):
    return [entry["message"] for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]


def close_tab(browser):
    """Close the tab that shows a page; the browser stays."""
    shown = browser.current_window_handle
    browser.switch_to.new_window("tab")
    other = browser.current_window_handle
    browser.switch_to.window(shown)
    browser.close()
    browser.switch_to.window(other)


def test_an_exported_page_plays(browser, motion, tmp_path):
    browser.get(motion.export(tmp_path / "motion.html", speed=0.1).as_uri())
    wait_for(lambda: browser.execute_script("return window.film !== undefined"))
    pictures = []
    for t in (0.0, 2.5):
        browser.execute_script("film.at(arguments[0])", t)
        time.sleep(1.0)
        pictures.append(pixels(browser))
    first, last = pictures
    assert np.ptp(first[60:-80]) > 100.0  # a robot, not an empty page
    assert np.abs(first - last)[60:-80].max() > 50.0  # and it moved
    assert "0.25 s" in browser.find_element("id", "now").text  # a tenth of real time
    # the player poses vertices where supple has them
    own = browser.execute_script("film.player.pose(0); return Array.from(film.player.parts[0].points.slice(0, 300))")
    assert np.all(np.isfinite(own))
    assert complaints(browser) == []


def test_ten_thousand_slider_events_keep_the_page_and_the_server_small(browser, arm):
    import tracemalloc

    with view(arm, open_browser=False, wait=False) as studio:
        assert studio.settled.wait(300.0)
        (actor,) = studio.actors
        browser.get(studio.url)
        wait_for(lambda: studio.pace.answers >= 3)
        buffer = studio.server._websock_server._broadcast_buffer.message_from_id

        def slide(count):
            """Move a slider from the page's side, as quickly as events come."""
            for k in range(count):
                actor.engine.wish(inputs={0: 1.0 + (k % 100) / 100.0})
                time.sleep(1e-3)
            wait_for(lambda: actor.engine.act.state.u[0] == 1.0 + ((count - 1) % 100) / 100.0)
            wait_for(lambda: studio.pace.ready)
            browser.execute_cdp_cmd("HeapProfiler.collectGarbage", {})
            return browser.execute_script("return performance.memory.usedJSHeapSize")

        slide(500)
        first, messages = slide(500), len(buffer)
        tracemalloc.start()
        last = slide(10_000)
        held = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        assert last < first + 20e6
        assert held < 5e6
        assert len(buffer) <= messages + 30
        assert complaints(browser) == []


def test_a_page_is_not_sent_more_than_it_draws(browser, arm):
    with view(arm, open_browser=False, wait=False, mode="Dynamics") as studio:
        assert studio.settled.wait(300.0)
        browser.get(studio.url)
        wait_for(lambda: studio.pace.answers >= 3)
        for _ in range(20):
            time.sleep(0.1)
            assert studio.pace.sent - min(page.seen for page in studio.pace._pages.values()) <= studio.pace.ahead


def test_a_video_shows_a_robot_that_moves(browser, arm):
    from supple.studio.video import record

    with view(arm, open_browser=False, wait=False, mode="Dynamics") as studio:
        assert studio.settled.wait(300.0)
        (actor,) = studio.actors
        browser.get(studio.url)
        wait_for(lambda: studio.pace.answers >= 3)
        wait_for(lambda: len(actor.past) and actor.past[-1].t > 0.3)
        actor.engine.wish(playing=False)
        wait_for(lambda: not actor.engine.playing)
        first, last = actor.past[0], actor.past[-1]
        actor.past.clear()
        actor.past.extend([first, last._replace(t=first.t + 0.1)])  # few pictures: browsers without graphics are slow
        (client,) = studio.server.get_clients().values()
        film = Image.open(io.BytesIO(record(client, studio.actors, "gif")))
        first = np.asarray(film.convert("RGB"), dtype=float)
        film.seek(film.n_frames - 1)
        assert np.ptp(first) > 100.0
        assert np.abs(np.asarray(film.convert("RGB"), dtype=float) - first).max() > 50.0


def test_sliders_move_the_robot_in_the_studio_and_closing_the_tab_stops_it(browser, arm):
    studio = view(arm, open_browser=False, wait=False)
    try:
        assert studio.settled.wait(300.0)
        (actor,) = studio.actors
        browser.set_script_timeout(300)
        browser.get(studio.url)
        wait_for(lambda: len(studio.server.get_clients()) == 1)
        wait_for(lambda: actor.engine.shots >= 1)
        inputs = browser.find_elements("css selector", "input[type=text], input.mantine-NumberInput-input")
        assert inputs
        before = actor.engine.act.q.copy()
        field = next(one for one in inputs if one.get_attribute("value") == "0")
        field.click()
        field.send_keys("\ue009a\ue000" + "2\n")
        wait_for(lambda: np.abs(actor.engine.act.q - before).max() > 1e-3)
        assert complaints(browser) == []
        actor.engine.wish(mode="Dynamics", playing=True)
        wait_for(lambda: actor.engine.act.t > 0.1)
        browser.get("about:blank")  # the browser keeps the page and its connection, for who goes back to it
        wait_for(lambda: not studio.pace.watched)
        time.sleep(0.5)
        there = actor.engine.act.t
        time.sleep(1.0)
        assert actor.engine.act.t == there  # nothing is computed
        browser.back()
        wait_for(lambda: actor.engine.act.t > there)
        close_tab(browser)
        wait_for(lambda: not studio.server.get_clients())
        time.sleep(0.5)
        there = actor.engine.act.t, actor.engine.shots
        time.sleep(1.0)
        assert (actor.engine.act.t, actor.engine.shots) == there
        studio.wait()  # and returns
    finally:
        studio.stop()
