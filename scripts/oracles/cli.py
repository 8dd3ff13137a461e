"""The command line of `scripts/oracle`: fetch, judge, compare with the tables, write the results."""

from __future__ import annotations

import argparse
import datetime as dt
import hashlib
import json
import os
import sys
import time
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

import lief
import requests
from remote_wheel import BadWheel

from oracles.facts import image_facts, keep, kept, plugin_facts
from oracles.verdict import PluginFacts, judged, verdict

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oracles.verdict import ImageFacts

ROOT = Path(__file__).resolve().parents[2]
TABLES = ROOT / "matrices" / "links"
RESULTS = ROOT / "tests" / "full" / "results" / "oracle.json"
ARCHITECTURES = ("arm64", "x86_64")
SIMPLE = "https://pypi.org/simple/{}/"
DIFFER, COULD_NOT, INTERRUPTED = 1, 3, 130

Table = dict[str, Any]
Where = dict[str, tuple[str, int, str]]
"""File name -> address, bytes, sha256, as the index says."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code; see the docstring of `scripts/oracle`."""
    options = _parser().parse_args(arguments)
    try:
        options.cache.mkdir(parents=True, exist_ok=True)
        return _run(options)
    except (BadWheel, requests.RequestException, OSError, ValueError, KeyError) as error:
        print(f"oracle: {' '.join(str(error).split())}", file=sys.stderr)
        return COULD_NOT
    except KeyboardInterrupt:
        return INTERRUPTED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="scripts/oracle", description="Judge every pair of links with lief")
    parser.add_argument("--cache", type=Path, required=True, help="folder of earlier answers; makes runs resume")
    parser.add_argument("--arch", choices=ARCHITECTURES, action="append", help="only this architecture")
    parser.add_argument(
        "--results", type=Path, default=RESULTS, help="file to write (default: tests/full/results/oracle.json)"
    )
    parser.add_argument("--jobs", type=int, default=2, help="wheels read at a time (default: 2)")
    return parser


def _run(options: argparse.Namespace) -> int:
    try:
        results = json.loads(options.results.read_text("utf-8"))
    except (OSError, ValueError):
        results = {}
    for architecture in options.arch or ARCHITECTURES:
        name = f"tensorflow-metal.{architecture}"
        table = tomllib.loads((TABLES / f"{name}.toml").read_text("utf-8"))
        wheels = _judged(table, options)
        rows = [pair for wheel in wheels.values() for pair in wheel["pairs"].values()]
        wrong = list(differences(table, wheels))
        results[name] = {
            "command": f"scripts/oracle --cache DIR --arch {architecture}",
            "day": dt.datetime.now(dt.timezone.utc).date().isoformat(),
            "lief": lief.__version__,
            "pairs": len(rows),
            "differ": len(wrong),
            "wheels": {file: wheels[file] for file in sorted(wheels)},
        }
        print("\n".join([*wrong, f"{name}: {len(rows)} pairs, {len(wrong)} differ"]))
    write(options.results, results)
    return DIFFER if any(each["differ"] for each in results.values()) else 0


def mark(names: Sequence[str]) -> str:
    """Shorten a set of names to 16 hex digits; "" for none."""
    return hashlib.sha256("\n".join(sorted(names)).encode()).hexdigest()[:16] if names else ""


def differences(table: Table, wheels: dict[str, Any]) -> list[str]:
    """One line for every pair of the table that the results judge otherwise, or not at all."""
    files = {(row["distribution"], row["version"]): row["file"] for row in table["tensorflows"]}
    lines = []
    for row in table["pairs"]:
        wheel = wheels.get(files[row["distribution"], row["tensorflow"]], {"pairs": {}})
        missing = table["missing"][row["missing"]] if "missing" in row else ()
        ours, theirs = [row["layer"], mark(missing)], wheel["pairs"].get(row["plugin_version"])
        if ours != theirs:
            pair = f"{row['distribution']} {row['tensorflow']} + {table['plugin']} {row['plugin_version']}"
            lines.append(f"{pair}: the table says {ours}, lief {theirs}")
    return lines


