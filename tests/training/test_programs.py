"""The evidence for the training rules is fit to be evidence: labelled once, split by name, and telling nothing by its names."""

from __future__ import annotations

import ast
import hashlib
import re
from collections import Counter

import pytest

from tests.training import split
from tests.training.split import CAUSES, DEVELOPMENT, HEALTHY, REPORTING, BadHeader, Program

PROGRAMS = split.programs()
HALVES = {which: split.half(which) for which in (REPORTING, DEVELOPMENT)}
GOOD = (
    '"""Trains something.\n\ncause: nan\nkeras: 2,3\nwhy: a logarithm\n    of zero.\nalso seen: loss-explosion\n"""\n'
)
EITHER = [pytest.param(program, id=program.name) for program in PROGRAMS]
HEALTHY_ONES = [pytest.param(program, id=program.name) for program in PROGRAMS if program.is_healthy]
FAULTY_ONES = [pytest.param(program, id=program.name) for program in PROGRAMS if not program.is_healthy]

OF_CAUSES = {word for cause in CAUSES for word in cause.split("-") if word != "or"}
OTHER_GIVEAWAYS = {
    "broken", "bad", "bug", "buggy", "wrong", "fault", "faulty", "fail", "fails", "healthy", "good", "okay", "correct", "fine",
    "explode", "explodes", "vanish", "vanishes", "dying", "inf", "diverge", "diverges", "overfit", "overfits", "underfit",
    "underfits", "leak", "leaks", "retrace", "unlabelled", "shuffled", "frozen", "unnormalised", "raw", "clean",
}  # fmt: skip
TELLTALE = OF_CAUSES | OTHER_GIVEAWAYS


def held(which, cause):
    return [program.name for program in HALVES[which] if program.cause == cause]


class TestEveryHeader:
    def test_there_are_as_many_as_the_evidence_needs(self):
        assert len(PROGRAMS) >= 80
        assert sum(program.is_healthy for program in PROGRAMS) >= 40
        assert sum(not program.is_healthy for program in PROGRAMS) >= 40

    @pytest.mark.parametrize("program", EITHER)
    def test_names_exactly_one_cause_or_none(self, program):
        assert program.cause in {*CAUSES, HEALTHY}

    @pytest.mark.parametrize("program", EITHER)
    def test_names_the_keras_it_runs_on(self, program):
        assert program.keras in {(2,), (3,), (2, 3)}

    @pytest.mark.parametrize("program", EITHER)
    def test_says_what_it_trains_in_a_sentence(self, program):
        assert program.trains.endswith(".")
        assert not program.trains.startswith(split.FIELDS)

    @pytest.mark.parametrize("program", HEALTHY_ONES)
    def test_of_a_healthy_one_states_the_level_it_reaches(self, program):
        assert re.fullmatch(r"(loss|metric) [<>] -?\d+(\.\d+)?", program.healthy_when)
        assert program.also_seen == ()

    @pytest.mark.parametrize("program", FAULTY_ONES)
    def test_of_a_faulty_one_states_numbers_that_were_seen(self, program):
        assert program.healthy_when == ""
        assert re.search(r"Seen: .*\d", program.why)

    @pytest.mark.parametrize("program", FAULTY_ONES)
    def test_lists_other_signs_by_their_labels(self, program):
        assert set(program.also_seen) <= set(CAUSES) - {program.cause}
        assert len(set(program.also_seen)) == len(program.also_seen)

    def test_half_of_them_or_more_run_on_both_keras(self):
        assert 2 * sum(program.keras == (2, 3) for program in PROGRAMS) >= len(PROGRAMS)

    @pytest.mark.parametrize("major", [2, 3])
    def test_each_keras_has_programs_of_its_own(self, major):
        own = Counter(program.is_healthy for program in PROGRAMS if program.keras == (major,))

        assert min(own[True], own[False]) >= 2


