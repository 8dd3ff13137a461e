"""A package index on the loopback interface over a folder of wheels, and the ways it can go wrong, each by its name.

Pages are PEP 503 or PEP 691, as asked for; each wheel's metadata is served beside it (PEP 658), as PyPI does, so that
a file itself is asked for once, by whoever installs it. Whatever else is to be had over http (interpreter archives)
is added by its path.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import html
import io
import json
import threading
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

JSON = "application/vnd.pypi.simple.v1+json"
HTML = "application/vnd.pypi.simple.v1+html"
STATUS = {"missing": 404, "broken": 500, "unavailable": 503, "denied": 401, "forbidden": 403, "busy": 429}
FAULTS = {
    "drop": "half the bytes that were announced, then the connection ends",
    "truncated": "half the bytes, announced as if they were all",
    "stall": "half the bytes, then silence for as long as the index is served",
    "drip": "one byte every 50 ms",
    "reset": "no answer, the connection ends",
    "hash": "the page names another sha256 than the file has",
    "changed": "another sound wheel under the same name, and the page agrees with it",
    "garbage": "bytes that are nothing, as many as the file has",
    "huge": "a Content-Length of a terabyte, then the connection ends",
    "endless": "bytes without announcement and without end",
    "outside": "a redirect to another host over plain http",
    "loop": "a redirect to itself",
    **dict.fromkeys(STATUS, "the status of that name"),
}
"""What ``Index.fail`` takes, for a file's name, a project's (its page) or any other path."""


class Index:
    """What is served, what goes wrong, and what was asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.others: dict[str, bytes | Path] = {}
        """Other files by their path, ``/pythons/20260101/cpython-….tar.gz``."""
        self.root = ""
        """``http://127.0.0.1:PORT``."""
        self.credentials: tuple[str, str] | None = None
        """User and password that every request must bring."""
        self.only_html = False
        self.on_request: Callable[[str], None] = lambda _path: None
        """Told each path before it is answered, in the server's thread: a test may kill its child here."""
        self.ended = threading.Event()
        self._asked: list[str] = []
        self._faults: dict[str, list[str]] = {}
        self._always: dict[str, str] = {}
        self._lock = threading.Lock()

    @property
    def url(self) -> str:
        """The index as UV_DEFAULT_INDEX takes it."""
        return f"{self.root}/simple"

    def url_as(self, user: str, password: str) -> str:
        """The index with credentials in it."""
        return self.url.replace("://", f"://{user}:{password}@")

    def environment(self) -> dict[str, str]:
        """What makes uv use this index and nothing else."""
        return {"UV_DEFAULT_INDEX": self.url, "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}

    def fail(self, name: str, fault: str, *, times: int | None = None) -> None:
        """Let the next ``times`` requests for a file, a project's page or a path meet a fault; None: all of them."""
        assert fault in FAULTS, f"no fault is called {fault}"
        if times is None:
            self._always[name] = fault
        else:
            self._faults[name] = [fault] * times

    def heal(self) -> None:
        """Let everything go well again."""
        self._always.clear()
        self._faults.clear()

    def asked(self, ending: str = "") -> list[str]:
        """The paths asked for so far, those with that ending."""
        with self._lock:
            return [path for path in self._asked if path.endswith(ending)]

    def note(self, path: str) -> None:
        with self._lock:
            self._asked.append(path)
        self.on_request(path)

    def meets(self, name: str) -> str | None:
        """The fault the request at hand meets."""
        with self._lock:
            waiting = self._faults.get(name)
            return waiting.pop(0) if waiting else self._always.get(name)

    def standing(self, name: str) -> str | None:
        """The fault of a file as its page sees it; none is used up."""
        waiting = self._faults.get(name)
        return waiting[0] if waiting else self._always.get(name)

    def content(self, name: str) -> bytes | Path | None:
        """A wheel as it is served now."""
        path = self.folder / name
        if "/" in name or not path.is_file():
            return None
        return changed(path.read_bytes()) if self.standing(name) == "changed" else path

    def rows(self, project: str) -> list[dict[str, object]]:
        """The files of a project as PEP 691 says them."""
        wanted = sorted(path.name for path in self.folder.glob("*.whl") if _project(path.name) == project)
        return [self._row(name) for name in wanted]

    def _row(self, name: str) -> dict[str, object]:
        content = self.content(name)
        data = content.read_bytes() if isinstance(content, Path) else content or b""
        told = b"another file" if self.standing(name) == "hash" else data
        return {
            "filename": name,
            "url": f"../../files/{name}",
            "hashes": {"sha256": hashlib.sha256(told).hexdigest()},
            "size": len(data),
            "core-metadata": {"sha256": hashlib.sha256(metadata(data)).hexdigest()},
            "requires-python": ">=3.8",
            "yanked": False,
        }


def changed(data: bytes) -> bytes:
    """Another sound wheel: the same files and one more."""
    buffer = io.BytesIO(data)
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr("added_later.py", "print('not what was published')\n")
    return buffer.getvalue()


def metadata(data: bytes) -> bytes:
    """The METADATA inside a wheel."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        name = next(one for one in archive.namelist() if one.endswith(".dist-info/METADATA"))
        return archive.read(name)


def _project(file: str) -> str:
    return file.partition("-")[0].replace("_", "-").lower()


class Answers(BaseHTTPRequestHandler):
    """One request."""

    index: Index
    """Set by a subclass for each index."""
    protocol_version = "HTTP/1.1"
    timeout = 30

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        self.index.note(path)
        if not self._may():
            self._answer(401, b"who are you", {"WWW-Authenticate": 'Basic realm="tests"'})
        elif path.startswith("/simple/"):
            self._page(path.split("/")[2])
        elif path.startswith("/files/"):
            self._file(path.removeprefix("/files/"))
        else:
            self._served(path, self.index.others.get(path))

    def _may(self) -> bool:
        if self.index.credentials is None:
            return True
        wanted = base64.b64encode(":".join(self.index.credentials).encode()).decode()
        return self.headers.get("Authorization") == f"Basic {wanted}"

    def _page(self, project: str) -> None:
        rows = self.index.rows(project)
        if not rows:
            self._answer(404, b"no such project")
            return
        if JSON in self.headers.get("Accept", "") and not self.index.only_html:
            body = {"meta": {"api-version": "1.1"}, "name": project, "files": rows}
            self._served(project, json.dumps(body).encode(), {"Content-Type": JSON})
            return
        lines = "".join(
            f'<a href="{row["url"]}#sha256={row["hashes"]["sha256"]}" data-requires-python="&gt;=3.8">'
            f"{html.escape(str(row['filename']))}</a><br>\n"
            for row in rows
        )
        self._served(project, f"<!DOCTYPE html><html><body>\n{lines}</body></html>".encode(), {"Content-Type": HTML})

    def _file(self, name: str) -> None:
        if name.endswith(".metadata"):
            content = self.index.content(name.removesuffix(".metadata"))
            data = content.read_bytes() if isinstance(content, Path) else content
            self._served(name, None if data is None else metadata(data))
            return
        content = self.index.content(name)
        self._served(name, content)

    def _served(self, name: str, content: bytes | Path | None, headers: Mapping[str, str] | None = None) -> None:
        if content is None:
            self._answer(404, b"no such file")
            return
        fault = self.index.meets(name)
        data = content.read_bytes() if isinstance(content, Path) else content
        if fault in STATUS:
            self._answer(STATUS[fault], b"no")
        elif fault in ("outside", "loop"):
            self._answer(302, b"", {"Location": "http://example.org/x" if fault == "outside" else self.path})
        elif fault == "reset":
            self.close_connection = True
        elif fault in ("drop", "stall", "drip", "huge", "endless"):
            self._badly(fault, data, headers)
        else:
            shown = {"truncated": data[: len(data) // 2], "garbage": b"\x00" * len(data)}.get(fault or "", data)
            self._answer(200, shown, headers)

    def _answer(self, status: int, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        self._head(status, {"Content-Length": str(len(body)), **(headers or {})})
        if self.command != "HEAD":
            with contextlib.suppress(OSError):
                self.wfile.write(body)

    def _head(self, status: int, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def _badly(self, fault: str, data: bytes, headers: Mapping[str, str] | None) -> None:
        length = {} if fault == "endless" else {"Content-Length": str(10**12 if fault == "huge" else len(data))}
        self._head(200, {**length, **(headers or {})})
        self.close_connection = True
        if self.command == "HEAD":
            return
        with contextlib.suppress(OSError):
            if fault == "drip":
                for byte in data:
                    self.wfile.write(bytes([byte]))
                    if self.index.ended.wait(0.05):
                        return
            while fault == "endless" and not self.index.ended.is_set():
                self.wfile.write(bytes(1_000_000))
            self.wfile.write(data[: len(data) // 2])
            self.wfile.flush()
            if fault == "stall":
                self.index.ended.wait()

    def log_message(self, *args: object) -> None:
        """Nothing is said of a request."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up, or is killed, is what is tested."""


@contextmanager
def serving(folder: Path) -> Iterator[Index]:
    """An index of the wheels in a folder, those that come later too, while the block runs."""
    index = Index(folder)
    server = _Server(("127.0.0.1", 0), type("Handler", (Answers,), {"index": index}))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    index.root = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield index
    finally:
        index.ended.set()
        server.shutdown()
        server.server_close()
        thread.join()
