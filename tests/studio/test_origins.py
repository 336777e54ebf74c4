"""Pages of other sites do not come in, neither to a studio of this machine nor past a gate."""

import asyncio
from urllib.parse import urlsplit

import msgspec
import pytest
import viser
import websockets
from test_gate import ask
from test_hostile_pages import CAMERA
from websockets.asyncio.client import connect

from supple.errors import MissingExtraError
from supple.serving.origins import PASS, guard, welcome
from supple.studio.viewing import view

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


@pytest.mark.parametrize("name", ["127.0.0.1:80", "localhost:8080", "[::1]:8080", "studio.localhost:80", "LOCALHOST:1"])
def test_a_page_of_the_studio_is_welcome(name):
    assert welcome({"Host": name, "Origin": f"http://{name}"})
    assert welcome({"host": name, "ORIGIN": f"https://{name}"})  # behind a proxy of this machine


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "http://localhost:9000", "http://localhost", "http://127.0.0.1:8080", "null", "", "file://",
     "http://localhost:8080@evil.example", "http://evil.example#localhost:8080", "http://[", "localhost:8080",
     "http://localhost.evil.example:8080", "http://evillocalhost:8080"],
)  # fmt: skip
def test_pages_of_others_are_not(origin):
    assert not welcome({"Host": "localhost:8080", "Origin": origin})
    assert not welcome({"Origin": origin})


def test_a_site_whose_name_leads_here_is_not():
    assert not welcome({"Host": "evil.example:8080", "Origin": "http://evil.example:8080"})


def test_programs_that_are_no_browsers_are_welcome():
    assert welcome({"Host": "localhost:8080"})


def test_what_a_gate_let_in_is_welcome():
    outside = {"Host": "lab:8080", "Origin": "http://lab:8080"}
    assert welcome({**outside, PASS: "abc"}, "abc")
    assert not welcome({**outside, PASS: "abd"}, "abc")
    assert not welcome({**outside, PASS: "\u0439"}, "abc")
    assert not welcome({**outside, PASS: ""}, "")
    assert not welcome(outside, "abc")


def visit(url, origin, **headers):
    """What a page of that origin gets from a studio: bytes of the scene, or the reason why it was hung up."""

    async def come():
        protocols = [f"viser-v{viser.__version__}"]
        async with connect(url, origin=origin, subprotocols=protocols, additional_headers=headers, max_size=None) as it:
            try:
                await it.send(msgspec.msgpack.encode(CAMERA))
                return await asyncio.wait_for(it.recv(), 60.0)
            except websockets.exceptions.ConnectionClosed as closed:
                return closed.rcvd.reason

    return asyncio.run(come())


def test_a_studio_hangs_up_on_pages_of_others_before_anything_is_said(arm, capfd):
    with view(arm, open_browser=False, wait=False) as studio:
        address, here = studio.url.replace("http", "ws"), studio.url
        for origin in ("http://evil.example", "null", here.replace("127.0.0.1", "localhost")):
            assert "other sites" in visit(address, origin)
        assert not studio.server.get_clients()
        assert studio.pace.answers == 0
        assert not studio.server._websock_server._client_state_from_id
        assert isinstance(visit(address, here), bytes)
        assert isinstance(visit(address, None), bytes)
    said = capfd.readouterr()
    assert "Traceback" not in said.out + said.err


def test_a_gate_is_no_way_around(arm):
    with view(arm, host="0.0.0.0", open_browser=False, wait=False) as studio:
        inner, outer = studio.server.get_port(), studio.gate.port
        assert "other sites" in visit(f"ws://127.0.0.1:{inner}", "http://evil.example")
        _, _, headers = ask(studio.gate, f"/?{urlsplit(studio.url).query}")
        cookie = headers["Set-Cookie"].partition(";")[0]
        # what the page of a browser on another machine sends; its name for this one is not ours
        names = {"Host": f"lab.example:{outer}", "Cookie": cookie}
        assert isinstance(visit(f"ws://127.0.0.1:{outer}", f"http://lab.example:{outer}", **names), bytes)
        with pytest.raises(websockets.exceptions.InvalidStatus):
            visit(f"ws://127.0.0.1:{outer}", "http://evil.example", Cookie=cookie)
        forged = {PASS: "guess"}
        assert "other sites" in visit(f"ws://127.0.0.1:{inner}", "http://evil.example", **forged)


def test_an_unknown_viser_is_refused_rather_than_left_open():
    with pytest.raises(MissingExtraError, match="does not know viser"):
        guard(object())
