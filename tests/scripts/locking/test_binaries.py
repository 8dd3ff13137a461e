"""The minimum macOS of every binary in a wheel, from the front of each member, over a server that counts what it gives."""

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

from compat.errors import BadBinary
from tests.probe.machobuilder import Binary, fat

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "scripts"))

from locking.binaries import Reader, architectures_of
from remote_wheel import RemoteWheel

NOISE = random.Random(5).randbytes(3_000_000)  # noqa: S311 - does not compress, and is the same in every run
ARM = "demo-1.0-cp312-cp312-macosx_12_0_arm64.whl"
BOTH = "demo-1.0-cp312-cp312-macosx_10_9_universal2.whl"


def thin(minimum, architecture="arm64", **given):
    return Binary(architecture=architecture, minimum=minimum, **given).build()


def archive(members, method=zipfile.ZIP_DEFLATED):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as target:
        for name, content in members.items():
            target.writestr(name, content)
    return buffer.getvalue()


class Server:
    """Serves wheels by range; ``busy`` answers of 429 come first."""

    def __init__(self):
        self.files, self.requests, self.busy, server = {}, 0, 0, self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                first, last = map(int, re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers["Range"]).groups())
                server.requests += 1
                server.busy -= 1
                status = 429 if server.busy >= 0 else 206
                body = server.files[self.path.rsplit("/", 1)[-1]][first : last + 1] if status == 206 else b""
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.http.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.http.server_port}"


@pytest.fixture
def server():
    started = Server()
    yield started
    started.http.shutdown()
    started.http.server_close()


@pytest.fixture
def session():
    with requests.Session() as opened:
        opened.trust_env = False
        yield opened


@pytest.fixture
def read(server, session, tmp_path):
    """Put members into a wheel, serve it, read it; return what its binaries say and the reader."""

    def one(members, file=ARM, sha256="a" * 64, method=zipfile.ZIP_DEFLATED):
        content = server.files[file] = archive(members, method)
        reader = Reader(session, tmp_path / "kept")
        return reader.read(file, sha256, len(content), f"{server.url}/{file}"), reader

    return one


def said(measured):
    return {(one.member, one.architecture): one.minimum_macos for one in measured.binaries}


def test_every_library_module_and_program_is_read_and_nothing_else(read):
    found, _ = read(
        {
            "demo/_ext.cpython-312-darwin.so": thin((11, 0, 0)),
            "demo/.dylibs/libgfortran.5.dylib": thin((12, 3, 0)),
            "demo/lib/libz.so.1": thin((11, 1, 0), old_version_command=True),
            "demo/bin/server": thin((11, 2, 0), install_name=None),
            "demo/include/Eigen/Core": thin((26, 0, 0)),
            "demo/module.py": "print('no binary')" * 9,
            "demo/LICENSE": "text, and no Mach-O file, whatever its name allows",
            "demo-1.0.dist-info/RECORD": "demo/module.py,," * 9,
        }
    )

    assert said(found) == {
        ("demo/_ext.cpython-312-darwin.so", "arm64"): "11.0",
        ("demo/.dylibs/libgfortran.5.dylib", "arm64"): "12.3",
        ("demo/lib/libz.so.1", "arm64"): "11.1",
        ("demo/bin/server", "arm64"): "11.2",
    }
    assert found.asks_most("arm64").member == "demo/.dylibs/libgfortran.5.dylib"
    assert found.asks_most("x86_64") is None


def test_versions_are_compared_as_numbers_and_not_as_text(read):
    found, _ = read({"a.so": thin((9, 9, 0)), "b.so": thin((10, 13, 0)), "c.so": thin((10, 9, 0))})

    assert found.asks_most("arm64").member == "b.so"


def test_a_binary_that_does_not_say_counts_as_a_binary_and_asks_for_nothing(read):
    found, _ = read({"a.so": thin(None), "b.so": thin((11, 0, 0))})

    assert said(found) == {("a.so", "arm64"): None, ("b.so", "arm64"): "11.0"}
    assert found.asks_most("arm64").member == "b.so"


@pytest.mark.parametrize("wide", [False, True], ids=["fat", "fat 64"])
def test_each_architecture_of_a_universal_binary_is_read_at_its_own_place(read, wide):
    parts = {"x86_64": thin((10, 13, 0), "x86_64") + NOISE[:200_000], "arm64": thin((11, 0, 0)) + NOISE[:2_000_000]}

    found, _ = read({"demo/_ext.so": fat(parts, wide=wide)}, BOTH)

    assert said(found) == {("demo/_ext.so", "x86_64"): "10.13", ("demo/_ext.so", "arm64"): "11.0"}
    assert found.fetched < 0.5 * found.size


