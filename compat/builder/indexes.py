"""Where uv is led to for packages: nowhere over plain http, and nowhere unverified, but on this machine itself.

What is resolved anew gets its hashes from the index: over http anybody on the way could choose both the file and the
hash. Read are uv's variables and settings (docs.astral.sh/uv, "Environment variables", "Settings") and the options and
addresses of requirement files (pip.pypa.io, "Requirements File Format").
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from compat.errors import HIDDEN, CannotAct, without_secrets

ADDRESSES = (
    *("UV_DEFAULT_INDEX", "UV_INDEX", "UV_INDEX_URL", "UV_EXTRA_INDEX_URL", "UV_FIND_LINKS"),
    *("UV_PYTHON_INSTALL_MIRROR", "UV_PYTHON_DOWNLOADS_JSON_URL"),
)
UNVERIFIED = "UV_INSECURE_HOST"
CREDENTIAL = re.compile(r"UV_INDEX_[A-Z0-9_]+_(?:USERNAME|PASSWORD)")
"""How uv is told the credentials of an index that has a name ("Authentication")."""

_HTTP = re.compile(r"(?<![A-Za-z/])http://[^\s,\"'<>]+", re.IGNORECASE)
_COMMENT = re.compile(r"(?:^|\s)#.*")
_INCLUDE = re.compile(r"^\s*(?:-r|-c|--requirements?|--constraints?)(?:\s*=\s*|\s+|(?<=-[rc]))(?P<path>\S.*?)\s*$")
_TOML_ADDRESS = re.compile(r"(?:^|[\s{,])(?:url|index|git)\s*=\s*[\"']\s*(?P<url>http://[^\"']+)", re.IGNORECASE)
_TOML_UNVERIFIED = re.compile(
    r"^\s*(?:allow-insecure-host|trusted-host)\s*=\s*(\[[^\]]*\]|\"[^\"]*\"|'[^']*')", re.MULTILINE
)
_PROXY = re.compile(r"^\s*[\"']?(?:https?|all)-proxy[\"']?\s*=")
_LIMIT_BYTES = 10_000_000
_TLS = "anybody on the way could change what it serves"
_SHORTEST = 4
"""A shorter secret is left to the URL's own form: it would take ordinary words out of messages."""


def check(variables: Mapping[str, str], settings: Path | None = None) -> None:
    """Refuse an index, a mirror or a host without verified TLS. Raises CannotAct."""
    for name in ADDRESSES:
        for url in _foreign(_HTTP.findall(variables.get(name, ""))):
            raise _plain(url, name)
    for host in re.split(r"[\s,]+", variables.get(UNVERIFIED, "")):
        _must_be_verified(host, UNVERIFIED)
    if settings is not None:
        text = _read(settings)
        lines = [_COMMENT.sub("", line) for line in text.splitlines() if not _PROXY.match(line)]
        for url in _foreign(url for line in lines for url in _HTTP.findall(line)):
            raise _plain(url, str(settings))
        for found in _TOML_UNVERIFIED.finditer(text):
            for host in re.findall(r"[\"']([^\"']*)[\"']", found[1]):
                _must_be_verified(host, str(settings))


def check_requirements(files: Iterable[Path]) -> None:
    """Refuse a requirement file that leads to plain http, itself or by a file it includes. Raises CannotAct."""
    seen: set[Path] = set()
    waiting = list(files)
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        text = _read(path)
        addresses = _TOML_ADDRESS.findall(text) if path.suffix == ".toml" else _HTTP.findall(_without_comments(text))
        for url in _foreign(addresses):
            raise _plain(url, str(path))
        waiting += _included(path, text)


def secrets(variables: Mapping[str, str]) -> tuple[str, ...]:
    """Return what must never be said of some variables: passwords and tokens, as written and as URLs may spell them."""
    found: set[str] = set()
    for name, value in variables.items():
        if CREDENTIAL.fullmatch(name) and name.endswith("PASSWORD"):
            found.add(value)
        for inside in re.findall(r"://([^/\s]*|[^/\s:]*:(?!\d+/)\S{0,300})@", value):
            user, colon, password = inside.partition(":")
            found.add(password if colon and password else user)
    spelled = {form for secret in found for form in (secret, unquote(secret), quote(unquote(secret), safe=""))}
    return tuple(sorted((secret for secret in spelled if len(secret) >= _SHORTEST), key=len, reverse=True))


def masked(text: str, known: Iterable[str] = ()) -> str:
    """Return a text without known secrets, wherever they stand, and without what looks like one."""
    for secret in known:
        text = text.replace(secret, HIDDEN)
    return without_secrets(text)


def _without_comments(text: str) -> str:
    return "\n".join(_COMMENT.sub("", line) for line in text.replace("\\\n", " ").splitlines())


def _included(path: Path, text: str) -> Iterator[Path]:
    for line in _without_comments(text).splitlines():
        found = _INCLUDE.match(line)
        if found and "://" not in found["path"]:
            yield path.parent / found["path"].strip("\"'")


def _foreign(urls: Iterable[str]) -> Iterator[str]:
    yield from (url for url in urls if not _is_loopback(_host(url)))


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:  # a bracket left open
        return ""


def _is_loopback(host: str) -> bool:
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _must_be_verified(host: str, where: str) -> None:
    name = _host(host if "://" in host else f"https://{host}") if host else "localhost"
    if not _is_loopback(name):
        raise CannotAct(
            f"{where} takes {host} without checking who answers: {_TLS}",
            hint="name its certificate instead: SSL_CERT_FILE=FILE, or UV_SYSTEM_CERTS=1 for the system's own",
        )


def _plain(url: str, where: str) -> CannotAct:
    address = urlsplit(without_secrets(url)) if _host(url) else None
    shown = f"http://{address.netloc}{address.path}" if address else "http://…"
    return CannotAct(f"{where} names {shown}, which is not https: {_TLS}", hint="name an https:// address")


def _read(path: Path) -> str:
    """Return a file's text as far as it can be read; what cannot is for uv to complain of."""
    try:
        with path.open("rb") as file:
            return file.read(_LIMIT_BYTES).decode("utf-8", "replace") if path.is_file() else ""
    except OSError:
        return ""
