"""Shell scripts, makefiles and lists of commands: what they plainly install, and on which branch."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from compat.facts.pins import PinFile, Unread
from compat.probe.pins.commands.conditions import UNKNOWN, Condition, condition, joined, pattern
from compat.probe.pins.commands.found import Around, Found, Scopes, collected
from compat.probe.pins.commands.installed import installed
from compat.probe.pins.commands.installers import call, is_shell
from compat.probe.pins.commands.shell_words import Budget, Command, Script, Word, commands
from compat.probe.pins.source import Source

LIMIT_TEXT = 1_000_000
"""Characters of a script; what is longer carries a payload, and people wrote its beginning."""
LIMIT_NESTED = 4
"""Scripts within scripts: ``bash -c``, here-documents."""

_WORTH = re.compile(r"install|\badd\b|\bcreate\b|\binject\b|--with\b|\bvenv\b")
_IN_RULE = r"[ \t]+[^\n]*(?:\n|\Z)|\r?\n|(?:else|endif|ifn?eq|ifn?def)\b[^\n]*(?:\n|\Z)"
_TARGET = re.compile(rf"(?m)^([^\s#:=][^\n#:=]*):(?![=:])[^\n]*\n?((?:{_IN_RULE})*)")
"""A rule of a makefile or a justfile with its recipe."""
_MAKE_TESTS = frozenset({"ifeq", "ifneq", "ifdef", "ifndef"})
_MAKE_EQUAL = re.compile(r"[(\"']\s*([^,\"'\n]{1,200}?)\s*[,\"'][\s\"']*([^,\"')\n]{1,200}?)\s*[\"')]\s*$")
_DEEPEST = 50
_MOST_ALTERNATIVES = 20
_LONGEST_PATTERN = 2_000
_PLATFORMS = {
    ".bat": (("windows-amd64",), "a batch file runs on Windows"),
    ".command": (("macos-arm64", "macos-x86_64"), "a .command file runs on macOS"),
}


def read(source: Source) -> PinFile:
    """Return what a script installs."""
    name = source.path.name.lower()
    text = source.text
    if name.endswith(("makefile", ".mk")) or name == "justfile":
        found, scopes = _made(Script(_recipes(text[:LIMIT_TEXT]), source))
        return collected(source, "makefile", found, scopes)
    if name.endswith((".bat", ".ps1")):
        text = _as_shell(text)
    found, scopes = scripted(Script(_without_prompts(text), source), Around())
    platforms, why = _PLATFORMS.get(source.path.suffix.lower(), ((), ""))
    return replace(collected(source, "shell", found, scopes), platforms=platforms, platforms_why=why)


def scripted(script: Script, around: Around, budget: Budget | None = None) -> tuple[list[Found], Scopes]:
    """Return what shell text installs, and which groups go together."""
    walk = _Walk(script, around, budget or Budget())
    if _WORTH.search(script.text):
        walk.run(0, min(len(script.text), LIMIT_TEXT))
        if budget is None and (len(script.text) > LIMIT_TEXT or walk.budget.left <= 0):
            walk.found.append(Unread(line=1, column=1, text="", why="too long: only its beginning was read"))
    return walk.found, tuple(dict.fromkeys(walk.scopes))


def commanded(words: Sequence[Word], script: Script, around: Around) -> list[Found]:
    """Return what one command installs whose words are known already: an image's ``RUN ["pip", …]``."""
    walk = _Walk(script, around)
    walk.command(list(words), Command(list(words)))
    return walk.found


def _made(script: Script) -> tuple[list[Found], Scopes]:
    """What a makefile's rules install, each rule for itself: nobody makes all of them."""
    found: list[Found] = []
    scopes: list[tuple[str, ...]] = []
    budget = Budget()
    for rule in _TARGET.finditer(script.text) if _WORTH.search(script.text) else ():
        walk = _Walk(script, Around(group=f"target {rule[1].split()[0]}"), budget)
        walk.run(rule.start(2), rule.end(2))
        found.extend(walk.found)
        scopes.extend(walk.scopes)
    return found, tuple(dict.fromkeys(scopes))


