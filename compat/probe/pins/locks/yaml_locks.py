"""Lock files in YAML: pixi.lock and conda-lock's unified lock file.

Sources: pixi's ``rattler_lock`` (versions 1 to 6), conda-lock's ``lockfile/v1/models.py``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import unquote

import yaml
from packaging.utils import InvalidSdistFilename, InvalidWheelFilename, parse_sdist_filename, parse_wheel_filename
from packaging.utils import canonicalize_name as canonical

from compat.facts.pins import Pin, PinFile, StatedPython, Unread
from compat.probe.pins import yaml_places
from compat.probe.pins.conda import listing as conda_list
from compat.probe.pins.conda import platforms as conda_platforms
from compat.probe.pins.source import Source


def read(source: Source) -> PinFile:
    """Return the locked packages of each environment and platform."""
    pixi = source.path.name.lower() == "pixi.lock"
    file = PinFile(path=str(source.path), kind="pixi.lock" if pixi else "conda-lock", is_lock=True)
    file = replace(file, relock="pixi lock" if pixi else "conda-lock lock")
    root, problem, line, column = yaml_places.compose(source)
    if problem is not None:
        return replace(file, problem=problem, problem_line=line, problem_column=column)
    environments = yaml_places.get(root, "environments")
    found = _environments(root, environments, source) if environments is not None else _packages(root, source)
    rows = tuple(found)
    platforms = _platforms(root, environments)
    pins = tuple(one for one in rows if isinstance(one, Pin))
    pythons = tuple(pin for pin in pins if pin.name == "python" and pin.origin == "conda")
    return replace(
        file,
        pins=tuple(pin for pin in pins if pin.name != "python" or pin.origin != "conda"),
        pythons=tuple(_stated(pythons)),
        unread=tuple(one for one in rows if isinstance(one, Unread)),
        platforms=platforms,
        platforms_why="the file locks them" if platforms else "",
    )


def _stated(pins: tuple[Pin, ...]) -> Iterator[StatedPython]:
    seen: set[tuple[str, str]] = set()
    for pin in pins:
        if (pin.group, pin.specifier) not in seen:
            seen.add((pin.group, pin.specifier))
            yield StatedPython(
                version=pin.specifier, line=pin.line, column=pin.column, what="the locked python", group=pin.group
            )


def _platforms(root: yaml.Node | None, environments: yaml.Node | None) -> tuple[str, ...]:
    names = [
        name for _, environment in _once(environments) for name, _ in _once(yaml_places.get(environment, "packages"))
    ]
    names += [name for name, _ in yaml_places.texts(yaml_places.get(root, "metadata", "platforms"))]
    return tuple(conda_platforms.platform(name) for name in sorted(set(names)))


def _once(node: yaml.Node | None) -> Iterator[tuple[str, yaml.Node]]:
    """A mapping's entries, each value once: no lock repeats a list by an alias."""
    seen: set[int] = set()
    for name, _, value in yaml_places.entries(node):
        if id(value) not in seen:
            seen.add(id(value))
            yield name, value


def _environments(root: yaml.Node | None, node: yaml.Node | None, source: Source) -> Iterator[Pin | Unread]:
    """From version 4 on: each environment lists addresses for each platform, the packages follow below."""
    about = {
        address: item
        for item in yaml_places.items(yaml_places.get(root, "packages"))
        for key, _, value in yaml_places.entries(item)
        if key in {"pypi", "url", "path"} and (address := yaml_places.text(value))
    }
    lists = (
        (f"env {name}", subdir, listed)
        for name, environment in _once(node)
        for subdir, listed in _once(yaml_places.get(environment, "packages"))
    )
    seen: set[int] = set()
    for group, subdir, listed in lists:
        if id(listed) in seen:
            continue
        seen.add(id(listed))
        for item in yaml_places.items(listed):
            kind, where = next(((key, value) for key, _, value in yaml_places.entries(item)), ("", None))
            if kind in {"conda", "pypi"} and where is not None:
                yield _address(kind, where, about, (group, subdir), source)


def _address(
    kind: str, node: yaml.Node, about: dict[str, yaml.Node], where: tuple[str, str], source: Source
) -> Pin | Unread:
    group, subdir = where
    address = yaml_places.text(node) or ""
    at = yaml_places.span(node, source).start
    marker = conda_platforms.marker(subdir)
    found = conda_list.package(address, at, source, marker=marker, group=group) if kind == "conda" else None
    if found is not None:
        return found.pin
    name, version, shift = _named(address, about.get(address)) if kind == "pypi" else ("", "", 0)
    line, column = source.place(at + shift)
    if not name:
        return Unread(line=line, column=column, text=address[:80], why="an address that names no version")
    return Pin(
        name=canonical(name),
        specifier=version,
        marker=marker,
        line=line,
        column=column,
        admits=conda_list.exact(version),
        group=group,
        origin="index" if "://files.pythonhosted.org/" in address or "://pypi." in address else _origin(address),
        locked=True,
    )


def _named(address: str, about: yaml.Node | None) -> tuple[str, str, int]:
    """Name, version and the offset of the name in a distribution's address; the list of packages knows them too."""
    folder, slash, file = address.partition("#")[0].rpartition("/")
    shift = len(folder) + len(slash)
    try:
        name, version = parse_wheel_filename(unquote(file))[:2]
    except InvalidWheelFilename:
        try:
            name, version = parse_sdist_filename(unquote(file))
        except InvalidSdistFilename:
            listed = yaml_places.text(yaml_places.get(about, "name")) or ""
            return listed, yaml_places.text(yaml_places.get(about, "version")) or "", 0
    return name, str(version), shift


def _packages(root: yaml.Node | None, source: Source) -> Iterator[Pin | Unread]:
    """conda-lock, and pixi up to version 3: one list, each package with its platform."""
    for item in yaml_places.items(yaml_places.get(root, "package")):
        said = {key: yaml_places.text(value) or "" for key, _, value in yaml_places.entries(item)}
        node = yaml_places.get(item, "name")
        if node is None or not said.get("name"):
            line, column = yaml_places.place(item, source)
            yield Unread(line=line, column=column, text="", why="a package without a name")
            continue
        line, column = yaml_places.place(node, source)
        conda = (said.get("manager") or said.get("kind") or "conda") == "conda"
        built = conda_list.package(said.get("url", ""), 0, source) if conda else None
        category = said.get("category") or "main"
        yield Pin(
            name=canonical(said["name"]),
            specifier=said.get("version", ""),
            marker=conda_platforms.marker(said.get("platform", "")),
            line=line,
            column=column,
            admits=conda_list.exact(said.get("version", "")),
            group="" if category in {"main", "default"} else f"group {category}",
            origin="conda" if conda else "index",
            channel=built.pin.channel if built else "",
            locked=True,
        )


def _origin(address: str) -> str:
    if address.startswith(("git+", "hg+", "svn+", "bzr+")):
        return "vcs"
    return "url" if "://" in address else "path"
