"""Bounded HTTP: every answer has a size limit, a deadline and a number of attempts; every failure is one line."""

from __future__ import annotations

import contextlib
import dataclasses
import datetime as dt
import threading
import time
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

import requests
import requests.adapters

from refreshing.failure import RefreshError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

CONNECTIONS = 4
"""At most this many requests under way at once: polite to a public index, and enough."""

CONNECT_AND_READ_SECONDS = (10.0, 30.0)
WHOLE_ANSWER_SECONDS = 180.0
"""A server that keeps sending a byte now and then never trips the read timeout; this limit does."""

LONGEST_WAIT_SECONDS = 30.0
PAGE_LIMIT = 16 * 1024 * 1024
"""Bytes. The largest page followed (NumPy's) has 2 MB."""

SLOW_DOWN = 429
SERVER_FAULT = 500
CHUNK = 64 * 1024


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a server said, read to its end."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class _PassingError(Exception):
    """A failure that may be gone at the next attempt."""

    def __init__(self, what: str, *, wait: float = 0.0) -> None:
        super().__init__(what)
        self.wait = wait


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Web:
    """A session with manners. Safe to share between threads."""

    session: requests.Session
    attempts: int = 5
    stop: threading.Event = dataclasses.field(default_factory=threading.Event)
    """Set when the run is given up: nothing more is asked."""
    pause: Callable[[threading.Event, float], object] = threading.Event.wait
    """Called with `stop` and seconds between attempts; a test passes its own."""

    def get(self, url: str, *, headers: Mapping[str, str], limit: int = PAGE_LIMIT) -> Answer:
        """Any answer below 500 other than 429. RefreshError when it does not come, or is longer than `limit` bytes."""
        what, wait = "", 0.0
        for attempt in range(self.attempts):
            if attempt:
                self.pause(self.stop, min(max(2.0 ** (attempt - 1), wait), LONGEST_WAIT_SECONDS))
            if self.stop.is_set():
                raise RefreshError("given up")
            try:
                return _ask(self.session, url, headers, limit)
            except _PassingError as failure:
                what, wait = str(failure), failure.wait
        raise RefreshError(
            f"{url}: {what} ({self.attempts} attempts)",
            hint="try again later; with --cache DIR what was already read is not asked for again",
        )


@contextlib.contextmanager
def web(*, attempts: int = 5) -> Iterator[Web]:
    """Open a `Web`, and close its connections at the end."""
    with requests.Session() as session:
        adapter = requests.adapters.HTTPAdapter(pool_connections=CONNECTIONS, pool_maxsize=CONNECTIONS)
        session.mount("https://", adapter)
        session.mount("http://", adapter)
        session.max_redirects = 5
        session.headers["User-Agent"] = "tfcompat-refresh (+https://pypi.org/project/tfcompat/)"
        yield Web(session=session, attempts=attempts)


def _ask(session: requests.Session, url: str, headers: Mapping[str, str], limit: int) -> Answer:
    try:
        with session.get(url, headers=dict(headers), timeout=CONNECT_AND_READ_SECONDS, stream=True) as response:
            if response.status_code == SLOW_DOWN or response.status_code >= SERVER_FAULT:
                raise _PassingError(f"answered {response.status_code}", wait=asked_wait(response))
            return Answer(status=response.status_code, headers=response.headers, body=_body(response, url, limit))
    except (requests.exceptions.InvalidURL, requests.exceptions.InvalidSchema, requests.exceptions.MissingSchema):
        raise RefreshError(f"{url}: not an address that can be asked") from None
    except requests.exceptions.TooManyRedirects:
        raise RefreshError(f"{url}: redirected without end") from None
    except requests.exceptions.RequestException as failure:
        raise _PassingError(_in_words(failure)) from failure


def _body(response: requests.Response, url: str, limit: int) -> bytes:
    announced = response.headers.get("Content-Length", "")
    length = int(announced) if announced.isdecimal() else None
    if length is not None and length > limit:
        raise RefreshError(f"{url}: the answer has {length:,} bytes, more than the {limit:,} allowed")
    deadline = time.monotonic() + WHOLE_ANSWER_SECONDS
    parts: list[bytes] = []
    received = 0
    for part in response.iter_content(CHUNK):
        parts.append(part)
        received += len(part)
        if received > limit:
            raise RefreshError(f"{url}: the answer is longer than the {limit:,} bytes allowed")
        if time.monotonic() > deadline:
            raise _PassingError(f"still sending after {WHOLE_ANSWER_SECONDS:.0f} s")
    # urllib3 1.x, which requests still accepts, lets a body that stopped early pass for a whole one.
    if length is not None and "Content-Encoding" not in response.headers and received != length:
        raise _PassingError(f"sent {received:,} of {length:,} bytes")
    return b"".join(parts)


def asked_wait(response: requests.Response) -> float:
    """Seconds of a Retry-After header, in either of its forms (RFC 9110, 10.2.3); 0 where it is neither."""
    asked = response.headers.get("Retry-After", "")
    if asked.isascii() and asked.isdecimal():
        return float(asked)
    try:
        moment = parsedate_to_datetime(asked)
        return max(0.0, (moment - dt.datetime.now(dt.timezone.utc)).total_seconds())
    except (ValueError, TypeError, OverflowError):
        return 0.0


def _in_words(failure: requests.exceptions.RequestException) -> str:
    if isinstance(failure, requests.exceptions.Timeout):
        return "no answer in time"
    if isinstance(failure, requests.exceptions.SSLError):
        return "its certificate was not accepted"
    if isinstance(failure, requests.exceptions.ChunkedEncodingError | requests.exceptions.ContentDecodingError):
        return "the answer stopped half-way"
    return "no connection"
