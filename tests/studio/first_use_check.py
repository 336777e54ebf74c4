"""First use, from nothing: install the wheel into a fresh environment, view a system, see it move in a real browser.

Not among the tests that run by themselves: it needs Chromium with its driver and selenium, as `browser_check` does, an
index of packages, and a machine with nothing else to do. By its own command it tells what each part took:

    python -m pytest tests/studio/first_use_check.py -s

The whole must take two minutes at most, which ``SUPPLE_FIRST_USE_LIMIT`` (in seconds) changes for slower machines.
"""

import os
import shutil
import subprocess
import sys
import time
import venv
from pathlib import Path

import pytest

webdriver = pytest.importorskip("selenium.webdriver", reason="pip install selenium")
from browser_check import FLAGS, close_tab, complaints  # noqa: E402

SOURCE = Path(__file__).parents[2]
LIMIT = float(os.environ.get("SUPPLE_FIRST_USE_LIMIT", "120"))

pytestmark = pytest.mark.skipif(
    not (shutil.which("chromium") or shutil.which("google-chrome")) or not shutil.which("chromedriver"),
    reason="no Chromium with its driver: apt-get install chromium chromium-driver",
)


class Clock:
    """Tells what passed, part by part."""

    def __init__(self):
        self.began = self.last = time.monotonic()

    def lap(self, what):
        now = time.monotonic()
        print(f"{what}: {now - self.last:.1f} s, {now - self.began:.1f} s in all", flush=True)
        self.last = now


@pytest.fixture
def browser():
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or shutil.which("google-chrome")
    for flag in FLAGS:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
    driver.set_page_load_timeout(600)
    yield driver
    driver.quit()


def robots_time(browser):
    """The robot's time as the page tells it, s; None as long as it tells none."""
    words = browser.execute_script("return document.body.innerText").split()
    found = [words[k + 2] for k in range(len(words) - 2) if words[k : k + 2] == ["t", "="]]
    return float(found[0]) if found else None


def wait_for(test, timeout):
    end = time.monotonic() + timeout
    while not test():
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.2)


def test_from_pip_install_to_a_moving_robot(browser, tmp_path):
    quiet = {"check": True, "stdout": subprocess.DEVNULL}
    subprocess.run([sys.executable, "-m", "pip", "wheel", "--no-deps", "-w", str(tmp_path), str(SOURCE)], **quiet)
    (wheel,) = tmp_path.glob("supple-*.whl")
    folder = tmp_path / "fresh"
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("SUPPLE", "PYTHON"))}
    clock = Clock()
    venv.create(folder, with_pip=True)
    programs = folder / ("Scripts" if sys.platform == "win32" else "bin")
    done = subprocess.run(
        [str(programs / "python"), "-m", "pip", "install", "-q", f"{wheel}[view]"],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode and "No matching distribution" in done.stderr:
        pytest.skip(f"no index of packages: {done.stderr.strip().splitlines()[-1]}")
    assert done.returncode == 0, done.stderr
    clock.lap("pip install")
    command = [str(programs / "supple"), "view", "cable-manipulator", "--no-browser"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True, cwd=tmp_path) as process:
        try:
            line = process.stdout.readline()
            clock.lap("the address is told")
            browser.get(next(word for word in line.split() if word.startswith("http")).rstrip(";"))
            wait_for(lambda: "cable-manipulator" in browser.execute_script("return document.body.innerText"), 600.0)
            clock.lap("the page shows it")
            wait_for(lambda: (robots_time(browser) or 0.0) > 0.2, 600.0)
            clock.lap("it moves")
            passed = clock.last - clock.began
            assert complaints(browser) == []
            close_tab(browser)
            assert process.wait(120) == 0
            clock.lap("closing the page ended it")
        finally:
            process.kill()
    assert passed < LIMIT
