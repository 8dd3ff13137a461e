"""Members of a wheel by range requests, from a server that misbehaves, with the standard library's zip writer as source."""

from __future__ import annotations

import io
import random
import re
import sys
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import requests

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from remote_wheel import BadWheel, RemoteWheel

BIG = random.Random(7).randbytes(3_000_000)  # noqa: S311 - bytes that do not compress, the same in every run
MEMBERS = {"a/small.txt": b"hello", "tensorflow/big.dylib": BIG, "a/empty": b"", "a/zeros": bytes(400_000)}


def archive(method=zipfile.ZIP_DEFLATED):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as target:
        for name, content in MEMBERS.items():
            target.writestr(name, content)
    return buffer.getvalue()


class Index:
    """Serves one file; ``cut`` bytes into a response the connection breaks, ``cuts`` times."""

    def __init__(self, content):
        self.content, self.cut, self.cuts, self.status, self.requests = content, 0, 0, 206, []
        index = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                first, last = map(int, re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers["Range"]).groups())
                index.requests.append((first, last))
                body = index.content[first : last + 1] if index.status == 206 else index.content
                self.send_response(index.status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if index.cuts and len(body) > index.cut:
                    index.cuts -= 1
                    self.wfile.write(body[: index.cut])
                    self.close_connection = True
                    return
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/x.whl"

    def wheel(self):
        session = requests.Session()
        session.trust_env = False
        return RemoteWheel(session, self.url, len(self.content), pause=0.001)


@pytest.fixture
def serve():
    started = []

    def start(content):
        started.append(Index(content))
        return started[-1]

    yield start
    for index in started:
        index.server.shutdown()
        index.server.server_close()


def unpacked(wheel, member):
    target = io.BytesIO()
    wheel.unpack(member, target)
    return target.getvalue()


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED], ids=["deflated", "stored"])
def test_every_member_comes_out_as_it_went_in(serve, method):
    wheel = serve(archive(method)).wheel()

    assert {name: unpacked(wheel, name) for name in wheel.members} == MEMBERS


def test_a_member_costs_its_own_bytes_and_the_directory(serve):
    index = serve(archive())
    wheel = index.wheel()
    assert unpacked(wheel, "a/small.txt") == b"hello"

    assert wheel.fetched == sum(last - first + 1 for first, last in index.requests)
    assert wheel.fetched < 70_000


def test_a_connection_that_breaks_is_taken_up_where_it_stopped(serve):
    index = serve(archive())
    wheel = index.wheel()
    index.cut, index.cuts = 900_001, 3

    assert unpacked(wheel, "tensorflow/big.dylib") == BIG
    assert index.cuts == 0


def test_a_server_that_never_delivers_ends_the_attempt(serve):
    index = serve(archive())
    wheel = index.wheel()
    index.cut, index.cuts = 0, 1000

    with pytest.raises(BadWheel, match="cannot be read"):
        unpacked(wheel, "a/small.txt")


def test_a_file_that_is_gone_is_not_asked_for_again(serve):
    index = serve(archive())
    index.status = 404

    with pytest.raises(BadWheel, match="answers 404"):
        index.wheel()
    assert len(index.requests) == 1


def test_a_server_without_ranges_is_refused_before_the_whole_file_comes(serve):
    index = serve(archive())
    index.status = 200

    with pytest.raises(BadWheel, match="does not serve ranges"):
        index.wheel()


def test_a_damaged_member_is_refused(serve):
    content = bytearray(archive(zipfile.ZIP_STORED))
    content[1_000_000] ^= 1
    wheel = serve(bytes(content)).wheel()

    with pytest.raises(BadWheel, match="damaged"):
        unpacked(wheel, "tensorflow/big.dylib")


@pytest.mark.parametrize("content", [b"x" * 500, b"PK\5\6" + b"\xff" * 18], ids=["no zip", "absurd directory"])
def test_what_is_no_zip_is_refused(serve, content):
    with pytest.raises(BadWheel):
        serve(content).wheel()
