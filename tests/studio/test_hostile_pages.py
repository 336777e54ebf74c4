"""What a hostile page can send: nothing of it opens files, stops the studio, or reaches the solver unchecked."""

import asyncio
import gc
import logging
import sys
import time
import warnings

import msgspec
import numpy as np
import pytest
import viser
import websockets
from websockets.asyncio.client import connect

from supple.studio.modes import POSE, STATICS
from supple.studio.viewing import view

pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


#: What makes viser count a web socket as a page.
CAMERA = {
    "type": "ViewerCameraMessage", "wxyz": [1.0, 0.0, 0.0, 0.0], "position": [1.0, 0.0, 0.0], "fov": 1.0, "near": 0.1,
    "far": 10.0, "image_height": 480, "image_width": 640, "look_at": [0.0, 0.0, 0.0], "up_direction": [0.0, 0.0, 1.0],
}  # fmt: skip


def wait_for(test, timeout=60.0):
    end = time.monotonic() + timeout
    while not test():
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.01)


@pytest.fixture
def studio(arm):
    made = view(arm, open_browser=False, wait=False)
    assert made.settled.wait(60.0)
    loggers = [logging.getLogger(name) for name in ("websockets.server", "asyncio")]
    for one in loggers:  # viser complains of each message, rightly
        one.disabled = True
    yield made
    made.stop()
    for one in loggers:
        one.disabled = False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


def send(studio, *messages, protocol=None):
    """Send messages (bytes as they are) over a web socket each, since viser hangs up after bad ones."""
    url = studio.url.replace("http", "ws")
    protocols = [protocol or f"viser-v{viser.__version__}"]

    async def one(message):
        try:
            async with connect(url, subprotocols=protocols, max_size=None) as socket:
                await socket.send(msgspec.msgpack.encode(CAMERA))
                await asyncio.sleep(0.05)
                await socket.send(message if isinstance(message, bytes) else msgspec.msgpack.encode(message))
                await asyncio.sleep(0.05)
        except websockets.exceptions.WebSocketException:
            pass

    async def everything():
        for message in messages:
            await one(message)

    asyncio.run(everything())


def update(handle, **changes):
    return {"type": "GuiUpdateMessage", "uuid": handle._impl.uuid, "updates": changes}


def test_noise_is_survived(studio, arm):
    rng = np.random.default_rng(3)
    send(studio, b"", b"\x00", b"\xc1" * 100, *(rng.bytes(n) for n in (1, 10, 1000)), {"type": "NoSuchMessage"}, [1, 2])
    send(studio, b"hello", protocol="viser-v0.0.0")
    assert_alive(studio, arm)


def assert_alive(studio, arm, value=1.5):
    """A well-behaved page still moves the robot."""
    (actor,) = studio.actors
    panel = actor.panel
    url = studio.url.replace("http", "ws")

    async def slide():
        async with connect(url, subprotocols=[f"viser-v{viser.__version__}"], max_size=None) as socket:
            await socket.send(msgspec.msgpack.encode(CAMERA))
            end = time.monotonic() + 60.0
            expected = arm.statics([value, 0.0]).q
            while not studio.server.get_clients():
                assert time.monotonic() < end
                await asyncio.sleep(0.02)
            await socket.send(msgspec.msgpack.encode(update(panel.inputs[0], value=value)))
            while not np.allclose(actor.engine.act.q, expected, atol=1e-6):
                assert time.monotonic() < end, actor.engine.act.message
                await asyncio.sleep(0.02)

    asyncio.run(slide())
    assert actor.engine.alive


def test_numbers_that_no_slider_has_are_not_used(studio, arm):
    (actor,) = studio.actors
    slider = actor.panel.inputs[0]
    seen = []
    wish = actor.engine.wish
    actor.engine.wish = lambda **changes: (seen.append(changes), wish(**changes))
    for value in (float("nan"), float("inf"), -1e308, 1e308, "7", "x", None, [1.0], {"a": 1}):
        send(studio, update(slider, value=value))
    wait_for(lambda: len(seen) >= 3)
    asked = [changes["inputs"][0] for changes in seen if "inputs" in changes]
    assert asked
    assert all(slider.min <= value <= slider.max for value in asked)
    actor.engine.wish = wish
    assert_alive(studio, arm)


def test_modes_that_do_not_exist_are_not_entered(studio, arm):
    (actor,) = studio.actors
    send(studio, update(actor.panel.mode, value="Motion"), update(actor.panel.mode, value="../../etc/passwd"))
    time.sleep(0.2)
    assert actor.engine.mode == STATICS
    send(studio, update(actor.panel.mode, value=POSE))
    wait_for(lambda: actor.panel.pose_folder.visible)
    send(studio, update(actor.panel.mode, value=STATICS))
    assert_alive(studio, arm)


def test_files_are_neither_read_nor_written(studio, arm, tmp_path):
    """An upload with a path in its name, to a part of the page that takes none, opens nothing."""
    opened = []
    (actor,) = studio.actors
    target = tmp_path / "stolen"

    def spy(event, arguments):
        if event == "open" and recording and "stolen" in str(arguments[0]):
            opened.append(arguments)

    recording = [True]
    sys.addaudithook(spy)
    slider = actor.panel.inputs[0]
    start = {
        "type": "FileTransferStartUpload", "source_component_uuid": slider._impl.uuid, "transfer_uuid": "a",
        "filename": str(target), "mime_type": "text/plain", "part_count": 1, "size_bytes": 3,
    }  # fmt: skip
    part = {
        "type": "FileTransferPart", "source_component_uuid": slider._impl.uuid, "transfer_uuid": "a", "part_index": 0,
        "content": b"abc",
    }  # fmt: skip
    send(studio, start, part, {**start, "part_count": 0, "size_bytes": 0, "transfer_uuid": "b"})
    recording.clear()
    assert not opened
    assert not target.exists()
    assert_alive(studio, arm)


def test_drags_to_nowhere_are_ignored(studio, arm):
    (actor,) = studio.actors
    actor.engine.pause(False)
    actor.engine.wish(mode="Dynamics", playing=True)
    wait_for(lambda: actor._draggable)
    node = next(
        node for piece, node in zip(actor.stage.pieces, actor.window.nodes, strict=True) if piece.name == "links/hand"
    )
    for place in ([float("nan")] * 3, [1e308, float("inf"), 0.0], [0.0]):
        drag = {
            "type": "SceneNodeDragMessage", "phase": "start", "name": node.name, "instance_index": None,
            "start_position": place, "start_screen_pos": [0.0, 0.0], "end_position": place,
            "end_screen_pos": [0.0, 0.0], "button": "left", "modifier": None,
        }  # fmt: skip
        send(studio, drag)
    wait_for(lambda: not studio.server.get_clients())
    t = actor.engine.act.t
    # a page counts as gone before the studio hears of it, and then rests: so wake it until it goes on
    wait_for(lambda: actor.engine.pause(False) or actor.engine.act.t > t)
    assert actor.engine.act.grip is None
    actor.engine.wish(mode=STATICS)
    assert_alive(studio, arm)
