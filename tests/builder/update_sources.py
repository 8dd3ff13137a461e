"""Where tests update from: small matrices as folders and archives, and a real server that behaves badly on demand."""

from __future__ import annotations

import gzip
import io
import tarfile
import threading
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.matrix.test_lint import SOUND

NEWER = {name: text.replace("retrieved = 2026-11-30", "retrieved = 2026-12-24") for name, text in SOUND.items()}
NEWER["issues/load.toml"] = SOUND["issues/load.toml"].replace("The import fails", "The import ends in an error")


def zipped(files: Mapping[str, str | bytes], *, prefix: str = "", kind: int = 0, stored: bool = False) -> bytes:
    """A zip of those files; ``kind`` are the file mode bits of each."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            info = zipfile.ZipInfo(prefix + name)
            info.compress_type = archive.compression
            info.external_attr = kind << 16
            archive.writestr(info, text)
    return buffer.getvalue()


def tarred(files: Mapping[str, str | bytes], *, prefix: str = "", extra: tuple[tarfile.TarInfo, ...] = ()) -> bytes:
    """A tar.gz of those files and of headers without content."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, text in files.items():
            data = text.encode() if isinstance(text, str) else text
            info = tarfile.TarInfo(prefix + name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        for info in extra:
            archive.addfile(info)
    return buffer.getvalue()


def entry(kind: bytes, name: str, link: str = "") -> tarfile.TarInfo:
    """A link or a device."""
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info


def lying_tar() -> bytes:
    """A tar whose extended header claims, and compressed holds, far more than it may."""
    header = tarfile.TarInfo("x")
    header.type, header.size = tarfile.XHDTYPE, 400_000_000
    return gzip.compress(header.tobuf() + bytes(50_000_000))


class Answers(BaseHTTPRequestHandler):
    """Each path answers in its own way; /good is a good server."""

    body = b""
    ended = threading.Event()
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        getattr(self, f"_{self.path.strip('/').partition('?')[0].partition('.')[0]}", self._missing)()

    def _whole(self, code, data, **headers):
        self.send_response(code)
        for name, value in {"Content_Length": str(len(data)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)

    def _good(self):
        self._whole(200, self.body)

    def _chunked(self):
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for at in range(0, len(self.body), 1000):
            piece = self.body[at : at + 1000]
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        self.wfile.write(b"0\r\n\r\n")

    def _moved(self):
        self._whole(302, b"", Location="/good")

    def _missing(self):
        self._whole(404, b"nothing here")

    def _busy(self):
        self._whole(429, b"", Retry_After="3600")

    def _broken(self):
        self._whole(500, b"oops")

    def _garbage(self):
        self._whole(200, b"\x00\x01\x02 this is no archive" * 1000)

    def _page(self):
        self._whole(200, b"<!doctype html><title>Sign in</title>")

    def _empty(self):
        self._whole(200, b"")

    def _half(self):
        self._whole(200, self.body[: len(self.body) // 2], Content_Length=str(len(self.body)))
        self.close_connection = True

    def _truncated(self):
        self._whole(200, self.body[: len(self.body) // 2])

    def _loop(self):
        self._whole(302, b"", Location="/loop")

    def _nowhere(self):
        self._whole(302, b"")

    def _nonsensical(self):
        self._whole(302, b"", Location="http://[nowhere")

    def _portless(self):
        self._whole(302, b"", Location="http://localhost:99999/matrix.zip")

    def _outside(self):
        self._whole(302, b"", Location="http://example.org/matrix.zip")

    def _disk(self):
        self._whole(302, b"", Location="file:///etc/hostname")

    def _packed(self):
        self._whole(200, gzip.compress(self.body), Content_Encoding="gzip")

    def _announced(self):
        self._whole(200, b"", Content_Length="999999999999")
        self.close_connection = True

    def _endless(self):
        self.send_response(200)
        self.end_headers()
        self.close_connection = True
        try:
            while not self.ended.is_set():
                self.wfile.write(bytes(1_000_000))
        except OSError:
            pass

    def _drip(self):
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.body)))
        self.end_headers()
        self.close_connection = True
        try:
            for byte in self.body:
                self.wfile.write(bytes([byte]))
                if self.ended.wait(0.05):
                    return
        except OSError:
            pass

    def _silent(self):
        self.ended.wait(60)
        self.close_connection = True

    def _nonsense(self):
        self.wfile.write(b"this is no HTTP\r\n\r\n")
        self.close_connection = True

    def log_message(self, *args):
        pass


@contextmanager
def serving(body: bytes) -> Iterator[str]:
    """A server that has ``body`` at /good, and everything bad at other paths; yields its address."""
    handler = type("Handler", (Answers,), {"body": body})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.handle_error = lambda *_: None  # a client that gives up is what is tested
    handler.ended = threading.Event()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        handler.ended.set()
        server.shutdown()
        server.server_close()
