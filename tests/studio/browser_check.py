"""The studio and exported pages in a real browser, headless.

Not among the tests that run by themselves, because it needs Chromium and its driver, which no package of Python
brings: ``apt-get install chromium chromium-driver``, ``pip install selenium``, then
``python -m pytest tests/studio/browser_check.py``.
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
    "--ignore-gpu-blocklist", "--disable-dev-shm-usage", "--window-size=640,480",
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


def wait_for(test, timeout=120.0):
    end = time.monotonic() + timeout
    while not test():
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.1)


def pixels(browser):
    return np.asarray(Image.open(io.BytesIO(browser.get_screenshot_as_png())).convert("RGB"), dtype=float)


def complaints(browser):
    return [entry["message"] for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]


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


def test_sliders_move_the_robot_in_the_studio_and_closing_the_tab_stops_it(browser, arm):
    studio = view(arm, open_browser=False, wait=False)
    try:
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
        browser.get("about:blank")
        wait_for(lambda: not studio.server.get_clients())
        time.sleep(0.5)
        shown = actor.engine.shots
        time.sleep(1.0)
        assert actor.engine.shots == shown
        studio.wait()  # and returns
    finally:
        studio.stop()
