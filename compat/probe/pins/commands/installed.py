"""One install command into the pins it asks for; ``pip show``, ``pip uninstall`` and ``echo`` ask for none."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from packaging.utils import canonicalize_name

from compat.facts.pins import Included, Pin, Span, StatedPython, Unread, Writing
from compat.probe.pins.commands.found import Around, Found
from compat.probe.pins.commands.installers import Call, program
from compat.probe.pins.commands.shell_words import Script, Word
from compat.probe.pins.conda import constraints as constraints_conda
from compat.probe.pins.pip import requirements
from compat.probe.pins.pip.indexes import is_pypi
from compat.probe.pins.requirement import Where, both, parse
from compat.probe.pins.toml import constraints

LIMIT_WORD = 2_000
"""Characters of one requirement in a command; a longer word is no requirement."""
LIMIT_FOLDERS = 6
"""Folders above a script in which a file it names is looked for."""

_INCLUDES = {"-r": False, "--requirement": False, "--requirements": False, "-c": True, "--constraint": True}
_EDITABLE = frozenset({"-e", "--editable", "--with-editable"})
_INDEXES = frozenset({"-i", "--index-url", "--default-index", "--pypi-mirror", "--index"})
_PIP_VALUED = (
    "-i --index-url --extra-index-url --extra-index --default-index --index -f --find-links -t --target "
    "--prefix --root --src --platform --python-version --implementation --abi --no-binary --only-binary "
    "--upgrade-strategy -b --build --progress-bar --cache-dir --log --proxy --retries --timeout "
    "--exists-action --trusted-host --cert --client-cert -C --config-settings --config-setting --global-option "
    "--install-option --report --python -p --extra --group -G --override --overrides --build-constraint "
    "--python-platform --torch-backend --resolution --prerelease --index-strategy --keyring-provider "
    "--exclude-newer --link-mode --project --directory --marker --optional --package --script --categories "
    "--pypi-mirror --extra-pip-args --rev --tag --branch -k -P --upgrade-package --reinstall-package "
    "--use-feature --root-user-action --pip-args --src-dir --dest"
)
_CONDA_VALUED = "-n --name -p --prefix -c --channel --file -f --solver --repodata-fn --subdir --platform --clone"
_POETRY_VALUED = "-G --group -E --extras --python --platform --source --markers -P --project -C"
_PIXI_VALUED = "--platform -p --feature -f --manifest-path --git --branch --tag --rev --environment -e"
_VENV_VALUED = "--python -p --prompt"
_WITH_VALUED = "--with --python -p --from --index"
_VALUED = {
    "pip": frozenset(_PIP_VALUED.split()),
    "conda": frozenset(_CONDA_VALUED.split()),
    "poetry": frozenset(_POETRY_VALUED.split()),
    "pixi": frozenset(_PIXI_VALUED.split()),
    "venv": frozenset(_VENV_VALUED.split()),
    "with": frozenset(_WITH_VALUED.split()),
}
"""Options that take the next word with them, from each tool's ``--help``."""
_HELD = re.compile(
    r"\$\{\{\s*([^{}]*?)\s*\}\}|\$\{([A-Za-z_]\w*)(?::?[-=][^}]*)?\}|\$\(([A-Za-z_]\w*)\)|\$([A-Za-z_]\w*)"
    r"|%([A-Za-z_]\w{2,})%"
)
"""A placeholder of a workflow, a shell, make, and a batch file."""
_AT = re.compile(r"([A-Za-z0-9][\w.-]*(?:\[[^\]]*\])?)@(?!.*://)(.+)")
_PYTHON = re.compile(r"=?=?(\d+\.\d+(?:\.\d+)?)(?:\.\*|=.*)?")


@dataclass(frozen=True, slots=True)
class _Argument:
    """A word that asks for something, by what asks for it: ``""``, ``-r``, ``-e``, ``-p``."""

    option: str
    word: Word
    value: str
    skip: int = 0
    """Characters of the word before the value: of ``--requirement=``."""


