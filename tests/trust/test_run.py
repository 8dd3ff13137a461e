"""A sample of the table that `tests/full/test_trust.py` makes: each kind of fault at some steps of each kind of run."""

import random

import pytest

from tests.builder.loopback import serving
from tests.trust import chance, outside
from tests.trust.looking import leftovers
from tests.trust.run import bench
from tests.trust.stages import ROLLBACK, STAGES, Fault
from tests.trust.table import MAIN, ROWS, outcome, steps

ROW = {row.key: row for row in ROWS}
SEED = 20261130
STEPS = (
    ("killed, create", "rename .env.tfcompat/new-*/env -> env"),
    ("killed, create", "chmod .env.tfcompat/.env.requirements.txt.*.tmp"),
    ("killed, replace", "started uv pip install"),
    ("killed, replace", "exchange .env.tfcompat/new-*/env -> env"),
    ("killed, in-place", "fsync .env.tfcompat/new-*"),
    ("killed, in-place", "rename .env.tfcompat/new-*/env -> .env.tfcompat/previous"),
    ("killed, in-place-again", "exchange .env.tfcompat/new-*/env -> env"),
    ("killed, rollback", "fsync .env.tfcompat"),
    ("killed, replace, names not exchanged", "rename .env.tfcompat/new-*/env -> env"),
    ("SIGINT, in-place", "exchange .env.tfcompat/new-*/env -> env"),
    ("SIGTERM, replace", "started python"),
    ("SIGHUP, rollback", "exchange .env.tfcompat/previous -> env"),
    ("ENOSPC from then on, replace", "flush .env.tfcompat/new-*/env"),
    ("EROFS from then on, in-place", "rename .env.tfcompat/new-*/env -> .env.tfcompat/previous"),
    ("ENOSPC from then on, create", "open .env.tfcompat/new-*/env/.tfcompat.json.*.tmp"),
    ("EIO once, create", "fsync .env.tfcompat"),
    ("EMFILE once, replace", "open .env.tfcompat/.journal.json.*.tmp"),
    ("SIGSTOP, another run meanwhile, replace", "start uv pip install"),
)
"""The last of the steps of that name is tried: by then the result is on its way to its name."""
OUTSIDE = (
    "index: drops the connection in the middle of a wheel",
    "index: sends another sha256 than its page says",
    "index: a wheel changes after the resolution",
    "uv: is missing",
    "uv: pip install: is killed in the middle",
    "Python's archive: is not there (404)",
)


@pytest.fixture(scope="module")
def at(tmp_path_factory):
    """Wheels, a cache, old states and the subject, for all of them."""
    with bench(tmp_path_factory.mktemp("trust") / "at") as made:
        yield made


@pytest.mark.parametrize("key, step", STEPS, ids=[f"{key}: {step}" for key, step in STEPS])
def test_a_fault_at_a_step_leaves_the_old_state_or_the_new_one_and_says_which_and_the_next_run_works(at, key, step):
    number = [number for number, name in steps(at, ROW[key]) if name == step][-1]
    found = outcome(at, ROW[key], number)

    assert found.problems == []
    assert found.state in (("old", "new") if ROW[key].exchange else ("old", "new", "between"))


@pytest.mark.parametrize("name", OUTSIDE)
def test_what_others_do_wrong_leaves_the_old_state_and_the_next_run_works(at, name):
    (fault,) = [one for one in outside.OUTSIDE if one.name == name]
    with serving(at.wheels) as index:
        found = outside.outcome(at, index, fault, "replace")

    assert found.problems + outside.expected(fault, found, STAGES["replace"]) == []


def test_deaths_at_random_moments_one_after_the_other_break_nothing(at):
    draw, wrong = random.Random(SEED), []  # noqa: S311 - a seed, to be drawn again
    for chain in chance.chains(at):
        for number in range(2):
            wrong += chance.killed(at, chain, draw, alone=number % 2 == 0)
            chance.renewed(at, chain)
        wrong += chance.mended(at, chain)

    assert wrong == []


def test_at_no_step_of_an_exchange_is_the_name_empty(at):
    row = ROW["killed, replace"]
    every = steps(at, row)
    first = next(number for number, name in every if name.startswith("exchange"))
    states = []
    for number, name in every:
        if number >= first:
            found = outcome(at, row, number)
            states.append(found.state)
            assert found.problems == [], name
        if number > first and name.startswith("fsync"):
            break

    assert set(states) == {"old", "new"}


def test_a_uv_that_outlives_its_run_is_waited_for_by_the_next(at):
    stage, slow = STAGES["replace"], 'case "$*" in "pip install"*) sleep 4 ;; esac'
    script = outside.script(at.folder, slow)
    install = next(number for number, name in steps(at, ROW["killed, replace"]) if name == "started uv pip install")
    place = at.place(stage)
    assert at.run(place, stage, Fault(act="kill", at=install, uv=script)).code == -9
    impatient = at.run(place, stage, Fault(wait=0.2))
    patient = at.run(place, stage, Fault())

    assert impatient.code == 3
    assert "`tfcompat fix` (process " in impatient.last_word
    assert patient.code == 0, patient.said
    assert at.state(place, stage) == ("new", [])
    assert leftovers(place, stage) == []


def test_a_way_back_is_a_way_forth_the_second_time(at):
    stage = STAGES["rollback"]
    place = at.place(stage)

    assert at.state(place, stage) == ("old", [])
    assert at.run(place, stage, Fault(), words=ROLLBACK).code == 0
    assert at.state(place, stage) == ("new", [])
    assert at.run(place, stage, Fault(), words=ROLLBACK).code == 0
    assert at.state(place, stage) == ("old", [])


def test_every_row_of_the_table_is_one_of_its_own():
    assert len({row.key for row in ROWS}) == len(ROWS)
    assert {row.stage for row in ROWS} == {*MAIN, "in-place-again"}