def test_of_a_universal_binary_in_a_wheel_for_one_architecture_only_that_one_counts(read):
    parts = {"x86_64": thin((10, 13, 0), "x86_64"), "arm64": thin((11, 0, 0))}

    found, _ = read({"demo/_ext.so": fat(parts)}, ARM)

    assert said(found) == {("demo/_ext.so", "arm64"): "11.0"}


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED], ids=["deflated", "stored"])
def test_only_the_front_of_a_member_is_fetched(read, method):
    found, reader = read({"demo/huge.so": thin((12, 0, 0)) + NOISE}, method=method)

    assert said(found) == {("demo/huge.so", "arm64"): "12.0"}
    assert found.fetched == reader.fetched
    assert found.size > len(NOISE)
    assert found.fetched < 0.05 * found.size


def test_load_commands_longer_than_the_first_piece_are_read_to_their_end(read):
    libraries = [(f"/usr/lib/lib{number:05d}{'x' * 200}.dylib", "load") for number in range(2000)]

    found, _ = read({"demo/many.so": thin((13, 0, 0), libraries=libraries) + NOISE})

    assert said(found) == {("demo/many.so", "arm64"): "13.0"}


def test_a_second_run_fetches_nothing_and_says_the_same(read, server):
    first, _ = read({"demo/_ext.so": thin((12, 3, 0))})
    asked = server.requests
    again, reader = read({"demo/_ext.so": thin((12, 3, 0))})

    assert again == first
    assert (server.requests, reader.fetched) == (asked, 0)


def test_a_kept_answer_that_is_cut_short_is_made_anew(read, tmp_path):
    first, _ = read({"demo/_ext.so": thin((12, 3, 0))})
    kept = tmp_path / "kept" / f"{'a' * 64}.json"
    kept.write_text(kept.read_text()[:40])

    again, reader = read({"demo/_ext.so": thin((12, 3, 0))})

    assert again == first
    assert reader.fetched > 0


def test_an_index_that_asks_for_patience_gets_it(read, server, monkeypatch):
    waited = []
    monkeypatch.setattr("remote_wheel.time.sleep", waited.append)
    server.busy = 2

    found, _ = read({"demo/_ext.so": thin((12, 3, 0))})

    assert said(found) == {("demo/_ext.so", "arm64"): "12.3"}
    assert waited == sorted(waited)
    assert len(waited) == 2


def test_a_damaged_binary_is_an_error_that_names_it(read):
    broken = bytearray(thin((12, 3, 0)))
    broken[36:40] = (3).to_bytes(4, "little")  # the first load command's size: shorter than its own header

    with pytest.raises(BadBinary, match=r"demo/bad\.so: a load command shorter than its own header"):
        read({"demo/bad.so": bytes(broken)})


@pytest.mark.parametrize(
    "file, architectures",
    [
        (ARM, ("arm64",)),
        (BOTH, ("arm64", "x86_64")),
        ("d-1-cp39-cp39-macosx_10_9_x86_64.whl", ("x86_64",)),
        ("d-1-cp39-cp39-macosx_10_9_intel.macosx_10_9_x86_64.whl", ("x86_64",)),
        ("d-1-cp39-cp39-macosx_11_0_arm64.macosx_10_9_universal2.whl", ("arm64", "x86_64")),
        ("d-1-py3-none-any.whl", ()),
        ("d-1-cp312-cp312-manylinux_2_17_x86_64.whl", ()),
    ],
)
def test_a_wheel_is_for_the_architectures_of_its_tags(file, architectures):
    assert architectures_of(file) == architectures


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED], ids=["deflated", "stored"])
@pytest.mark.parametrize("size", [0, 1, 1 << 14, (1 << 14) + 1, 100_000, 400_000, 10**9])
def test_the_beginning_of_a_member_is_its_beginning(server, session, method, size):
    member = NOISE[:150_000] + bytes(150_000) + NOISE[:100_000]
    content = server.files["w.whl"] = archive({"before": b"x" * 99, "member": member, "after": b"y"}, method)
    wheel = RemoteWheel(session, f"{server.url}/w.whl", len(content))

    front = wheel.beginning("member").upto(size)

    assert len(front) >= min(size, len(member))
    assert front == member[: len(front)]


def test_a_member_that_unpacks_to_a_thousand_times_as_much_is_not_unpacked_for_its_first_bytes(server, session):
    content = server.files["w.whl"] = archive({"bomb": bytes(30_000_000)})
    wheel = RemoteWheel(session, f"{server.url}/w.whl", len(content))

    assert len(wheel.beginning("bomb").upto(100)) < 100_000