def installed(call: Call, script: Script, around: Around) -> Iterator[Found]:
    """Yield what one command installs, and the files it names."""
    if call.python is not None:
        yield from _running(call.python, script, around)
    arguments = tuple(_arguments(call))
    channels = [row.value for row in arguments if row.option in {"-c", "--channel"}] if call.tool == "conda" else []
    index = next((row.value for row in arguments if row.option in _INDEXES), "")
    private = bool(index) and not is_pypi(index) and call.tool in {"pip", "with"}
    where = Where(group=around.group, marker=around.marker, origin="private" if private else "index")
    for argument in arguments:
        yield from _asked(argument, call.tool, script, around, where, channels[0] if channels else "")


def filled(text: str, values: Mapping[str, str]) -> str:
    """Return the text with the placeholders whose value is known filled in."""
    if not values or ("$" not in text and "%" not in text):
        return text
    return _HELD.sub(lambda found: values.get(next(filter(None, found.groups()), ""), found[0]), text)


def names_held(text: str) -> Iterator[str]:
    """Yield the names of the placeholders in a text."""
    for found in _HELD.finditer(text):
        yield next(filter(None, found.groups()), "")


def _arguments(call: Call) -> Iterator[_Argument]:
    valued = _VALUED[call.tool]
    words = iter(call.words)
    plain = False
    for word in words:
        value = word.value
        if plain or not value.startswith("-") or value == "-":
            yield _Argument("", word, value)
            continue
        name, equals, inline = value.partition("=")
        plain = value == "--"
        if equals:
            yield _Argument(name, word, inline, len(name) + 1)
        elif name in valued or (call.tool == "pip" and (name in _INCLUDES or name in _EDITABLE)):
            following = next(words, None)
            if following is not None:
                yield _Argument(name, following, following.value)
        elif call.tool == "pip" and name[:2] in {"-r", "-c"} and name[2:]:  # glued: ``-rdev.txt``
            yield _Argument(name[:2], word, value[2:], 2)


def _asked(
    argument: _Argument, tool: str, script: Script, around: Around, where: Where, channel: str
) -> Iterator[Found]:
    option, word = argument.option, argument.word
    if tool == "with":
        if option == "--with":
            begins = argument.skip
            for part in argument.value.split(","):
                yield from _wanted(replace(argument, value=part, skip=begins), script, around, where)
                begins += len(part) + 1
    elif tool == "venv":
        if option in {"--python", "-p"}:
            yield from _stated(argument.value, word, script, around)
    elif tool == "conda":
        if not option:
            yield from _of_conda(argument, script, around, channel)
    elif tool == "pip" and option in _INCLUDES:
        yield from _named(argument, script, around, constraint=_INCLUDES[option])
    elif not option or option in _EDITABLE:
        yield from _poetic(argument, tool, script, around, where)


def _named(argument: _Argument, script: Script, around: Around, *, constraint: bool) -> Iterator[Found]:
    """The file ``-r`` names, beside the script or in its repository's root; its pins are on the command's branch."""
    target = filled(argument.value, around.values)
    at = script.offset(argument.word.content + argument.skip)
    folder = _folder(script.source.path, target)
    if folder is None and target.startswith("/"):  # in a container: what was copied there has its name here
        target = target.rpartition("/")[2]
        folder = _folder(script.source.path, target)
        if folder is None:
            line, column = script.source.place(at)
            yield Unread(line=line, column=column, text=argument.value, why="a path of another machine")
            return
    found = requirements.include(target, at, script.source, requirements.Walk(), constraint=constraint, folder=folder)
    if isinstance(found, Included):
        pins = tuple(
            replace(pin, group=around.group, marker=both(around.marker, pin.marker)) for pin in found.file.pins
        )
        yield replace(found, file=replace(found.file, pins=pins))
    elif found is not None:
        yield found


def _folder(path: Path, target: str) -> Path | None:
    """Where the command is run: the first folder above the script that has the file, up to the repository's root."""
    for folder in tuple(path.parents)[:LIMIT_FOLDERS]:
        if "\0" not in target and os.path.lexists(folder / target):
            return folder
        if os.path.lexists(folder / ".git"):
            break
    return None


