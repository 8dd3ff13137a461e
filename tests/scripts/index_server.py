"""A package index on the loopback interface that serves what it is told to, and fails as it is told to."""

import contextlib
import hashlib
import http.server
import io
import json
import os
import tarfile
import threading
import time
import zipfile


def wheel_bytes(name, version, requires=(), *, other_files=0, metadata_first=False):
    """A wheel as a zip file; its METADATA last, as PEP 427 asks, or first."""
    info = f"{name.replace('-', '_')}-{version}.dist-info"
    metadata = "".join(
        [f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"]
        + [f"Requires-Dist: {each}\n" for each in requires]
        + ["\nA description.\n"]
    )
    files = [(f"{name}/include/header_{number:05}.h", os.urandom(16).hex()) for number in range(other_files)]
    files.insert(0 if metadata_first else len(files), (f"{info}/METADATA", metadata))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files:
            archive.writestr(path, content)
    return buffer.getvalue()


def zip_bytes(members):
    """A zip file of these members."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def sdist_bytes(name, version, requires=(), *, dynamic=(), bytes_before=b"", bytes_after=b""):
    """Sources as setuptools packs them: members sorted, PKG-INFO at the top and once more in the egg-info."""
    top = f"{name.replace('-', '_')}-{version}"
    lines = [f"Metadata-Version: 2.4\nName: {name}\nVersion: {version}\n"]
    lines += [f"Dynamic: {each}\n" for each in dynamic] + [f"Requires-Dist: {each}\n" for each in requires]
    info = "".join([*lines, "\nA description.\n"]).encode()
    members = {"LICENSE": bytes_before, "PKG-INFO": info, "src/big.mm": bytes_after, "x.egg-info/PKG-INFO": b"Name: no"}
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for path, content in members.items():
            member = tarfile.TarInfo(f"{top}/{path}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


class Index:
    """Pages, files, faults, and a record of what was asked."""

    def __init__(self):
        self.pages = {}
        self.files = {}
        self.faults = {}
        self.asked = []
        self.sent = 0
        self.ranges = True
        self.etags = False
        self.url = ""

    def add(self, filename, content=b"not read", *, uploaded="2024-03-01T10:00:00Z", **more):
        name = filename.split("-")[0].replace("_", "-")
        self.files[f"/files/{filename}"] = content
        entry = {
            "filename": filename,
            "url": f"../../files/{filename}",
            "hashes": {"sha256": hashlib.sha256(content).hexdigest()},
            "size": len(content),
            "upload-time": uploaded,
            "requires-python": None,
            "yanked": False,
        }
        self.pages.setdefault(name, []).append(entry | more)

    def wheel(self, name, version, tag, requires=(), *, shape=None, **more):
        content = wheel_bytes(name, version, requires, **(shape or {}))
        self.add(f"{name.replace('-', '_')}-{version}-{tag}.whl", content, **more)
        return content

    def retry_after(self):
        return "7"

    def fail(self, path, *faults):
        """The next requests for `path` meet these faults, one each; the last one stays if it is repeated by ..."""
        self.faults[path] = list(faults)

    def fault(self, path):
        faults = self.faults.get(path, [])
        if len(faults) == 2 and faults[1] is ...:
            return faults[0]
        return faults.pop(0) if faults else None

    def paths(self):
        return [path for path, _ in self.asked]


class Handler(http.server.BaseHTTPRequestHandler):
    index = None
    """Set by a subclass per test."""
    protocol_version = "HTTP/1.1"
    timeout = 5

    def log_message(self, *arguments):
        pass

    def do_GET(self):
        self.index.asked.append((self.path, self.headers.get("Range")))
        fault = self.index.fault(self.path)
        if isinstance(fault, int):
            self.answer(fault, b"no", {"Retry-After": self.index.retry_after()} if fault == 429 else {})
        elif self.path.startswith("/simple/"):
            self.page(fault)
        elif self.path in self.index.files:
            self.file(self.index.files[self.path], fault)
        else:
            self.answer(404, b"no such file")

    def page(self, fault):
        files = self.index.pages.get(self.path.split("/")[2])
        if files is None:
            self.answer(404, b"no such project")
            return
        body = json.dumps({"meta": {"api-version": "1.1"}, "files": files}).encode()
        etag = f'"{hashlib.sha256(body).hexdigest()}"'
        if self.index.etags and self.headers.get("If-None-Match") == etag:
            self.answer(304, b"")
            return
        self.answer(200, body, {"ETag": etag} if self.index.etags else {}, fault)

    def file(self, content, fault):
        wanted = self.headers.get("Range")
        if not wanted or not self.index.ranges:
            self.answer(200, content, fault=fault)
            return
        start, end = map(int, wanted.removeprefix("bytes=").split("-"))
        shown = f"bytes {start}-{end}/{len(content)}"
        if fault == "other range":
            shown = f"bytes {start + 1}-{end + 1}/{len(content)}"
        self.answer(206, content[start : end + 1], {"Content-Range": shown}, fault)

    def answer(self, status, body, headers=None, fault=None):
        if fault == "stall":
            time.sleep(4)
        if isinstance(fault, bytes):
            body = fault
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        for key, value in (headers or {}).items():
            self.send_header(key, value)
        self.end_headers()
        if fault == "half a body":
            body = body[: len(body) // 2]
            self.close_connection = True
        self.index.sent += len(body)
        with contextlib.suppress(OSError):
            self.wfile.write(body)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = False
    """Closing waits for every answer, so that none is still under way when the test is over."""

    def handle_error(self, request, client_address):
        """A client that hangs up (on purpose, or by Ctrl-C) is no failure of the index."""


@contextlib.contextmanager
def serving():
    """An index that answers while the block runs."""
    answering = Index()
    server = Server(("127.0.0.1", 0), type("Answering", (Handler,), {"index": answering}))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    answering.url = f"http://127.0.0.1:{server.server_port}/simple"
    try:
        yield answering
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
