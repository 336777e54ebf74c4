"""Pictures per second that reach a real browser, for `benchmarks.studio`: from the state to the page's own scene.

Headless Chromium opens the studio's page, whose code runs as it is: it receives, unpacks, moves the nodes of its scene
and answers, which is what the studio waits for before it sends more. Only the last calls to draw triangles are left
out, which a graphics card does at once and a machine without one takes a second for. Sliders move all the while.
"""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import websockets.asyncio.server
from selenium import webdriver

from supple.studio.engine import RATE
from supple.studio.modes import DYNAMICS, STATICS
from supple.studio.viewing import view
from supple.systems import SYSTEMS

#: How long pictures are counted, after how long, s, and how often sliders move meanwhile, per second.
COUNTED, WARM, EVENTS = 4.0, 2.0, 60.0

#: Pictures per second from which a system passes: thirty, but for what the beginning and the end of counting cut off.
ENOUGH = RATE - 1.0

FLAGS = (
    "--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist", "--disable-dev-shm-usage", "--window-size=640,480", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip

#: Run before the page's own code: counts what its worker hands over, and leaves triangles undrawn.
HOOK = """
window.arrived = 0;
const Plain = window.Worker;
window.Worker = class extends Plain {
    constructor(...given) {
        super(...given);
        this.addEventListener("message", (event) => { if (event.data.type === "message_batch") window.arrived += 1; });
    }
};
for (const name of ["drawElements", "drawArrays", "drawElementsInstanced", "drawArraysInstanced"])
    WebGL2RenderingContext.prototype[name] = () => {};
"""


class Pictures(NamedTuple):
    """What reached the page.

    Attributes
    ----------
    mode : str
    rate : float
        Pictures per second that the page took and answered.
    batches : float
        Lots of messages per second that its code was handed; one lot may hold two pictures, or half of one.
    cpu : float
        Time of all threads of the server, s per picture, solver included.
    size : float
        Bytes per picture.
    """

    mode: str
    rate: float
    batches: float
    cpu: float
    size: float

    @property
    def passed(self) -> bool:
        """Whether they were enough."""
        return self.rate >= ENOUGH


@contextmanager
def chromium(hook: str = HOOK) -> Iterator[Any]:
    """A browser that runs a script before every page's own code; if omitted, one that leaves triangles undrawn."""
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or shutil.which("google-chrome") or ""
    for flag in FLAGS:
        options.add_argument(flag)
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
    driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": hook})
    try:
        yield driver
    finally:
        driver.quit()


@contextmanager
def counted_bytes() -> Iterator[list[int]]:
    """A list of one number: bytes that servers sent so far."""
    connection, count = websockets.asyncio.server.ServerConnection, [0]
    plain = connection.send

    async def send(self: Any, message: Any, *given: Any, **options: Any) -> None:
        count[0] += len(message)
        await plain(self, message, *given, **options)

    connection.send = send  # type: ignore[method-assign]
    try:
        yield count
    finally:
        connection.send = plain  # type: ignore[method-assign]


def measure(name: str, browser: Any) -> Pictures:
    """Watch a system in its own mode, with sliders moving."""
    system = SYSTEMS[name]()
    model = system.compile()
    q0, v0 = system.start(model)
    with counted_bytes() as sent, view(
        model, open_browser=False, wait=False, q0=q0, v0=v0, u=system.u, span=system.t_end
    ) as studio:
        studio.settled.wait()
        (actor,) = studio.actors
        browser.get(studio.url)
        _wait_for(lambda: studio.pace.answers >= 3)
        ended = threading.Event()
        hand = threading.Thread(target=_slide, args=(actor, ended))
        hand.start()
        try:
            time.sleep(WARM)
            first = _count(studio, browser, sent)
            time.sleep(COUNTED)
            last = _count(studio, browser, sent)
        finally:
            ended.set()
            hand.join()
            browser.get("about:blank")
        seconds, seen, batches, cpu, size = (b - a for a, b in zip(first, last, strict=True))
        return Pictures(actor.engine.mode, seen / seconds, batches / seconds, cpu / max(seen, 1), size / max(seen, 1))


def _count(studio: Any, browser: Any, sent: list[int]) -> tuple[float, ...]:
    """The clock, pictures that the page has answered, lots that its code was handed, CPU time, and bytes, so far."""
    batches = browser.execute_script("return window.arrived")
    (page,) = studio.pace._pages.values()
    return time.perf_counter(), page.seen, batches, time.process_time(), sent[0]


def _slide(actor: Any, ended: threading.Event) -> None:
    """Move the first slider to and fro: of inputs, or of coordinates where there are none."""
    reaches, k = actor.plan.inputs, 0
    if actor.plan.mode not in (STATICS, DYNAMICS):
        return
    while reaches and not ended.wait(1.0 / EVENTS):
        share, k = abs(k % 200 - 100) / 100.0, k + 1
        actor.engine.wish(inputs={0: reaches[0].low + 0.3 * share * (reaches[0].high - reaches[0].low)})


def _wait_for(test: Any, seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while not test():
        if time.monotonic() > end:
            raise TimeoutError("the page does not answer")
        time.sleep(0.05)
