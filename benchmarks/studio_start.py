"""How long a first picture takes: from the command ``supple view NAME`` to the robot in a browser that runs already:

    python -m benchmarks.studio_start [NAME ...]

Three times are told, s, each the median of several starts: until the address is told, until the robot's pieces have
reached the page, and until it has drawn them, which without a graphics card is the browser's own slowness. Kernels must
be in the cache (``supple compile --all``); it needs Chromium with its driver and selenium, and a machine with nothing
else to do.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from statistics import median
from typing import Any, NamedTuple

from benchmarks.studio_page import chromium

#: Starts per system, and how long one may take, s.
STARTS, PATIENCE = 5, 60.0

#: Run before the page's own code: notes when meshes of links arrive, and when a frame with one of them is done.
HOOK = """
window.arrived = null; window.drawn = null;
const Plain = window.Worker, now = () => performance.timeOrigin + performance.now(), sizes = new Set();
const isLink = (message) => message.type === "MeshMessage" && message.name.includes("/links/");
window.Worker = class extends Plain {
    constructor(...given) {
        super(...given);
        this.addEventListener("message", (event) => {
            if (event.data.type !== "message_batch") return;
            for (const message of event.data.messages.filter(isLink)) {
                window.arrived ??= now();
                sizes.add(message.props.faces.byteLength / 4);
            }
        });
    }
};
const draw = WebGL2RenderingContext.prototype.drawElements;
WebGL2RenderingContext.prototype.drawElements = function (mode, count, ...rest) {
    draw.call(this, mode, count, ...rest);
    if (window.drawn === null && sizes.has(count)) {
        window.drawn = 0;
        requestAnimationFrame(() => {
            this.readPixels(0, 0, 1, 1, this.RGBA, this.UNSIGNED_BYTE, new Uint8Array(4));  // waits until it is done
            window.drawn = now();
        });
    }
};
"""


class Start(NamedTuple):
    """Seconds from the command to the address, to the pieces on the page, and to their picture."""

    told: float
    arrived: float
    drawn: float


def start(name: str, browser: Any) -> Start:
    """Run the command once, and watch the page."""
    command = [sys.executable, "-m", "supple", "view", name, "--no-browser"]
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    began = time.time()
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
    ) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            told = time.time()
            browser.get(next(word for word in line.split() if word.startswith("http")).rstrip(";"))
            end = told + PATIENCE
            while time.time() < end:
                arrived, drawn = browser.execute_script("return [window.arrived, window.drawn]")
                if drawn:
                    return Start(told - began, 1e-3 * arrived - began, 1e-3 * drawn - began)
                time.sleep(0.1)
            raise TimeoutError(f"{name} was not drawn within {PATIENCE:.0f} s")
        finally:
            browser.get("about:blank")
            process.terminate()


def main(names: list[str]) -> None:
    print(f"{'':26} {'told':>6} {'arrived':>8} {'drawn':>6}   s after the command, median of {STARTS}")
    with chromium(HOOK) as browser:
        for name in names or ["cable-manipulator"]:
            found = [start(name, browser) for _ in range(STARTS + 1)][1:]  # the first may compile Python's byte code
            told, arrived, drawn = (median(column) for column in zip(*found, strict=True))
            print(f"{name:26} {told:6.2f} {arrived:8.2f} {drawn:6.2f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
