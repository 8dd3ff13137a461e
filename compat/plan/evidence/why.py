"""Whether some packages go together in a place, and the shortest chain of facts that shows it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from compat.matrix.load import Matrix
from compat.matrix.model import TIERS
from compat.matrix.versions import contains, newest, order, parse, ranges
from compat.plan.candidates import BODIES
from compat.plan.evidence import chain, companions
from compat.plan.evidence.chain import Fact, Stands
from compat.plan.evidence.ground import Ground
from compat.plan.evidence.proof import Word, passed_over, proof_against, proof_for, word_of
from compat.plan.evidence.question import Question, admitted
from compat.plan.evidence.standing import Pair, Place, Standing

_TRIED = 40
"""Pairs whose other packages are looked at before the answer is no: the best known ones come first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer with what it rests on."""

    question: str
    place: Place
    matrix_date: str
    word: Word
    reason: str
    """The rest of the line: ``up to tier runs …`` or the fact that decides."""
    standing: Standing | None
    """The pair it is about; None where no release meets the question."""
    facts: tuple[Fact, ...]

    @property
    def headline(self) -> str:
        """Return the answer in one line."""
        return f"{self.word.value}{', ' if self.word is Word.YES else ': '}{self.reason}"


def why(question: Question, place: Place, matrix: Matrix) -> Answer:
    """Return whether the question can be met there, for its best candidate, and why."""
    ground = Ground(place, matrix, carriers_of(question, place))
    pairs = list(_pairs(question, ground))
    if not pairs:
        return _answer(question, ground, None, [_no_release(question, ground)], _unreleased(question, ground))
    found = sorted((ground.standing(pair) for pair in pairs), key=lambda one: _rank(one, place), reverse=True)
    best, facts = _with_others(question, found, ground)
    word = word_of(best, place)
    if word is not Word.YES:
        return _answer(question, ground, best, proof_against(best, found, ground), word)
    if companions.against(facts):
        return _answer(question, ground, best, facts, Word.NO)
    whole = [*proof_for(best, ground), *facts, *passed_over(best, found, ground)]
    return _answer(question, ground, best, whole, word)


def carriers_of(question: Question, place: Place) -> tuple[str, ...]:
    """Return the distributions that may bring the TensorFlow asked for: any for ``tensorflow``, else the named one."""
    name = question.tensorflow.name
    if name == "tensorflow-macos":
        return (name, "tensorflow")  # from 2.15.1 on it is a shell that requires tensorflow
    if name != "tensorflow":
        return (name,)
    return (name, *(other for other in BODIES[place.platform] if other != name))


def _pairs(question: Question, ground: Ground) -> Iterator[Pair]:
    plugin = question.plugin
    releases = admitted(plugin, (plugin.name,), ground.matrix) if plugin else ()
    for tensorflow in admitted(question.tensorflow, _names(question, ground), ground.matrix):
        if plugin is None:
            yield Pair(tensorflow=tensorflow)
        for version in releases:
            yield Pair(tensorflow=tensorflow, plugin=plugin.name if plugin else None, plugin_version=version)


def _names(question: Question, ground: Ground) -> tuple[str, ...]:
    """The distributions whose releases are meant: ``tensorflow`` stands for all of them, another name for itself."""
    name = question.tensorflow.name
    return ground.carriers if name == "tensorflow" else (name,)


def _rank(standing: Standing, place: Place) -> tuple[object, ...]:
    """Sort key, the best last: the answer, freedom from known faults, then as ``fix`` does: tier, pins, newness."""
    words = (Word.NO, Word.UNKNOWN, Word.YES)
    fails = TIERS.index(standing.failed) if standing.failed else len(TIERS)
    return (
        words.index(word_of(standing, place)),
        fails,
        TIERS.index(standing.reached) if standing.reached else -1,
        bool(standing.locks),
        order(standing.pair.tensorflow),
        order(standing.pair.plugin_version or "0"),
    )


def _with_others(question: Question, found: Sequence[Standing], ground: Ground) -> tuple[Standing, list[Fact]]:
    """Return the best pair whose other packages fit too; the best pair at all where none does."""
    first = companions.accompanied(question.others, found[0], ground)
    for standing in found[:_TRIED] if question.others else ():
        if word_of(standing, ground.place) is not Word.YES:
            break
        narrowed, facts = companions.accompanied(question.others, standing, ground)
        if not companions.against(facts):
            return narrowed, facts
    return first


def _no_release(question: Question, ground: Ground) -> Fact:
    """That one of the names has no release in its set."""
    part = question.tensorflow
    if question.plugin is not None and admitted(part, _names(question, ground), ground.matrix):
        return companions.none_meets(question.plugin, (question.plugin.name,), ground)
    return companions.none_meets(part, _names(question, ground), ground)


def _unreleased(question: Question, ground: Ground) -> Word:
    """A set that only something newer than the matrix could meet is unknown: it may be out by now."""
    parts = [(question.tensorflow, _names(question, ground))]
    if question.plugin is not None:
        parts.append((question.plugin, (question.plugin.name,)))
    for part, names in parts:
        last = newest(row.version for name in names for row in ground.matrix.releases(name))
        if last is not None and not admitted(part, names, ground.matrix):
            return Word.UNKNOWN if _wants_newer(part.specifier, last) else Word.NO
    return Word.NO


def _wants_newer(specifier: str, last: str) -> bool:
    version = parse(last)
    pins = [parse(clause.lstrip("=!<>~ ").removesuffix(".*")) for clause in specifier.split(",")]
    pinned = any(pin is not None and version is not None and pin > version for pin in pins)
    after = f"{version.major}.{version.minor + 1}.0" if version else "0"
    return contains(specifier, after) or (pinned and "<" not in specifier)


def _answer(question: Question, ground: Ground, best: Standing | None, facts: Sequence[Fact], word: Word) -> Answer:
    decides = next((fact for fact in facts if fact.stands is Stands.AGAINST), facts[0] if facts else None)
    reason = _reached(best, ground.place) if word is Word.YES and best else decides.text if decides else "nothing known"
    return Answer(
        question=str(question),
        place=ground.place,
        matrix_date=ground.matrix.date,
        word=word,
        reason=reason,
        standing=best,
        facts=tuple(facts),
    )


def _reached(best: Standing, place: Place) -> str:
    """``up to tier runs: tensorflow 2.18.1 with tensorflow-metal 1.2.0 on macOS arm64, Python 3.9–3.12``."""
    pair = best.pair
    plugin = f" with {pair.plugin} {pair.plugin_version}" if pair.plugin else ""
    where = f"{chain.words(place)}{f', {place.chip}' if place.chip else ''}, Python {ranges(best.pythons)}"
    doubt = ""
    if best.failed == "agrees":
        doubt = "; wrong numbers were seen too" if best.mixed else "; its numbers were seen to be wrong"
    elif best.failed is not None:
        doubt = f"; also seen failing at tier {best.failed}"
    return f"up to tier {best.reached}: {best.distribution} {pair.tensorflow}{plugin} on {where}{doubt}"
