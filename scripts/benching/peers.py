"""tfcompat beside its peers on the same environments, in one run: exit code, seconds, and what each one found.

Every round runs each tool once, in turn; a ratio is that of two runs of one round. One round before them warms the disk
and is the one whose words are judged; a tool whose exit code changes between rounds is named in the record.
"""

from __future__ import annotations

import platform
import statistics
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benching import sizes, warm_build
from benching.judging import Said, judge, report_of, shown, without_folder
from benching.peer_tools import OURS, OURS_WITH_SMOKE, TOOLS, Tool, Words, command, copy_name, doctor, version
from benching.planted import PLANTED, Planted
from benching.workshop import Place, Workshop, place_of

STOPPED_AFTER = 300
"""Seconds."""
SIZE_ROUNDS = 4
"""The ratio of two short commands needs more pairs than a table of found causes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run of one tool."""

    seconds: float
    code: int | None
    report: str


def record(shop: Workshop, tfcompat: Path, runs: int) -> dict[str, object]:
    """Return everything that is measured. Environments are made before the first clock starts."""
    places = [(planted, place_of(planted, shop)) for planted in PLANTED]
    commands = {
        planted.id: [(tool, command(tool, planted, place, shop, tfcompat)) for tool in TOOLS]
        for planted, place in places
        if place is not None
    }
    healthy, place = places[0]
    filled = sizes.environments(healthy, place.python, shop) if place and place.python else {}
    cells = [
        cell
        for planted, place in places
        for cell in (measured(planted, commands[planted.id], shop, runs) if place else missing(planted))
    ]
    return {
        "tools": [
            {"name": tool.name, "version": version(tool, healthy, tfcompat, shop), "changed": changes(tool, shop)}
            for tool in TOOLS
        ],
        "environments": [{"id": one.id, "title": one.title, "cause": one.cause} for one in PLANTED],
        "cells": cells,
        "speed": [
            size_row(filled, shop, tfcompat, runs),
            *warm_build.rows(tfcompat, shop.folder, runs, build_env(shop)),
        ],
    }


def measured(planted: Planted, commands: Sequence[tuple[Tool, Words | str]], shop: Workshop, runs: int) -> list[dict]:
    """Return a cell for each tool on one environment."""
    asked = [(tool, words) for tool, words in commands if not isinstance(words, str)]
    first = {tool.name: run(words, shop) for tool, words in asked}
    rounds = [{tool.name: run(words, shop) for tool, words in asked} for _ in range(runs)]
    masks = masks_of(shop)
    cells = []
    for tool, words in commands:
        head = {"environment": planted.id, "tool": tool.name}
        if isinstance(words, str):
            cells.append({**head, "why": words})
            continue
        said = Said(code=first[tool.name].code, report=first[tool.name].report, answers=tool.answers)
        codes = sorted({str(one[tool.name].code) for one in (first, *rounds)})
        cells.append(
            {
                **head,
                "found": judge(said, planted.rule),
                "exit": said.code,
                **({"exits": codes} if len(codes) > 1 else {}),
                "seconds": round(statistics.median(one[tool.name].seconds for one in rounds), 3),
                **ratios(tool, rounds),
                **shown(said.report, planted.rule, masks),
            }
        )
    return cells


def ratios(tool: Tool, rounds: Sequence[Mapping[str, Run]]) -> dict[str, float]:
    """Return how often a tool's time holds ours, without and with the smoke test, round by round."""
    found = {}
    for key, ours in (("times_ours", OURS), ("times_ours_with_smoke", OURS_WITH_SMOKE)):
        if all(ours.name in one for one in rounds):
            pairs = [one[tool.name].seconds / one[ours.name].seconds for one in rounds]
            found[key] = round(statistics.median(pairs), 3)
    return found


def missing(planted: Planted) -> list[dict]:
    why = f"no Python {planted.python} on the machine that measured"
    return [{"environment": planted.id, "tool": tool.name, "why": why} for tool in TOOLS]


def changes(tool: Tool, shop: Workshop) -> list[str]:
    """Return what installing the peer replaced in the copies: the planted packages must not be among it."""
    if tool.package is None:
        return []
    copies = [copy_name(tool.package, planted) for planted in PLANTED]
    found = [shop.answer(name) for name in copies if (shop.folder / "made" / f"{name}.json").is_file()]
    return sorted({change for answer in found if isinstance(answer, list) for change in answer})


def size_row(filled: Mapping[int, Path], shop: Workshop, tfcompat: Path, runs: int) -> dict[str, object]:
    small, large = (doctor(Place(python=filled[size]), shop, tfcompat) for size in sizes.SIZES)
    pairs = [(run(large, shop).seconds, run(small, shop).seconds) for _ in range(runs * SIZE_ROUNDS + 1)][1:]
    return {
        "what": "doctor --no-smoke, an environment of 400 distributions",
        "peer": "the same with 150",
        "seconds": round(statistics.median(a for a, _ in pairs), 3),
        "peer_seconds": round(statistics.median(b for _, b in pairs), 3),
        "ratio": round(statistics.median(a / b for a, b in pairs), 3),
        "limit_ratio": sizes.LIMIT,
    }


def run(words: Words | str, shop: Workshop) -> Run:
    """Run from an empty folder: env-doctor reads what stands in the current one."""
    empty = shop.folder / "empty"
    empty.mkdir(exist_ok=True)
    argv = [str(word) for word in words]
    began = time.perf_counter()
    try:
        done = subprocess.run(
            argv, env=child_env(shop), cwd=empty, stdin=subprocess.DEVNULL, capture_output=True, timeout=STOPPED_AFTER,
            check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return Run(seconds=time.perf_counter() - began, code=None, report="")
    seconds = time.perf_counter() - began
    out, err = (text.decode("utf-8", "replace") for text in (done.stdout, done.stderr))
    report = without_folder(report_of(out, err), str(shop.folder))
    return Run(seconds=seconds, code=done.returncode, report=report)


def child_env(shop: Workshop) -> dict[str, str]:
    """A home of its own, because mlenvdoctor and env-doctor write there; lines are not to be folded."""
    home = shop.folder / "home"
    home.mkdir(exist_ok=True)
    return {**build_env(shop), "HOME": str(home), "COLUMNS": "400", "NO_COLOR": "1"}


def build_env(shop: Workshop) -> dict[str, str]:
    """The cache stays the user's, wherever the home is said to be."""
    return {**shop.env, "UV_CACHE_DIR": shop.do("cache", "dir").strip()}


def masks_of(shop: Workshop) -> dict[str, str]:
    return {
        str(shop.folder): "DIR",
        str(shop.folder.resolve()): "DIR",
        str(shop.root): "TFCOMPAT",
        str(Path.home()): "~",
        platform.node(): "HOST",
        platform.release(): "RELEASE",
    }
