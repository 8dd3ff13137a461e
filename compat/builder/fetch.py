"""One file from an address the user named, into a folder of ours: over https, bounded in bytes and in seconds.

The whole exchange runs in a thread of its own, because no timeout of a socket ends a server that sends a byte now and
then, or a name that takes minutes to resolve. What is said of an address leaves out user, password and query.
"""

from __future__ import annotations

import errno
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, urljoin, urlsplit

from compat.errors import CannotAct, TfcompatError, UsageError

if TYPE_CHECKING:
    from requests import Response, Session

CONNECT_SECONDS = 15.0
_MOST_REDIRECTS = 5
_CHUNK = 65_536
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""What is wrong with the disk, not with the network."""
_OK, _MOVED = 200, (301, 302, 303, 307, 308)
_HINTS = {
    404: "check the address",
    410: "check the address",
    429: "the server asks for fewer requests: try again later",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a source may cost."""

    bytes: int
    seconds: float
    """For the whole exchange, redirects included."""
    silence: float = 60.0
    """Seconds without a byte after which nothing more is to come."""
    whose: str = "a matrix may have"
    """The most bytes, in words."""


def is_address(source: str) -> bool:
    """Tell whether a source is an address and no path; a path may hold a colon, but no ``://``."""
    return "://" in source


def check_address(url: str) -> None:
    """Refuse what is not https, apart from http to this machine. Raises UsageError."""
    parts = _parts(url)
    if parts is None or not parts.hostname or parts.scheme not in ("https", "http"):
        raise UsageError(f"{shown(url)} is no https address", hint="name a folder, a file, or an https:// address")
    if parts.scheme == "http" and parts.hostname not in _LOOPBACK:
        raise UsageError(f"{shown(url)} is not https: anybody on the way could change what it says")


def shown(url: str) -> str:
    """Return an address as it may be shown: without user, password, query."""
    parts = _parts(url)
    if parts is None:
        return f"{url.partition('://')[0]}://…"
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}{parts.path}"


def _parts(url: str) -> SplitResult | None:
    """Return an address taken apart; None where that cannot be done (a bracket left open, a port that is none)."""
    try:
        parts = urlsplit(url)
        _ = parts.port  # checked only when it is asked for
    except ValueError:
        return None
    return parts


def fetch(
    url: str, into: Path, limits: Limits, *, accept: str = "*/*", got: Callable[[int], None] = lambda _bytes: None
) -> str:
    """Write the file at an address to ``into``; return where it was found. ``got`` hears how many bytes have come.

    Raises UsageError for an address, CannotAct for what comes of it.
    """
    check_address(url)
    exchange = _Exchange(url, into, limits, accept, got)
    thread = threading.Thread(target=exchange.run, daemon=True)
    thread.start()
    try:
        thread.join(limits.seconds)
    finally:  # out of time, or interrupted
        exchange.given_up.set()
    if thread.is_alive():
        raise _too_slow(url, limits)
    if exchange.failure is not None:
        raise exchange.failure
    return exchange.found_at