def _poetic(argument: _Argument, tool: str, script: Script, around: Around, where: Where) -> Iterator[Found]:
    """A requirement as ``poetry add`` and ``pixi add`` take it too: ``tensorflow@^2.16``."""
    text = filled(argument.value, around.values)
    spelled = _AT.fullmatch(text) if tool in {"poetry", "pixi"} and len(text) < LIMIT_WORD else None
    if tool == "pixi" and spelled is None:
        yield from _of_conda(argument, script, around, "")
        return
    if spelled is None:
        yield from _wanted(argument, script, around, where, editable=tool == "pip" and not argument.option)
        return
    for found in _wanted(replace(argument, value=spelled[1]), script, around, where):
        written = "" if spelled[2] == "latest" else spelled[2]
        yield (
            replace(found, specifier=written, admits=constraints.admitted(written)) if isinstance(found, Pin) else found
        )


def _wanted(
    argument: _Argument, script: Script, around: Around, where: Where, *, editable: bool = False
) -> Iterator[Found]:
    word = argument.word
    text = filled(argument.value, around.values)
    at = script.offset(word.content + argument.skip)
    if text.startswith((".", "/", "~")) or not text.strip() or len(text) > LIMIT_WORD:
        return  # the project itself, or a file of it
    found = parse(text, at, script.source, where)
    if isinstance(found, Unread) or found is None:
        name = _before_angle(text) if word.angle else ""
        if not name:
            yield from () if around.quiet or found is None else (_explained(found, text),)
            return
        found = parse(name, at, script.source, where)
    if not isinstance(found, Pin):
        return
    if text != argument.value and found.admits is None:
        found = replace(found, specifier=_written(argument.value, found), admits=(found.specifier,))
    kept = editable and around.editable and found.admits is None and found.origin in {"index", "private"}
    if kept and text == argument.value:
        found = replace(found, writing=_writing(word, script))
    yield found
    if word.angle and not around.quiet:
        why = "to the shell < and > are redirections: quote the requirement"
        yield Unread(line=found.line, column=found.column, text=text, why=why)


def _written(raw: str, found: Pin) -> str:
    """The specifier as the file has it, placeholders and all; the filled one where the placeholder is the name too."""
    begins = re.match(r"[A-Za-z0-9][\w.-]*(?:\[[^\]]*\])?", raw)
    return raw[begins.end() :].partition(";")[0].strip() if begins else found.specifier


def _before_angle(text: str) -> str:
    return re.split(r"[<>]", text, maxsplit=1)[0]


def _explained(found: Unread, text: str) -> Unread:
    held = re.fullmatch(r"[\"']?(?:\$.*|%\w+%|\{.*\}|`.*`)", text, re.DOTALL)
    return replace(found, why="a variable: what it installs is not known") if held else found


def _writing(word: Word, script: Script) -> Writing | None:
    start, end = script.offset(word.start), script.offset(word.end)
    if "\n" in script.source.text[start:end]:
        return None  # pieces of a notebook's lines
    return Writing(specifier=Span(start=start, end=end), spelling="word", entry_end=end, joint=" ")


def _of_conda(argument: _Argument, script: Script, around: Around, channel: str) -> Iterator[Found]:
    text = filled(argument.value, around.values)
    spec = constraints_conda.spec(text)
    word = argument.word
    line, column = script.place(word.content + (spec.name_at if spec else 0))
    if spec is None:
        if not around.quiet and not text.startswith(("$", ".", "/")):
            yield Unread(line=line, column=column, text=text, why="not a specification conda knows")
        return
    if spec.name == "python":
        yield from _stated(spec.version, word, script, around)
        return
    yield Pin(
        name=canonicalize_name(spec.name),
        specifier=spec.written,
        admits=spec.admits if spec.written else None,
        marker=around.marker,
        line=line,
        column=column,
        group=around.group,
        origin="conda",
        channel=spec.channel or channel,
    )


def _stated(version: str, word: Word, script: Script, around: Around) -> Iterator[StatedPython]:
    found = _PYTHON.fullmatch(filled(version, around.values).removeprefix("python"))
    if found:
        line, column = script.place(word.content)
        what = f"the command's {word.value}"
        yield StatedPython(version=found[1], line=line, column=column, what=what, group=around.group)


def _running(python: Word, script: Script, around: Around) -> Iterator[StatedPython]:
    yield from _stated(program(python.value), python, script, around)