def write(path: Path, results: dict[str, Any]) -> None:
    """One wheel a line, whole or not at all."""
    text = json.dumps(results, indent=1, sort_keys=False)
    for wheel in (wheel for table in results.values() for wheel in table["wheels"].values()):
        text = text.replace(_indented(wheel), json.dumps(wheel))
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".part")
    partial.write_text(text + "\n", "utf-8")
    os.replace(partial, path)  # noqa: PTH105 - one call, atomic


def _indented(wheel: dict[str, Any]) -> str:
    return json.dumps(wheel, indent=1).replace("\n", "\n" + " " * 3)


def _judged(table: Table, options: argparse.Namespace) -> dict[str, Any]:
    where: Where = {}
    for name in {table["plugin"], *(row["distribution"] for row in table["tensorflows"])}:
        where |= _listed(name)
    _refuse_other_bytes(table, where)
    plugins = {row["version"]: plugin_facts(*where[row["file"]][:2], options.cache) for row in table["plugins"]}
    names = frozenset[str]().union(*(_asked(plugin) for plugin in plugins.values()))
    wheels = {}
    with ProcessPoolExecutor(options.jobs, mp_context=get_context("spawn")) as pool:
        began = time.monotonic()
        under_way: dict[Future[list[ImageFacts]], Table] = {
            pool.submit(_facts, where[row["file"]], names, options.cache): row for row in table["tensorflows"]
        }
        for future in as_completed(under_way):
            row = under_way[future]
            wheels[row["file"]] = _wheel(row, plugins, future.result())
            print(
                f"{row['file']}: {len(wheels)} of {len(under_way)}, {time.monotonic() - began:.0f} s", file=sys.stderr
            )
    return wheels


def _wheel(row: Table, plugins: dict[str, PluginFacts], images: list[ImageFacts]) -> dict[str, Any]:
    pairs = {version: verdict(plugin, images) for version, plugin in plugins.items()}
    return {
        "sha256": row["sha256"],
        "exported": {image.install_name: image.exported for image in images},
        "not_judged": sorted(_not_judged(plugins, images)),
        "pairs": {version: [layer, mark(missing)] for version, (layer, missing) in pairs.items()},
    }


def _not_judged(plugins: dict[str, PluginFacts], images: list[ImageFacts]) -> set[str]:
    """Flat names taken for the system's that TensorFlow exports all the same; there should be none."""
    flat = {name for plugin in plugins.values() for name in plugin.flat if not judged(name)}
    return {name for image in images for name in image.exports if name in flat}


def _asked(plugin: PluginFacts) -> frozenset[str]:
    return plugin.flat.union(*(names for library, names in plugin.two_level.items() if not library.startswith("/")))


def _facts(where: tuple[str, int, str], names: frozenset[str], cache: Path) -> list[ImageFacts]:
    """In a process of its own: lief gives the memory of a library of 600 MB back only at its end."""
    url, size, sha256 = where
    path = cache / f"{sha256}.json"
    images = kept(path, names)
    if images is None:
        images = image_facts(url, size, names, cache)
        keep(path, names, images)
    return images


def _listed(name: str) -> Where:
    headers = {"Accept": "application/vnd.pypi.simple.v1+json"}
    answer = requests.get(SIMPLE.format(name), headers=headers, timeout=60)
    answer.raise_for_status()
    return {
        each["filename"]: (each["url"], each["size"], each["hashes"]["sha256"])
        for each in answer.json()["files"]
        if each["filename"].endswith(".whl")
    }


def _refuse_other_bytes(table: Table, where: Where) -> None:
    for row in (*table["plugins"], *table["tensorflows"]):
        if where[row["file"]][2] != row["sha256"]:
            raise BadWheel(f"{row['file']}: the index has other bytes than the table was made from")
