"""Faults of others: the network, the index, uv itself, the download of a Python."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from compat.builder.uv import find
from tests.builder.loopback import Index
from tests.trust.run import Bench
from tests.trust.stages import ONLINE, STAGES, Fault, Outcome, Stage

WHEEL, PAGE = "demo-2.0-py3-none-any.whl", "demo"
ARCHIVE = "/pythons/cpython.tar.gz"
NOBODY = "http://127.0.0.1:9"
REAL = find(offline=True).binary


@dataclass(frozen=True, slots=True, kw_only=True)
class Outside:
    """One fault, and whether the run can still end well."""

    name: str
    breaks: Callable[[Index], None] = lambda _index: None
    """What goes wrong at the index."""
    env: dict[str, str | None]
    uv: str = ""
    """A shell script in front of uv; ``none``: there is no uv."""
    python: str = ""
    passes: bool = False
    """Whether it does no harm."""


def _index(name: str, of: str, fault: str, *, passes: bool = False, **env: str) -> Outside:
    return Outside(name=f"index: {name}", breaks=lambda index: index.fail(of, fault), env=env, passes=passes)


def _once(index: Index) -> None:
    index.fail(WHEEL, "drop", times=1)


def _changed_after_resolution(index: Index) -> None:
    def told(path: str) -> None:
        if path.endswith(".metadata"):
            index.fail(WHEEL, "changed")

    index.on_request = told


INDEX = (
    _index("drops the connection in the middle of a wheel", WHEEL, "drop"),
    Outside(name="index: drops it once", breaks=_once, env={}, passes=True),
    _index("sends half a wheel as if it were all", WHEEL, "truncated"),
    _index("sends another sha256 than its page says", WHEEL, "hash"),
    Outside(name="index: a wheel changes after the resolution", breaks=_changed_after_resolution, env={}),
    _index("sends zeros", WHEEL, "garbage"),
    _index("falls silent in the middle of a wheel", WHEEL, "stall", UV_HTTP_TIMEOUT="1"),
    _index("announces a terabyte", WHEEL, "huge"),
    _index("does not have the wheel (404)", WHEEL, "missing"),
    _index("fails on the wheel (500)", WHEEL, "broken"),
    _index("does not let us have the wheel (403)", WHEEL, "forbidden"),
    _index("hangs up on the wheel", WHEEL, "reset"),
    _index("does not know the project (404)", PAGE, "missing"),
    _index("fails on the project's page (500)", PAGE, "broken"),
    _index("hangs up on the project's page", PAGE, "reset"),
    _index("sends the project's page as zeros", PAGE, "garbage"),
    _index("drips a wheel's metadata", f"{WHEEL}.metadata", "drip", UV_HTTP_TIMEOUT="1", passes=True),
    Outside(name="index: nobody listens", env={"UV_DEFAULT_INDEX": f"{NOBODY}/simple"}),
)


def _uv(name: str, script: str) -> Outside:
    return Outside(name=f"uv: {name}", env={}, uv=script)


def _at(words: str, does: str) -> str:
    return f'case "$*" in "{words}"*) {does} ;; esac'


MID_INSTALL = f'"{REAL}" "$@" & sleep 0.03; kill -9 $!; kill -9 $$'
STEPS = ("--version", "venv", "pip compile", "pip install", "pip check")
UV = (
    Outside(name="uv: is missing", env={"PATH": "/usr/bin:/bin"}, uv="none"),
    _uv("is too old", _at("--version", "echo uv 0.1.0; exit 0")),
    _uv("says nothing sound", _at("--version", "echo garbage; exit 0")),
    *(_uv(f"{step}: crashes", _at(step, "kill -SEGV $$")) for step in STEPS),
    *(_uv(f"{step}: fails with a text", _at(step, "echo 'error: it is broken' >&2; exit 2")) for step in STEPS),
    _uv("pip install: is killed in the middle", _at("pip install", MID_INSTALL)),
    _uv("venv: says it is done and is not", _at("venv", "exit 0")),
    _uv("pip compile: says it is done and is not", _at("pip compile", "exit 0")),
    _uv("pip install: says it is done and is not", _at("pip install", "exit 0")),
)


def _python(name: str, fault: str = "", **env: str) -> Outside:
    def breaks(index: Index) -> None:
        index.others[ARCHIVE] = b"not an archive at all"
        if fault:
            index.fail(ARCHIVE, fault)

    return Outside(name=f"Python's archive: {name}", breaks=breaks, env=env, python="3.12.97")


PYTHON = (
    _python("is not there (404)", "missing"),
    _python("the server fails (500)", "broken"),
    _python("drops in the middle", "drop"),
    _python("has another sha256", "garbage"),
    _python("is what the list says and no archive"),
    _python("nobody listens", TRUST_NOBODY="1"),
)
OUTSIDE = (*INDEX, *UV, *PYTHON)


def outcome(bench: Bench, index: Index, fault: Outside, stage_name: str) -> Outcome:
    """What becomes of it; the next run meets a sound world."""
    stage = replace(STAGES[stage_name], words=ONLINE)
    sound = {"UV_FIND_LINKS": None, **index.environment(), "UV_CACHE_DIR": str(bench.folder / "network cache")}
    shutil.rmtree(bench.folder / "network cache", ignore_errors=True)
    index.heal()
    index.on_request = lambda _path: None
    fault.breaks(index)
    env = {**sound, **_pythons(bench, index, fault), **fault.env}
    uv = script(bench.folder, fault.uv)
    return bench.outcome(stage, Fault(uv=uv, python=fault.python), env=env, mended=_healing(index, sound))


def _healing(index: Index, sound: dict[str, str | None]) -> Callable[[], dict[str, str | None]]:
    def healed() -> dict[str, str | None]:
        index.heal()
        index.on_request = lambda _path: None
        return sound

    return healed


def script(folder: Path, text: str) -> str:
    """A program in front of uv, of a line of shell; what is no such line is returned as it is."""
    if text in ("", "none"):
        return text
    path = folder / "uv"
    path.write_text(f'#!/bin/sh\n{text}\nexec "{REAL}" "$@"\n')
    path.chmod(0o755)
    return str(path)


def _pythons(bench: Bench, index: Index, fault: Outside) -> dict[str, str]:
    """A list with one Python that no machine has, and where it is to be had."""
    if not fault.python:
        return {}
    root = NOBODY if "TRUST_NOBODY" in fault.env else index.root
    row = {
        "name": "cpython",
        "arch": {"family": "x86_64", "variant": None},
        "os": "linux",
        "libc": "gnu",
        "major": 3,
        "minor": 12,
        "patch": 97,
        "prerelease": "",
        "url": f"{root}{ARCHIVE}",
        "sha256": hashlib.sha256(b"not an archive at all").hexdigest(),
        "variant": None,
        "build": "0",
    }
    listed = bench.folder / "pythons.json"
    listed.write_text(json.dumps({"cpython-3.12.97-linux-x86_64-gnu": row}))
    return {"UV_PYTHON_DOWNLOADS_JSON_URL": f"file://{listed}", "UV_PYTHON_INSTALL_DIR": str(bench.folder / "pythons")}


def expected(fault: Outside, found: Outcome, stage: Stage) -> list[str]:
    """A fault that does harm must leave the old state, and one that does none the new."""
    wanted = "new" if fault.passes else "old"
    return [] if found.state == wanted else [f"{fault.name}, {stage.name}: {found.state} where it should be {wanted}"]