class TestEveryScript:
    @pytest.mark.parametrize("program", EITHER)
    def test_is_python_3_8(self, program):
        ast.parse(program.path.read_text("utf-8"), feature_version=(3, 8))

    @pytest.mark.parametrize("program", EITHER)
    def test_is_a_users_own_script(self, program):
        text = program.path.read_text("utf-8")

        assert "tfcompat" not in text.replace("TFCOMPAT_SEED", "")
        assert "compat." not in text.replace("tf.compat.", "")

    @pytest.mark.parametrize("program", EITHER)
    def test_imports_nothing_that_tensorflow_does_not_bring(self, program):
        tree = ast.walk(ast.parse(program.path.read_text("utf-8")))
        roots = {name.split(".")[0] for node in tree for name in _imported(node)}

        assert roots <= {"keras", "numpy", "os", "tempfile", "tensorflow"}

    @pytest.mark.parametrize("program", EITHER)
    def test_for_keras_2_goes_by_tensorflow(self, program):
        tree = ast.walk(ast.parse(program.path.read_text("utf-8")))
        names = {name for node in tree for name in _imported(node)}

        assert 2 not in program.keras or not any(name.split(".")[0] == "keras" for name in names)

    @pytest.mark.parametrize("program", EITHER)
    def test_takes_weights_and_data_from_one_seed(self, program):
        text = program.path.read_text("utf-8")

        assert text.count('int(os.environ.get("TFCOMPAT_SEED", "0"))') == 1
        assert re.search(r"keras\.utils\.set_random_seed\((seed|SEED)\)", text)
        assert "np.random.seed" not in text
        assert not re.search(r"default_rng\((?!seed\)|SEED\)|\[seed,)", text)

    @pytest.mark.parametrize("program", EITHER)
    def test_prints_how_it_ended(self, program):
        assert "final: loss=" in program.path.read_text("utf-8")
        assert ".fit(" in program.path.read_text("utf-8")


class TestTheNames:
    @pytest.mark.parametrize("program", EITHER)
    def test_say_the_task_and_not_the_cause(self, program):
        assert not set(program.path.stem.split("_")) & TELLTALE

    def test_do_not_tell_the_halves_apart_by_a_suffix(self):
        lettered = Counter(program.half for program in PROGRAMS if re.search(r"_[b-z]$", program.path.stem))

        assert set(lettered) == {REPORTING, DEVELOPMENT}


class TestTheSplit:
    def test_is_taken_from_the_name_alone(self, tmp_path):
        path = tmp_path / "anything.py"
        path.write_text(GOOD)
        first = hashlib.sha256(b"anything.py").hexdigest()[:2]

        assert split.read(path).half == (REPORTING if int(first, 16) % 2 == 0 else DEVELOPMENT)

    def test_loses_none_and_counts_none_twice(self):
        assert sorted(p.name for part in HALVES.values() for p in part) == [p.name for p in PROGRAMS]

    @pytest.mark.parametrize("which", HALVES)
    @pytest.mark.parametrize("cause", CAUSES)
    def test_has_every_cause_in_both_halves(self, which, cause):
        assert held(which, cause)

    @pytest.mark.parametrize("which", HALVES)
    def test_has_fifteen_healthy_programs_in_either_half(self, which):
        assert len(held(which, HEALTHY)) >= 15


class TestReadingAHeader:
    def test_joins_indented_lines(self, tmp_path):
        path = tmp_path / "good.py"
        path.write_text(GOOD)

        assert split.read(path) == Program(
            path=path,
            trains="Trains something.",
            cause="nan",
            keras=(2, 3),
            why="a logarithm of zero.",
            also_seen=("loss-explosion",),
        )

    @pytest.mark.parametrize(
        "spoilt",
        [
            pytest.param(GOOD.replace("cause: nan\n", ""), id="a line is missing"),
            pytest.param(GOOD.replace("keras:", "Keras:"), id="an unknown line"),
            pytest.param(GOOD.replace("cause: nan", "cause: nan\ncause: dead-relus"), id="two causes"),
            pytest.param(GOOD.replace("cause: nan", "cause:"), id="an empty line"),
            pytest.param(GOOD.replace("\n\ncause", "\n    more\ncause"), id="an indented line of nothing"),
            pytest.param("x = 1\n", id="no docstring"),
        ],
    )
    def test_refuses_one_that_is_not_whole(self, tmp_path, spoilt):
        path = tmp_path / "spoilt.py"
        path.write_text(spoilt)

        with pytest.raises(BadHeader, match=r"spoilt\.py"):
            split.read(path)


def _imported(node):
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [node.module or ""]
    return []
