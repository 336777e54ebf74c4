"""Who comes in where other machines can reach the studio."""

import http.client
import http.server
import threading
from urllib.parse import urlsplit

import pytest

from supple.serving.door import free_port
from supple.serving.gate import Gate
from supple.studio.viewing import view


class Inner(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = b"inside " + self.path.encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


@pytest.fixture
def gate():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Inner)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    made = Gate("127.0.0.1", free_port("127.0.0.1", 9300), server.server_port)
    yield made
    made.stop()
    server.shutdown()
    server.server_close()
    thread.join()


def ask(gate, path="/", **headers):
    connection = http.client.HTTPConnection("127.0.0.1", gate.port, timeout=60)
    try:
        connection.request("GET", path, headers={k.replace("_", "-"): v for k, v in headers.items()})
        answer = connection.getresponse()
        return answer.status, answer.read(), dict(answer.getheaders())
    finally:
        connection.close()


def test_without_the_token_nobody_comes_in(gate):
    for path in ("/", "/?token=", "/?token=wrong", f"/?token={gate.token[:-1]}", "/?token=%00", f"/{gate.token}"):
        status, body, _ = ask(gate, path)
        assert status == 403
        assert b"inside" not in body
    assert ask(gate, Cookie=f"{gate.cookie}=wrong")[0] == 403
    assert ask(gate, Cookie="=;;=")[0] == 403


def test_the_token_gives_a_cookie_and_the_cookie_opens(gate):
    status, body, headers = ask(gate, f"/?token={gate.token}")
    assert status == 302
    assert headers["Location"] == "/"
    cookie = headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    status, body, _ = ask(gate, "/page", Cookie=cookie.partition(";")[0])
    assert (status, body) == (200, b"inside /page")


def test_web_sockets_of_other_pages_stay_outside(gate):
    cookie, here = f"{gate.cookie}={gate.token}", f"127.0.0.1:{gate.port}"
    for origin in ({}, {"Origin": "http://evil.example"}, {"Origin": "null"}):
        assert ask(gate, Cookie=cookie, Upgrade="websocket", **origin)[0] == 403
    assert ask(gate, Cookie=cookie, Upgrade="websocket", Origin=f"http://{here}")[0] == 200
    assert ask(gate, f"/?token={gate.token}", Upgrade="websocket", Origin=f"http://{here}")[0] == 403


def test_what_is_no_request_is_refused(gate):
    assert gate.judge(b"hello\r\n\r\n").startswith(b"HTTP/1.1 400")


def test_a_studio_for_other_machines_stands_behind_the_gate(arm):
    studio = view(arm, host="0.0.0.0", open_browser=False, wait=False)
    try:
        assert "?token=" in studio.url
        assert studio.server.get_host() == "127.0.0.1"
        assert ask(studio.gate)[0] == 403
        query = urlsplit(studio.url).query
        _, _, headers = ask(studio.gate, f"/?{query}")
        status, body, _ = ask(studio.gate, Cookie=headers["Set-Cookie"].partition(";")[0])
        assert status == 200
        assert b"<html" in body.lower()
    finally:
        studio.stop()
    assert not [thread for thread in threading.enumerate() if "supple studio" in thread.name]
