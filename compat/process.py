"""The only door to other programs: run one, bounded in time and output, and say how it ended.

A run never raises on a return code: what a code means is the caller's business. A program that cannot be started is an
ordinary failed result (127), so that callers have one path. A child that outlives its limit is killed with its whole
process group, since signals do not reach Python inside a hung kernel.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

NOT_STARTED = 127
"""Return code of a program that could not be started, as a shell would give it."""

DEFAULT_OUTPUT_LIMIT = 4_000_000
"""Bytes kept of each stream; a retrying out-of-memory has printed two million lines in 15 s."""

_CHUNK = 65536


@dataclass(frozen=True, slots=True, kw_only=True)
class Completed:
    """How a program ended."""

    argv: tuple[str, ...]
    returncode: int
    stdout: str
    stderr: str
    seconds: float
    signal: int | None = None
    """The signal that ended it, where one did."""
    timed_out: bool = False

    @property
    def ok(self) -> bool:
        """Whether it ended by itself with code 0."""
        return self.returncode == 0 and not self.timed_out

    @property
    def started(self) -> bool:
        """Whether it ran at all."""
        return self.returncode != NOT_STARTED or self.signal is not None


@dataclass(slots=True)
class _Kept:
    """The head and the tail of a stream, at most ``limit`` bytes together."""

    limit: int
    head: bytearray = field(default_factory=bytearray)
    tail: bytearray = field(default_factory=bytearray)
    dropped: int = 0
    tell: Callable[[str], None] | None = None
    """Called with each whole line as it comes."""
    pending: bytes = b""

    def add(self, chunk: bytes) -> None:
        if self.tell is not None:
            *lines, self.pending = (self.pending + chunk).split(b"\n")
            for line in lines:
                self.tell(line.decode("utf-8", "replace"))
        room = max(0, self.limit // 2 - len(self.head))
        self.head += chunk[:room]
        self.tail += chunk[room:]
        excess = len(self.tail) - self.limit // 2
        if excess > 0:
            del self.tail[:excess]
            self.dropped += excess

    def text(self) -> str:
        gap = f"\n[… {self.dropped} bytes left out …]\n".encode() if self.dropped else b""
        return bytes(self.head + gap + self.tail).decode("utf-8", "replace")


class Child:
    """A started program; ``wait`` collects it. Lets the caller work while it runs."""

    def __init__(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None,
        cwd: Path | None,
        output_limit: int,
        on_line: Callable[[str], None] | None = None,
        keep: Sequence[int] = (),
    ) -> None:
        self._argv = tuple(argv)
        self._began = time.monotonic()
        self._streams = (_Kept(output_limit), _Kept(output_limit, tell=on_line))
        self._process, self._problem = _start(self._argv, env, cwd, keep)
        self._readers = self._read_in_background()

    def wait(self, *, timeout: float | None) -> Completed:
        """Wait for the end, at most ``timeout`` seconds from now; then the process group is killed."""
        if self._process is None:
            return Completed(argv=self._argv, returncode=NOT_STARTED, stdout="", stderr=self._problem, seconds=0.0)
        timed_out = False
        try:
            self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            timed_out = True
            self._kill()
        except BaseException:
            self._kill()
            raise
        return self._collect(self._process, timed_out)

    def _collect(self, process: subprocess.Popen[bytes], timed_out: bool) -> Completed:
        for reader in self._readers:
            reader.join(5.0)  # a grandchild may hold the pipe open: do not wait for it forever
        code = process.wait()
        return Completed(
            argv=self._argv,
            returncode=code,
            stdout=self._streams[0].text(),
            stderr=self._streams[1].text(),
            seconds=time.monotonic() - self._began,
            signal=-code if code < 0 else None,
            timed_out=timed_out,
        )

    def _read_in_background(self) -> list[threading.Thread]:
        if self._process is None:
            return []
        pipes = (self._process.stdout, self._process.stderr)
        readers = [
            threading.Thread(target=_drain, args=(pipe, kept), daemon=True)
            for pipe, kept in zip(pipes, self._streams, strict=True)
            if pipe is not None
        ]
        for reader in readers:
            reader.start()
        return readers

    def _kill(self) -> None:
        if self._process is None:
            return
        if os.name == "posix":
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()


def _start(
    argv: tuple[str, ...], env: Mapping[str, str] | None, cwd: Path | None, keep: Sequence[int]
) -> tuple[subprocess.Popen[bytes] | None, str]:
    try:
        process = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(env) if env is not None else None,
            cwd=cwd,
            start_new_session=os.name == "posix",
            pass_fds=tuple(keep) if os.name == "posix" else (),
        )
    except (OSError, ValueError) as error:
        return None, str(error)
    return process, ""


def _drain(pipe: IO[bytes], kept: _Kept) -> None:
    while chunk := os.read(pipe.fileno(), _CHUNK):
        kept.add(chunk)
    pipe.close()


def start(
    argv: Sequence[str],
    *,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    output_limit: int = DEFAULT_OUTPUT_LIMIT,
) -> Child:
    """Start a program without waiting for it."""
    return Child(argv, env=env, cwd=cwd, output_limit=output_limit)


def run(
    argv: Sequence[str],
    *,
    timeout: float | None,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    output_limit: int = DEFAULT_OUTPUT_LIMIT,
) -> Completed:
    """Run a program to its end, at most ``timeout`` seconds (None: no limit).

    Never raises on a return code. On KeyboardInterrupt the child's process group is killed first.
    """
    return start(argv, env=env, cwd=cwd, output_limit=output_limit).wait(timeout=timeout)


def stream(
    argv: Sequence[str],
    *,
    on_line: Callable[[str], None],
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    timeout: float | None = None,
    keep: Sequence[int] = (),
) -> Completed:
    """Run a program and hand over each line of its stderr as it comes (uv reports progress there).

    ``keep`` are descriptors the child inherits: of a lock that is to be held until it has ended too.
    """
    child = Child(argv, env=env, cwd=cwd, output_limit=DEFAULT_OUTPUT_LIMIT, on_line=on_line, keep=keep)
    return child.wait(timeout=timeout)


INHERITED = (
    *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TEMP", "TMP"),
    *("SYSTEMROOT", "COMSPEC", "PATHEXT", "USERPROFILE", "APPDATA", "LOCALAPPDATA"),
    *("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "SSL_CERT_FILE", "SSL_CERT_DIR"),
    *("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH"),
)
"""What a child gets of our environment, unless it is the user's own program (the smoke test), which gets all."""

NETWORK = (
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy"),
    *("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NETRC"),
    *("UV_DEFAULT_INDEX", "UV_INDEX", "UV_INDEX_URL", "UV_EXTRA_INDEX_URL", "UV_FIND_LINKS", "UV_KEYRING_PROVIDER"),
    *("UV_NATIVE_TLS", "UV_SYSTEM_CERTS", "UV_INSECURE_HOST", "UV_HTTP_TIMEOUT", "UV_CONCURRENT_DOWNLOADS"),
    *("UV_CACHE_DIR", "UV_OFFLINE", "UV_PYTHON_INSTALL_DIR", "UV_PYTHON_INSTALL_MIRROR"),
)
"""What a child that may use the network gets besides: proxies, certificates and user-level index settings."""


def environment(*groups: Sequence[str], **extra: str) -> dict[str, str]:
    """Return a child's environment by allow-list; ``extra`` is added."""
    names = INHERITED + tuple(name for group in groups for name in group)
    return {name: os.environ[name] for name in names if name in os.environ} | extra