@dataclass(slots=True)
class _Branch:
    """An ``if`` or ``case`` that is open, with the alternative the walk is in."""

    case: bool = False
    subject: str = ""
    begins: int = 0
    """Of an ``if``, where its condition begins."""
    choosing: bool = True
    chosen: str = ""
    """Of a ``case``, the patterns read so far for the next alternative."""
    earlier: list[Condition] = field(default_factory=list)
    marker: str = ""
    group: str = ""


@dataclass(slots=True)
class _Walk:
    """A walk through the commands of a script, with the branches that are open."""

    script: Script
    around: Around
    budget: Budget = field(default_factory=Budget)
    depth: int = 0
    found: list[Found] = field(default_factory=list)
    scopes: list[tuple[str, ...]] = field(default_factory=list)
    branches: list[_Branch] = field(default_factory=list)
    guards: list[Condition] = field(default_factory=list)

    def run(self, start: int, end: int) -> None:
        for command in commands(self.script.text, start, end, self.budget):
            words = self._grammar(command)
            if words:
                self.command(words, command)
            self._guard(words, command)

    def _grammar(self, command: Command) -> list[Word]:
        """Take the words of the shell's grammar off the command and keep the branches."""
        words = command.words
        if self.branches and self.branches[-1].case and self._case(command):
            return []
        while words:
            value = words[0].value
            if value in {"if", "elif"}:
                self._condition(value, words[0])
            elif value in {"then", "else", "fi"}:
                self._alternative(value, words[0])
            elif value == "case":
                self._open_case(command)
                return []
            elif value in _MAKE_TESTS:
                return self._make_test(words[0])
            elif value == "endif":
                self.branches = self.branches[:-1]
            elif value not in {"do", "done", "{", "}", "!", "while", "until", "time"}:
                break
            words = words[1:]
        return words

    def _condition(self, value: str, word: Word) -> None:
        if value == "if":
            if len(self.branches) < _DEEPEST:
                self.branches.append(_Branch(begins=word.end))
        elif self.branches and not self.branches[-1].case:
            self.branches[-1].begins = word.end
            self.branches[-1].choosing = True

    def _alternative(self, value: str, word: Word) -> None:
        branch = self.branches[-1] if self.branches and not self.branches[-1].case else None
        if branch is None:
            return
        if value == "fi":
            self.branches.pop()
            return
        asked = condition(self.script.text[branch.begins : word.start].strip().rstrip(";")) if value == "then" else None
        self._enter(branch, asked, word.start if asked is None else branch.begins)

    def _make_test(self, word: Word) -> list[Word]:
        """Make's own ``ifeq (a,b)``; ``else ifeq`` is one more alternative of the same."""
        text = self.script.text
        line = text[word.end : min(text.find("\n", word.end) % (len(text) + 1), word.end + _LONGEST_PATTERN)]
        compared = _MAKE_EQUAL.search(line) if word.value in {"ifeq", "ifneq"} else None
        sign = "=" if word.value == "ifeq" else "!="
        asked = condition(f"{compared[1]} {sign} {compared[2]}") if compared else UNKNOWN
        begins = text.rfind("\n", 0, word.start) + 1
        if text[begins : word.start].strip() != "else" or not self.branches:
            self.branches = [*self.branches[-_DEEPEST:], _Branch()]
        self._enter(self.branches[-1], asked, word.start)
        return []

    def _enter(self, branch: _Branch, asked: Condition | None, at: int) -> None:
        """Enter an alternative; ``asked`` is None for the last one, which holds where no other does."""
        whole = asked.whole if asked else all(one.whole for one in branch.earlier)
        others = [one.otherwise for one in branch.earlier if asked is None or not asked.implies_not(one)]
        branch.marker = joined([*others, asked.marker if asked else ""])
        branch.group = "" if whole else f"branch at line {self.script.place(at)[0]}"
        branch.choosing = False
        if asked:
            branch.earlier = [*branch.earlier, asked][:_MOST_ALTERNATIVES]

    def _open_case(self, command: Command) -> None:
        values = [word.value for word in command.words]
        if "in" not in values or len(self.branches) >= _DEEPEST:
            return
        behind = values.index("in")
        self.branches.append(_Branch(case=True, subject=" ".join(values[1:behind])))
        rest = command.words[behind + 1 :]
        if rest:
            self._case(Command(list(rest), command.after))

    def _case(self, command: Command) -> bool:
        """Read patterns; return whether the command was one, and no command at all."""
        branch, words = self.branches[-1], command.words
        if words and words[0].value == "esac":
            self.branches.pop()
            command.words = words[1:]
            return not command.words
        if branch.choosing:
            branch.chosen = (branch.chosen + " ".join(word.value for word in words))[:_LONGEST_PATTERN]
            if command.after == "|":
                branch.chosen += "|"
            elif command.after == ")":
                asked = None if branch.chosen.strip() == "*" else pattern(branch.chosen, branch.subject)
                at = words[0].start if words else 0
                self._enter(branch, asked, at)
                branch.chosen = ""
            return True
        branch.choosing = command.after in {";;", ";&", ";;&"}
        return False

    def command(self, words: list[Word], command: Command) -> None:
        """Take what one command installs."""
        for document in command.documents if is_shell(words) else ():
            self._deeper(self.script, document.start, document.end)
        asked = call(words)
        if asked is None:
            return
        around = self._here()
        if asked.tool == "script":
            text = asked.words[0]
            inner = Script(text.value, self.script.source, self.script.offset(text.content))
            self._deeper(inner, 0, len(text.value))
            return
        self.found.extend(installed(asked, self.script, around))

    def _deeper(self, script: Script, start: int, end: int) -> None:
        if self.depth >= LIMIT_NESTED:
            return
        around = self._here()
        around = replace(around, editable=around.editable and script is self.script)
        inner = _Walk(script, around, self.budget, self.depth + 1)
        inner.run(start, end)
        self.found.extend(inner.found)
        self.scopes.extend(inner.scopes)

    def _here(self) -> Around:
        """What the branches say, told to the command; which groups go together is kept on the way."""
        groups = [group for group in (self.around.group, *(branch.group for branch in self.branches)) if group]
        if groups:
            self.scopes.append(tuple(dict.fromkeys(groups)))
        markers = (self.around.marker, *(b.marker for b in self.branches), *(guard.marker for guard in self.guards))
        return replace(self.around, marker=joined(markers), group=groups[-1] if groups else "")

    def _guard(self, words: list[Word], command: Command) -> None:
        """``[ "$(uname)" = Darwin ] && pip install …`` is a branch too."""
        if command.after != "&&":
            self.guards.clear()
        elif words and words[0].value in {"[", "[[", "test"}:
            asked = condition(self.script.text[words[0].start : words[-1].end])
            if asked is not UNKNOWN:
                self.guards.append(asked)


def _without_prompts(text: str) -> str:
    """Blank out the ``$`` of a prompt, so that offsets stay."""
    return re.sub(r"(?m)^([ \t]*)\$(?= )", r"\1 ", text) if "$ " in text else text


def _recipes(text: str) -> str:
    """Blank out what make reads itself: a line's ``@`` and ``-``; what does not stand in a recipe stays harmless."""
    return re.sub(r"(?m)^[ \t]+[@+-]{1,3}(?=[A-Za-z$.\"'])", lambda found: " " * len(found[0]), text)


def _as_shell(text: str) -> str:
    """Batch files and PowerShell: their comments and continuations in the shell's spelling, of the same length."""
    text = re.sub(r"(?mi)^([ \t@]*)(?:rem\b|::)", lambda found: "#" + " " * (len(found[0]) - 1), text)
    return re.sub(r"[\^`](?=\r?\n)", "\\\\", text)
