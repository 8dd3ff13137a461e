"""What ``tfcompat smoke`` does once its words are understood: run the battery, list it, or make one check a program."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any

from compat import __version__
from compat.cli import output, session
from compat.cli.examine import FULL_SECONDS, SMOKE_SECONDS
from compat.errors import CannotLook, UsageError, without_secrets
from compat.facts.capture import Facts
from compat.facts.known import known

if TYPE_CHECKING:
    from compat.facts.numerics import Check, Numerics
    from compat.report.style import Style
    from compat.smoke.reproduce import Known, Listed

DEVICE = re.compile(r"[A-Za-z_]\w*(:\d+)?")
"""As TensorFlow names them: CPU, GPU:0, XLA_CPU:0."""
CALLED = ("eager", "graph")
"""Modes in which a single operation is checked; xla is a graph, too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What was asked for."""

    python: str | None = None
    venv: Path | None = None
    devices: tuple[str, ...] = ()
    level: str | None = None
    only: str | None = None
    batch_size: int | None = None
    repro: str | None = None
    mode: str | None = None
    list: bool = False
    timeout: float | None = None
    """Seconds; None: as long as the level may take."""
    format: str = "columns"
    file: Path | None = None

    @property
    def command(self) -> str:
        """What a further command on the same environment begins with, ready to be pasted."""
        chosen = [f"--python {_quoted(self.python)}"] if self.python else []
        chosen += [f"--venv {_quoted(str(self.venv))}"] if self.venv else []
        return " ".join(["tfcompat smoke", *chosen])

    def masked(self) -> Wanted:
        """The same without the home folder, to be handed on."""
        from compat.probe.masking import mask_text

        python = mask_text(self.python) if self.python else None
        return replace(self, python=python, venv=Path(mask_text(str(self.venv))) if self.venv else None)

    @property
    def shows_all(self) -> str:
        """The hint where an id is none."""
        return f"`{self.command} --list` shows all"

    def check(self) -> None:
        """Raise UsageError where the words contradict each other, or name what cannot be."""
        self._check_repro()
        self._check_list()
        if self.batch_size is not None and self.level != "full":
            raise UsageError("--batch-size is of the timing, which level full does", hint="add --level full")
        for name in self.devices:
            if not DEVICE.fullmatch(name):
                raise UsageError(f"--device {name!r} is no device", hint="as CPU or GPU:0")
        if self.file is not None:
            _must_be_writable(self.file)

    def _check_repro(self) -> None:
        if self.mode and not self.repro:
            raise UsageError("--mode says how --repro calls an operation", hint="both modes run without it")
        if self.repro is None:
            return
        clashing = {"--list": self.list, "--only": self.only, "--level": self.level, "--batch-size": self.batch_size}
        for name in (name for name, value in clashing.items() if value):
            raise UsageError(f"--repro is of one check, {name} says what runs", hint=f"leave out {name}")
        if self.format != "columns":
            raise UsageError("--repro prints a program, which has one format", hint="leave out --format")
        if len(self.devices) > 1:
            raise UsageError("--repro makes a program for one device", hint="give --device once")
        if not self.repro.strip():
            raise UsageError("--repro needs the id of a check", hint=self.shows_all)

    def _check_list(self) -> None:
        if self.list and self.format == "html":
            raise UsageError("--list is told as columns or json", hint="leave out --format html")
        if self.list and self.devices:
            raise UsageError("--list shows what would run on any device", hint="leave out --device")


def _quoted(path: str) -> str:
    """Quote a path for a shell; a leading ``~/`` stays open to it."""
    return f"~/{quote(path[2:])}" if path.startswith("~/") else quote(path)


def _must_be_writable(file: Path) -> None:
    """Raise UsageError where a document could not be written: the battery takes its time, which would be lost."""
    folder = file.absolute().parent
    if file.is_dir():
        raise UsageError(f"{file} is a folder", hint="--output names a file")
    if not folder.is_dir():
        raise UsageError(f"there is no folder {file.parent}", hint="make it first")
    try:
        if file.exists() and not file.is_file():  # a pipe or a device: it is written to, not replaced
            return
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise UsageError(f"cannot write {file}: {error.strerror or error}", hint="name a file elsewhere") from error


def battery(wanted: Wanted) -> tuple[Facts, str]:
    """Return what is known of the environment and its interpreter. Raises CannotLook without a TensorFlow."""
    facts = session.look(session.Subject(python=wanted.python, venv=wanted.venv), found=False)
    interpreter = known(facts.interpreter)
    if interpreter is None or not session.has_tensorflow(facts):
        raise CannotLook("TensorFlow is not installed in this environment", hint="tfcompat fix --create-venv")
    return facts, interpreter.path


def measured(facts: Facts, interpreter: str, wanted: Wanted, *, quiet: bool) -> Facts:
    """Return the facts with the battery run.

    Raises UsageError where --only names no check, CannotLook where --device names a device that is not there.
    """
    if wanted.only:
        _must_exist(interpreter, wanted)
    with output.progress(quiet=quiet) as (_, detail):
        detail("running the numerical smoke test")
        numerics = _run(interpreter, wanted, detail, level=wanted.level or "quick", only=wanted.only)
    _must_be_listed(wanted, numerics)
    return replace(facts, numerics=numerics)


def _must_be_listed(wanted: Wanted, numerics: Numerics) -> None:
    listed = [device.name for device in numerics.devices]
    absent = [name for name in map(_full_name, wanted.devices) if name not in listed]
    if numerics.outcome == "ran" and listed and absent:
        there = ", ".join(listed)
        raise CannotLook(f"TensorFlow lists no device {absent[0]} here, only {there}", hint=f"--device {listed[-1]}")


def _run(interpreter: str, wanted: Wanted, tell: output.Say, *, level: str, only: str | None) -> Numerics:
    from compat.smoke.run import run_smoke

    options: dict[str, Any] = {"devices": wanted.devices or None, "level": level, "tell": tell}
    options["timeout"] = wanted.timeout or (FULL_SECONDS if level == "full" else SMOKE_SECONDS)
    options |= {"only": only} if only else {}
    options |= {"batch_size": wanted.batch_size} if wanted.batch_size else {}
    return run_smoke(interpreter, **options)


def told(facts: Facts, wanted: Wanted, style: Style) -> tuple[str, bool]:
    """Return the results in the wished format, and whether they are healthy."""
    from compat.report.document import machine_line
    from compat.report.measured import as_json, as_text, passed

    numerics = known(facts.numerics)
    if numerics is None:
        raise CannotLook("the smoke test was not run")
    if wanted.format == "columns":
        return without_secrets(as_text(numerics, style, command=wanted.command)), passed(numerics)
    masked = session.masked_facts(facts)  # these are to be handed on
    shown = known(masked.numerics) or numerics
    if wanted.format == "json":
        return as_json(shown), passed(numerics)
    from compat.report.picture import as_html

    page = as_html(shown, tool_version=__version__, machine=machine_line(masked), command=wanted.masked().command)
    return page, passed(numerics)


def deliver(text: str, file: Path | None) -> None:
    """Print a document, or write it whole. Raises CannotAct."""
    if file is None:
        output.emit(text)
        return
    from compat.builder import disk

    disk.write(file, text)


def listed(interpreter: str, wanted: Wanted) -> str:
    """Return the checks of a level, or those whose ids begin as ``only`` says. Raises UsageError where none does."""
    from compat.facts.codec import encode
    from compat.report.json import text
    from compat.smoke.reproduce import listing

    rows = [row for row in listing(interpreter, wanted.level or "full") if row.id.startswith(wanted.only or "")]
    if not rows:
        raise UsageError(f"no check begins with {wanted.only!r}", hint=wanted.shows_all)
    if wanted.format == "json":
        return text([{**encode(row), "levels": dict(row.levels)} for row in rows])
    width = max((len(row.id) for row in rows), default=0)
    return "".join(f"{row.id:<{width}}  {_modes(row):<33}  {', '.join(row.ops)}\n" for row in rows)


def _modes(row: Listed) -> str:
    return ", ".join(f"{mode} {level}" for mode, level in row.levels)


def _must_exist(interpreter: str, wanted: Wanted) -> None:
    from compat.smoke.reproduce import listing

    only, level = wanted.only or "", wanted.level or "quick"
    rows = [row for row in listing(interpreter) if row.id.startswith(only) or only.startswith(f"{row.id}/")]
    if not rows:
        raise UsageError(f"no check begins with {only!r}", hint=wanted.shows_all)
    ranks = ("quick", "standard", "full")
    lowest = min((rank for row in rows for _, rank in row.levels), key=ranks.index)
    if ranks.index(lowest) > ranks.index(level):
        raise UsageError(f"{only} does not run at level {level}", hint=f"add --level {lowest}")


def reproduced(facts: Facts, interpreter: str, wanted: Wanted, *, quiet: bool) -> str:
    """Return the program of one check: in the mode and on the device in which it fails here, unless told otherwise.

    Raises UsageError for an id that is none, CannotLook where the interpreter has no NumPy.
    """
    from compat.smoke import reproduce

    name = wanted.repro or ""
    found = reproduce.find(interpreter, name)
    _must_be_called_so(found, wanted.mode)
    level = max((level for _, level in found.levels), key=("quick", "standard", "full").index)
    with output.progress(quiet=quiet) as (_, detail):
        detail(f"running {found.id} to see how it fails here")
        numerics = _run(interpreter, wanted, detail, level=level, only=found.id)
    bad = reproduce.failing(numerics, found.id, wanted.mode)
    device = _full_name(wanted.devices[0]) if wanted.devices else _device(numerics, bad)
    mode = wanted.mode or (bad.mode if bad and bad.mode in CALLED else "graph")
    said = _said(session.masked_facts(replace(facts, numerics=numerics)), bad)
    if not quiet:
        output.talk(said[-1])
    return reproduce.reproduction(interpreter, bad.id if bad else found.id, mode=mode, device=device, said=said)


def _must_be_called_so(found: Known, mode: str | None) -> None:
    modes = dict(found.levels)
    if mode and not (mode in modes or set(modes) == set(CALLED)):
        raise UsageError(f"{found.id} is a program that runs in mode {', '.join(modes)}", hint="leave out --mode")


def _full_name(device: str) -> str:
    return device.upper() if ":" in device else f"{device.upper()}:0"


def _device(numerics: Numerics, bad: Check | None) -> str:
    names = [device.name for device in numerics.devices]
    return bad.device if bad and bad.device else names[-1] if names else "CPU:0"


def _said(facts: Facts, bad: Check | None) -> list[str]:
    """Lines for the head of the program: where it was made, and what was seen there."""
    from compat.report.document import machine_line, tensorflow_line
    from compat.report.measured import error_text, headline

    numerics = known(facts.numerics)
    if numerics is None:
        return []
    devices = [f"{device.name} {device.description}".strip() for device in numerics.devices]
    variables = [f"{variable.name}={variable.value}" for variable in numerics.variables]
    versions = f"NumPy {numerics.numpy}, Keras {numerics.keras}, Python {numerics.python}"
    lines = [f"Made by tfcompat {__version__} with {tensorflow_line(facts)}, {versions}", machine_line(facts)]
    lines += [", ".join([*devices, *variables])] if devices or variables else []
    if bad is None:
        return [*lines, f"Here it does not fail: {headline(numerics)}"]
    told = "; ".join(part for part in (error_text(bad), bad.detail) if part)
    return [*lines, f"Here it {bad.status} on {bad.device} ({bad.mode}): {told}"]
