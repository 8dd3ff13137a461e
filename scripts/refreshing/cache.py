"""What an interrupted run need not ask for again: index pages by ETag, metadata by the hash of its wheel."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import os
import tempfile
from typing import TYPE_CHECKING

from refreshing.failure import RefreshError

if TYPE_CHECKING:
    from pathlib import Path


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Cache:
    """A folder, or nothing at all. An entry that is not whole counts as absent."""

    folder: Path | None

    def metadata(self, wheel_sha256: str) -> bytes | None:
        """Look up the METADATA of the wheel with this hash."""
        return self._read("metadata", wheel_sha256)

    def keep_metadata(self, wheel_sha256: str, metadata: bytes) -> None:
        """Keep it for the next run."""
        self._write("metadata", wheel_sha256, metadata)

    def page(self, url: str) -> tuple[str, bytes] | None:
        """Look up ETag and body of an index page seen before."""
        content = self._read("pages", _key(url)) or b""
        etag, separator, body = content.partition(b"\n")
        return (etag.decode("latin-1"), body) if separator else None

    def keep_page(self, url: str, etag: str, body: bytes) -> None:
        """Keep it for the next run."""
        self._write("pages", _key(url), etag.encode("latin-1", "replace") + b"\n" + body)

    def _read(self, kind: str, key: str) -> bytes | None:
        if self.folder is None:
            return None
        try:
            stored = (self.folder / kind / key).read_bytes()
        except OSError:
            return None
        digest, _, content = stored.partition(b"\n")
        return content if digest == _key(content).encode() else None

    def _write(self, kind: str, key: str, content: bytes) -> None:
        if self.folder is not None:
            replace(self.folder / kind / key, _key(content).encode() + b"\n" + content)


def replace(path: Path, content: bytes) -> None:
    """Put `content` at `path`, whole or not at all. RefreshError where the disk refuses."""
    temporary = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as stream:
            temporary = stream.name
            stream.write(content)
        os.chmod(temporary, 0o644)  # noqa: PTH101 - the temporary file is a name, not yet a path of ours
        os.replace(temporary, path)  # noqa: PTH105
    except OSError as failure:
        raise RefreshError(f"{path}: cannot be written ({failure.strerror})") from failure
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):
                os.unlink(temporary)  # noqa: PTH108 - gone already where the replacement went well


def _key(content: str | bytes) -> str:
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()