class _Exchange:
    """One download, and how it ended."""

    def __init__(self, url: str, into: Path, limits: Limits, accept: str, got: Callable[[int], None]) -> None:
        self._url, self._into, self._limits, self._accept, self._got = url, into, limits, accept, got
        self._until = time.monotonic() + limits.seconds
        self.given_up = threading.Event()
        self.failure: BaseException | None = None
        self.found_at = url

    def run(self) -> None:
        """Do it; what stops it is kept for who waits."""
        import requests

        try:
            with requests.Session() as session, self._answer(session) as response:
                self._save(response)
        except requests.ReadTimeout:
            self.failure = _too_slow(self._url, self._limits)
        except requests.exceptions.ChunkedEncodingError:
            self.failure = _broken_off(self._url)
        except (requests.RequestException, OSError) as error:
            if getattr(error, "errno", None) in _FULL:
                self.failure = CannotAct(
                    f"{shown(self._url)} could not be kept: {error.strerror}",
                    hint="free some disk space and run it again",
                )
                return
            self.failure = CannotAct(f"{shown(self._url)}: {_reason(error)}", hint="is the network up?")
        except ValueError:  # of requests and urljoin, for a redirect that cannot be taken apart
            self.failure = CannotAct(f"{shown(self._url)} leads to what is no address")
        except Exception as error:  # noqa: BLE001 - a thread has nobody to raise to
            self.failure = error

    def _answer(self, session: Session) -> Response:
        """Follow redirects, each held to the same rule as the first address."""
        url = self._url
        for _ in range(_MOST_REDIRECTS + 1):
            session.trust_env = urlsplit(url).hostname not in _LOOPBACK  # no proxy to this machine
            response = session.get(
                url,
                stream=True,
                allow_redirects=False,
                timeout=(CONNECT_SECONDS, max(1.0, min(self._limits.silence, self._until - time.monotonic()))),
                headers={"Accept-Encoding": "identity", "User-Agent": "tfcompat", "Accept": self._accept},
            )
            if response.status_code not in _MOVED:
                self.found_at = url
                return response
            response.close()
            url = self._next(url, response.headers.get("Location", ""))
        raise CannotAct(f"{shown(self._url)}: more than {_MOST_REDIRECTS} redirects")

    def _next(self, url: str, location: str) -> str:
        if not location:
            raise CannotAct(f"{shown(self._url)} redirects and does not say where to")
        following = urljoin(url, location)
        try:
            check_address(following)
        except TfcompatError as error:
            raise CannotAct(f"{shown(self._url)} leads to {error.message}") from error
        if urlsplit(url).scheme == "https" and urlsplit(following).scheme != "https":
            raise CannotAct(f"{shown(self._url)} leads from https to http")
        return following

    def _save(self, response: Response) -> None:
        code = response.status_code
        if code != _OK:
            raise CannotAct(
                f"{shown(self._url)} answered {code} {response.reason or ''}".rstrip(), hint=_HINTS.get(code, "")
            )
        if response.headers.get("Content-Encoding", "identity") != "identity":
            raise CannotAct(f"{shown(self._url)} answered in an encoding nobody asked for")
        announced = response.headers.get("Content-Length", "")
        expected = int(announced) if announced.isascii() and announced.isdigit() else None
        if expected is not None and expected > self._limits.bytes:
            raise self._too_large()
        got = 0
        with self._into.open("wb") as file:
            for chunk in self._chunks(response):
                got += len(chunk)
                if got > self._limits.bytes:
                    raise self._too_large()
                file.write(chunk)
                self._got(got)
        if expected is not None and got < expected:
            raise _broken_off(self._url)

    def _chunks(self, response: Response) -> Iterator[Any]:
        for chunk in response.iter_content(_CHUNK):
            if self.given_up.is_set():
                return
            yield chunk

    def _too_large(self) -> CannotAct:
        most = self._limits.bytes
        size = f"{most // 1_000_000} MB" if most >= 1_000_000 else f"{most} bytes"  # noqa: PLR2004 - a megabyte
        return CannotAct(f"{shown(self._url)} is larger than the {size} {self._limits.whose}")


def _too_slow(url: str, limits: Limits) -> CannotAct:
    return CannotAct(f"{shown(url)} did not answer whole within {limits.seconds:g} s", hint="try again later")


def _broken_off(url: str) -> CannotAct:
    return CannotAct(f"{shown(url)} broke off before its end", hint="try again")


def _reason(error: Exception) -> str:
    """Return the innermost cause in a few words: urllib3 wraps the system's message several times."""
    inner: BaseException = error
    while (cause := getattr(inner, "reason", None) or inner.__cause__ or inner.__context__) and isinstance(
        cause, Exception
    ):
        inner = cause
    if isinstance(inner, OSError) and inner.strerror:
        return inner.strerror
    return type(error).__name__ if len(str(inner)) > 200 else f"{type(inner).__name__}: {inner}"  # noqa: PLR2004
