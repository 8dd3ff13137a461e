"""Shell text into commands of words, each with its place; nothing is expanded and nothing is run.

Source: POSIX.1-2024, "Shell Command Language", 2.2 quoting, 2.3 token recognition, 2.7.4 here-document; bash(1).
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from compat.probe.pins.source import Source


@dataclass(frozen=True, slots=True)
class Script:
    """Shell text and where it stands in its file."""

    text: str
    source: Source
    at: int = 0
    """Offset of the text in the file, where the file holds it letter by letter."""
    places: Sequence[tuple[int, int]] = ()
    """Else pairs of an offset in the text and one in the file, ascending; in between they run together."""

    def offset(self, index: int) -> int:
        """Return the offset in the file of a character of the text."""
        if not self.places:
            return self.at + index
        near = max(0, bisect.bisect_right(self.places, (index, 1 << 62)) - 1)
        return self.places[near][1] + index - self.places[near][0]

    def place(self, index: int) -> tuple[int, int]:
        """Return line and column in the file of a character of the text."""
        return self.source.place(self.offset(index))


@dataclass(frozen=True, slots=True)
class Word:
    """One word; its value is what quoting leaves."""

    value: str
    start: int
    end: int
    content: int
    """Where the value begins: behind the first quote, where it begins with one."""
    angle: bool = False
    """It holds ``<`` or ``>`` outside quotes: to the shell that is a redirection."""


@dataclass(frozen=True, slots=True)
class Document:
    """The text of a here-document."""

    start: int
    end: int


@dataclass(slots=True)
class Command:
    """The words of one simple command, or a mark of the grammar around it."""

    words: list[Word] = field(default_factory=list)
    after: str = ""
    """What ends it: ``&&``, ``||``, ``;``, ``|``, a line end, ``(``, ``)``, ``;;``."""
    documents: list[Document] = field(default_factory=list)


_BLANK = re.compile(r"(?:[^\S\n]|\\\r?\n)+")
_OPERATOR = re.compile(r"&&|\|\||;;&|;;|;&|;|\|&|\||&>>|&>|<<<|<<-|<<|<&|<\(|>\(|<>|>>|>\||>&|<|>|&|\(|\)|\n")
_PLAIN = re.compile(r"[^\s\"'\\$`;&|<>()]+")
_SINGLE = re.compile(r"\$?'([^']*)'")
_DOUBLE = re.compile(r'\$?"([^"\\]*(?:\\.[^"\\]*)*)"', re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_OPEN = re.compile(
    r"\$\{\{[^\n]{0,200}?\}\}"  # a workflow's expression
    r"|\$\{[^}\n]{0,200}\}"
    r"|\$\((?:[^()\n]|\([^()\n]*\))*\)"
    r"|`[^`\n]{0,500}`"
    r"|\$[A-Za-z_]\w*"
)
_COMPARES = re.compile(r"[<>](?=[=\d])=?")
_NAMED = re.compile(r"<[A-Za-z_][\w .-]{0,60}>")
"""A placeholder of prose: ``tensorflow==<VERSION>``."""
_VERSIONED = re.compile(r"[A-Za-z0-9][\w.-]*(?:\[[^\]]*\])?(?:[<>=!~,]+.*)?")
_MOST_PARTS = 20
_LONGEST_NAMED = 200
_REDIRECTS = frozenset({"<", ">", ">>", ">|", ">&", "<&", "<>", "&>", "&>>", "<<<"})


LIMIT_STEPS = 50_000
"""Words, parts of words and operators that are read of a file: an installer of 10,000 lines."""


@dataclass(slots=True)
class Budget:
    """What is left of the steps for a file; scripts within scripts share it."""

    left: int = LIMIT_STEPS


def commands(text: str, begin: int = 0, end: int | None = None, budget: Budget | None = None) -> Iterator[Command]:
    """Yield the simple commands of shell text in their order, as far as the budget reaches."""
    return _Reader(text, begin, len(text) if end is None else end, budget or Budget()).commands()


@dataclass(slots=True)
class _Reader:
    text: str
    at: int
    end: int
    budget: Budget
    pending: list[tuple[Command, str]] = field(default_factory=list)
    """Here-documents announced on this line: their command, and the word that ends them."""

    def commands(self) -> Iterator[Command]:
        command = Command()
        while self.at < self.end and self.budget.left > 0:
            self._skip_blanks()
            if self.at >= self.end:
                break
            self.budget.left -= 1
            operator = _OPERATOR.match(self.text, self.at, self.end)
            if operator is None:
                command.words.append(self._word())
            elif operator[0] in _REDIRECTS or operator[0] in {"<<", "<<-"}:
                self.at = operator.end()
                self._redirect(operator[0], command)
            else:
                self.at = operator.end()
                if operator[0] == "\n":
                    self._documents()
                command.after = operator[0]
                yield command
                command = Command()
        if command.words:
            yield command

    def _skip_blanks(self) -> None:
        blank = _BLANK.match(self.text, self.at, self.end)
        if blank:
            self.at = blank.end()
        if self.text.startswith("#", self.at) and (self.at == 0 or self.text[self.at - 1] in " \t\n;&|()\r"):
            line_end = self.text.find("\n", self.at, self.end)
            self.at = self.end if line_end < 0 else line_end

    def _redirect(self, operator: str, command: Command) -> None:
        """Take the target of a redirection away: it is no argument. ``2>`` leaves its number behind, so does ``<(``."""
        last = command.words[-1] if command.words else None
        if last and last.end == self.at - len(operator) and last.value.isdigit():
            command.words.pop()
        blank = _BLANK.match(self.text, self.at, self.end)
        self.at = blank.end() if blank else self.at
        if self.at >= self.end or _OPERATOR.match(self.text, self.at, self.end):
            return
        target = self._word()
        if operator in {"<<", "<<-"} and target.value:
            self.pending.append((command, target.value))

    def _documents(self) -> None:
        """Read the bodies of the announced here-documents; one without an end reaches to the end of the text."""
        for command, word in self.pending:
            start = at = self.at
            while at < self.end:
                line_end = self.text.find("\n", at, self.end)
                line_end = self.end if line_end < 0 else line_end
                if self.text[at:line_end].strip() == word:  # indented too: the script may stand in YAML
                    command.documents.append(Document(start, at))
                    self.at = min(self.end, line_end + 1)
                    break
                at = line_end + 1
            else:
                command.documents.append(Document(start, self.end))
                self.at = self.end
        self.pending.clear()

    def _word(self) -> Word:
        start, angle = self.at, False
        values: list[str] = []
        while self.at < self.end and self.budget.left > 0:
            self.budget.left -= 1
            before = "".join(values) if self.text[self.at] in "<>" and len(values) < _MOST_PARTS else ""
            part = self._part(before)
            if part is None:
                break
            values.append(part[0])
            angle = angle or part[1]
        quote = 2 if self.text.startswith(("$'", '$"'), start) else 1
        begins = start + quote if self.text.startswith(("'", '"', "\\", "$'", '$"'), start) else start
        return Word("".join(values), start, self.at, min(begins, self.at), angle)

    def _part(self, before: str) -> tuple[str, bool] | None:
        """Take the next part of a word: its value, and whether it is an angle without quotes."""
        text, at = self.text, self.at
        plain = _PLAIN.match(text, at, self.end)
        if plain:
            return self._take(plain.end(), plain[0])
        if text[at] in "<>":
            return self._angle(before)
        if text[at].isspace() or text[at] in ";&|()" or text.startswith(("\\\n", "\\\r\n"), at):
            return None
        if text[at] == "\\":
            return self._take(min(at + 2, self.end), text[at + 1 : at + 2])
        quoted = _SINGLE.match(text, at, self.end) or _DOUBLE.match(text, at, self.end)
        if quoted:
            inside = quoted[1]
            return self._take(quoted.end(), inside if quoted.re is _SINGLE else _ESCAPED.sub(_unescaped, inside))
        opened = _OPEN.match(text, at, self.end)
        return self._take(opened.end(), opened[0]) if opened else self._take(at + 1, text[at])

    def _take(self, end: int, value: str, *, angle: bool = False) -> tuple[str, bool]:
        self.at = end
        return value, angle

    def _angle(self, before: str) -> tuple[str, bool] | None:
        """``tensorflow>=2.10`` without quotes: what was meant is one word, whatever the shell makes of it."""
        named = _NAMED.match(self.text, self.at, self.end) if before.endswith("=") else None
        if named:
            return self._take(named.end(), named[0])
        meant = _COMPARES.match(self.text, self.at, self.end)
        if meant and before and not before.isdigit() and len(before) < _LONGEST_NAMED and _VERSIONED.fullmatch(before):
            return self._take(meant.end(), meant[0], angle=True)
        return None


def _unescaped(found: re.Match[str]) -> str:
    return "" if found[1] == "\n" else found[1] if found[1] in '"\\$`' else found[0]
