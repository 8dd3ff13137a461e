"""scripts/locks: which wheel a machine takes, which repairs a failure earns, that a run can stop and go on."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
sys.path.insert(0, str(SCRIPTS))

from locking import (  # noqa: E402
    again,
    check,
    cures,
    index,
    make,
    mend,
    minimum,
    place,
    repairs,
    run,
    summary,
    text,
    uv,
    verify,
    wheels,
)
from locking.extra import extra_lines  # noqa: E402
from locking.records import Lock, LockingError, Observation, Package, Resolution, Target, Wheel  # noqa: E402
from locking.targets import OLDEST_LINUX, WITHOUT_WHEELS, combinations, measured, targets  # noqa: E402

DAY = "2026-11-30"
FINE = dict.fromkeys(verify.STEPS, "ok")
ABI = "TypeError: Unable to convert function return value to a Python type! The signature was () -> handle"
NO_PKG_RESOURCES = "ModuleNotFoundError: No module named 'pkg_resources'"
LINUX = Target(platform="linux-x86_64", python="3.10", distribution="tensorflow-cpu", tensorflow="2.10.1")
MAC = Target(
    platform="macos-arm64", python="3.12", distribution="tensorflow", tensorflow="2.18.1",
    plugin="tensorflow-metal", plugin_version="1.2.0",
)  # fmt: skip


def wheel(file, *, uploaded="2025-01-01T00:00:00Z", yanked=False):
    return Wheel(file=file, sha256=f"{abs(hash(file)):064x}"[-64:], size=10, uploaded=uploaded, yanked=yanked)


def observed(target, added, *, step=None, line="ok"):
    steps = {**FINE, **({step: line} if step else {})}
    return Observation(
        target=target, repairs=added, resolved={"numpy": "2.2.6", "keras": "2.10.0"}, steps=steps,
        python="3.10.13", day=DAY, pip_check="compatible",
    )  # fmt: skip


# Which wheel


NUMPY_203 = (
    "numpy-2.0.2-cp312-cp312-macosx_10_9_x86_64.whl",
    "numpy-2.0.2-cp312-cp312-macosx_11_0_arm64.whl",
    "numpy-2.0.2-cp312-cp312-macosx_14_0_arm64.whl",
    "numpy-2.0.2-cp312-cp312-manylinux_2_17_x86_64.manylinux2014_x86_64.whl",
    "numpy-2.0.2-cp312-cp312-manylinux_2_17_aarch64.manylinux2014_aarch64.whl",
    "numpy-2.0.2-cp312-cp312-musllinux_1_1_x86_64.whl",
    "numpy-2.0.2-cp312-cp312-win_amd64.whl",
    "numpy-2.0.2-cp311-cp311-macosx_11_0_arm64.whl",
)


@pytest.mark.parametrize(
    ("platform", "macos", "expected"),
    [
        pytest.param("macos-arm64", "12.0", NUMPY_203[1], id="macOS 12 cannot take the Accelerate build"),
        pytest.param("macos-arm64", "14.0", NUMPY_203[2], id="macOS 14 takes the Accelerate build"),
        pytest.param("macos-x86_64", "12.0", NUMPY_203[0], id="Intel"),
        pytest.param("linux-x86_64", None, NUMPY_203[3], id="Linux"),
        pytest.param("linux-aarch64", None, NUMPY_203[4], id="ARM Linux"),
    ],
)
def test_a_machine_takes_the_wheel_its_tags_rank_first(platform, macos, expected):
    ranked = wheels.tags(platform, "3.12", macos)

    chosen = wheels.choose([wheel(file) for file in NUMPY_203], "2.0.2", ranked)

    assert chosen.file == expected


def test_the_interpreters_own_wheel_goes_before_abi3_and_abi3_before_pure_python():
    ranked = wheels.tags("macos-arm64", "3.12", "12.0")
    native = wheel("p-1.0-cp312-cp312-macosx_10_13_universal2.whl")
    stable = wheel("p-1.0-cp38-abi3-macosx_11_0_arm64.whl")
    pure = wheel("p-1.0-py3-none-any.whl")

    assert wheels.choose([pure, stable, native], "1.0", ranked) == native
    assert wheels.choose([pure, stable], "1.0", ranked) == stable
    assert wheels.choose([pure], "1.0", ranked) == pure


def test_a_wheel_of_several_tags_counts_by_its_best():
    ranked = wheels.tags("macos-arm64", "3.12", "12.0")
    native_and_old = wheel("p-1.0-cp312-cp312-macosx_11_0_arm64.macosx_10_9_universal2.whl")
    universal = wheel("p-1.0-cp312-cp312-macosx_11_0_universal2.whl")

    assert wheels.choose([universal, native_and_old], "1.0", ranked) == native_and_old


def test_the_higher_build_number_goes_first_and_none_goes_last():
    ranked = wheels.tags("linux-x86_64", "3.12", None)
    built = [wheel(f"p-1.0-{build}py3-none-any.whl") for build in ("", "1-", "2-", "10-")]

    assert wheels.choose(built, "1.0", ranked).file == "p-1.0-10-py3-none-any.whl"
    assert wheels.choose(built[:3], "1.0", ranked).file == "p-1.0-2-py3-none-any.whl"
    assert wheels.choose(built[:2], "1.0", ranked).file == "p-1.0-1-py3-none-any.whl"


def test_a_tag_with_a_macos_minor_is_never_taken():
    ranked = wheels.tags("macos-arm64", "3.12", "12.3")

    with pytest.raises(LockingError, match=r"no wheel of version 1\.0"):
        wheels.choose([wheel("p-1.0-cp312-cp312-macosx_12_3_arm64.whl")], "1.0", ranked)


def test_a_wheel_of_another_version_is_never_taken():
    with pytest.raises(LockingError):
        wheels.choose([wheel("p-1.1-py3-none-any.whl")], "1.0", wheels.tags("linux-x86_64", "3.12", None))


def test_linux_tags_end_at_the_glibc_that_uv_resolves_for():
    platforms = {tag.platform for tag in wheels.tags("linux-x86_64", "3.12", None)}

    assert {"manylinux_2_28_x86_64", "manylinux2014_x86_64", "manylinux2010_x86_64", "manylinux1_x86_64"} <= platforms
    assert "manylinux_2_29_x86_64" not in platforms
    assert "manylinux_2_16_aarch64" not in {tag.platform for tag in wheels.tags("linux-aarch64", "3.12", None)}


def test_the_glibc_of_a_lock_is_the_highest_floor_of_its_wheels():
    files = ["a-1-cp312-cp312-manylinux_2_17_x86_64.manylinux2014_x86_64.whl", "b-1-py3-none-any.whl"]

    assert wheels.glibc(files) == (2, 17)
    assert wheels.glibc([*files, "c-1-cp312-cp312-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl"]) == (2, 27)
    assert wheels.glibc(["b-1-py3-none-any.whl"]) is None


# The index


def page(*files):
    rows = [
        {"filename": one.file, "hashes": {"sha256": one.sha256}, "size": one.size, "upload-time": one.uploaded,
         "yanked": one.yanked}
        for one in files
    ]  # fmt: skip
    return json.dumps({"files": [*rows, {"filename": "p-1.0.tar.gz"}, {"filename": "p-1.0-bad.whl"}]})


def test_the_index_of_a_day_leaves_out_later_files_and_yanked_ones(tmp_path):
    old, late = wheel("p-1.0-py3-none-any.whl"), wheel("p-2.0-py3-none-any.whl", uploaded=f"{DAY}T00:00:00.1Z")
    pulled = wheel("p-1.5-py3-none-any.whl", yanked="broken")
    pages = index.Index(tmp_path, fetch=lambda _: page(old, late, pulled))

    assert pages.wheels("P", DAY) == (old,)
    assert pages.wheels("p", "2026-12-01") == (old, late)


def test_a_page_is_fetched_once_and_survives_the_run(tmp_path):
    asked = []

    def fetch(url):
        asked.append(url)
        return page(wheel("ml_dtypes-1.0-py3-none-any.whl"))

    index.Index(tmp_path, fetch).wheels("ml_dtypes", DAY)
    index.Index(tmp_path, fetch).wheels("ml-dtypes", DAY)

    assert asked == ["https://pypi.org/simple/ml-dtypes/"]


@pytest.mark.parametrize("junk", ["<html>", "{}", '{"files": [{"filename": "p-1.0-py3-none-any.whl"}]}', "[]"])
def test_a_page_that_is_no_page_is_named(tmp_path, junk):
    with pytest.raises(LockingError, match="page of p cannot be read"):
        index.Index(tmp_path, lambda _: junk).wheels("p", DAY)


# Mending


class World:
    """An environment whose failures are known, for `mend` to find out."""

    def __init__(self, failures):
        self.failures = failures
        self.asked = []

    def __call__(self, target, added):
        self.asked.append(added)
        for requirement, step, line in self.failures:
            if requirement not in added:
                return observed(target, added, step=step, line=line)
        return observed(target, added)


def test_each_failure_earns_the_cure_it_calls_for():
    world = World([("numpy<2", "imports", ABI), ("setuptools<82", "tensorboard_cli", NO_PKG_RESOURCES)])

    needed = mend.mend(LINUX, world)

    assert [(cure.repair.id, seen.failure) for cure, seen in needed] == [
        ("REP001", ("imports", ABI)),
        ("REP003", ("tensorboard_cli", NO_PKG_RESOURCES)),
    ]
    assert world.asked == [(), ("numpy<2",), ("numpy<2", "setuptools<82"), ("setuptools<82",)]


def test_an_environment_that_is_whole_earns_none():
    assert mend.mend(LINUX, World([])) == ()


def test_a_cure_that_a_later_one_made_idle_is_dropped():
    def idle(target, added):
        if "setuptools<82" in added:
            return observed(target, added)
        if "numpy<2" in added:
            return observed(target, added, step="tensorboard_cli", line=NO_PKG_RESOURCES)
        return observed(target, added, step="imports", line=ABI)

    assert [cure.repair.requirement for cure, _ in mend.mend(LINUX, idle)] == ["setuptools<82"]


def test_a_failure_nobody_knows_is_an_error_that_quotes_it():
    world = World([("never", "fit", "ValueError: something new")])

    with pytest.raises(LockingError, match="fit: ValueError: something new"):
        mend.mend(LINUX, world)


def test_a_cure_that_does_not_help_is_an_error_and_not_a_loop():
    with pytest.raises(LockingError, match="Unable to convert"):
        mend.mend(LINUX, World([("never", "imports", ABI)]))


@pytest.mark.parametrize(
    ("tensorflow", "python", "line", "expected"),
    [
        ("2.11.1", "3.10", ABI, "REP001"),
        ("2.14.0", "3.11", ABI, "REP002"),
        ("2.12.1", "3.11", ABI, None),
        ("2.14.1", "3.11", ABI, None),
        ("2.10.1", "3.8", ABI, None),
        ("2.20.0", "3.13", NO_PKG_RESOURCES, "REP003"),
        ("2.9.0", "3.10", "TypeError: Descriptors cannot be created directly.", "REP008"),
        ("2.9.3", "3.10", "TypeError: Descriptors cannot be created directly.", None),
        ("2.21.0", "3.13", "TBNotInstalledError: TensorBoard is not installed, missing implementation", "REP004"),
    ],
)
def test_a_cure_is_for_the_releases_whose_metadata_lets_the_drift_in(tensorflow, python, line, expected):
    found = cures.find(line, "tensorflow-cpu", tensorflow, python)

    assert (found.repair.id if found else None) == expected


def test_ids_of_cures_are_unique():
    ids = [one.repair.id for one in cures.CURES]

    assert len(ids) == len(set(ids))


def test_the_repairs_on_file_are_read_back_as_they_were_measured(tmp_path):
    world = World([("numpy<2", "imports", ABI), ("setuptools<82", "tensorboard_cli", NO_PKG_RESOURCES)])
    seen = mend.mend(LINUX, world)
    path = tmp_path / "repairs.toml"

    path.write_text(repairs.repairs_text(seen, DAY))

    numpy, setuptools = repairs.read_repairs(path)
    assert numpy == replace(cures.CURES[0].repair, failure=ABI)
    assert (setuptools.id, setuptools.step, setuptools.failure) == ("REP003", "tensorboard", NO_PKG_RESOURCES)
    row = repairs.read_toml(path)["repairs"][0]
    assert row["measured"]["environment"] == "tensorflow-cpu 2.10.1, CPython 3.10.13, numpy 2.2.6"
    assert row["seen_on"] == ["2.10.1 on 3.10"]


def test_two_repairs_of_one_requirement_add_it_once():
    again = replace(cures.CURES[0].repair, id="REP099")

    kept = repairs.for_target([*(one.repair for one in cures.CURES), again], LINUX)

    assert [one.id for one in kept] == ["REP001", "REP003"]


# Resolving


def test_pins_are_read_with_every_hash_uv_accepts():
    one, two = "a" * 64, "b" * 64
    answer = (
        f"absl-py==2.3.1 \\\n    --hash=sha256:{one} \\\n    --hash=sha256:{two}\n"
        f'tensorflow[and-cuda]==2.20.0 ; python_version < "4" \\\n    --hash=sha256:{two}\n'
    )

    assert uv.read_pins(answer) == (
        ("absl-py", "2.3.1", frozenset({one, two})),
        ("tensorflow", "2.20.0", frozenset({two})),
    )


def test_the_recorded_command_is_what_uv_was_asked_and_names_no_path_of_this_machine():
    arguments = uv.compile_arguments(MAC, DAY)

    line = uv.shell_line(MAC.requirements, arguments, {"MACOSX_DEPLOYMENT_TARGET": "12.1"})

    assert line.startswith(
        "printf '%s\\n' tensorflow==2.18.1 tensorflow-metal==1.2.0 | MACOSX_DEPLOYMENT_TARGET=12.1 uv "
    )
    assert f"--exclude-newer {DAY}T00:00:00Z" in line
    assert "/" not in line


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        (MAC, "12.1"),
        (replace(MAC, plugin=None, plugin_version=None), "12.0"),
        (replace(MAC, plugin_version="0.6.0"), "12.5"),
        (LINUX, None),
    ],
)
def test_macos_is_resolved_for_what_the_binaries_need(target, expected):
    assert minimum.resolution_minimum(target, SCRIPTS.parent / "matrices" / "links") == expected


def test_what_the_link_matrix_says_of_the_pair_counts(tmp_path):
    links(tmp_path, minimum_macos="12.4")

    assert minimum.resolution_minimum(MAC, tmp_path) == "12.4"
    assert minimum.lock_minimum(MAC, ["a-1-cp312-cp312-macosx_12_0_arm64.whl"], tmp_path) == "12.4"
    assert minimum.lock_minimum(MAC, ["a-1-cp312-cp312-macosx_14_0_arm64.whl"], tmp_path) == "14.0"


def links(folder, *, minimum_macos="12.1", loads="true"):
    (folder / "tensorflow-metal.arm64.toml").write_text(
        'plugin = "tensorflow-metal"\narchitecture = "arm64"\n'
        f'plugins = [{{ version = "1.2.0", minimum_macos = "{minimum_macos}" }}]\n'
        'tensorflows = [{ distribution = "tensorflow", version = "2.18.1", minimum_macos = "12.0" }]\n'
        f'pairs = [{{ distribution = "tensorflow", tensorflow = "2.18.1", plugin_version = "1.2.0", loads = {loads} }}]\n'
    )


# Making a lock


FILES = {
    "tensorflow": "tensorflow-2.18.1-cp312-cp312-macosx_12_0_arm64.whl",
    "tensorflow-metal": "tensorflow_metal-1.2.0-cp312-cp312-macosx_12_0_arm64.whl",
    "setuptools": "setuptools-81.0.0-py3-none-any.whl",
}


@pytest.fixture
def maker(tmp_path, monkeypatch):
    """A maker whose uv and index are tables; `asked` counts the resolutions."""
    asked = []
    pins = tuple(
        (name, file.split("-")[1], frozenset({wheel(file).sha256}))
        for name, file in sorted(FILES.items(), reverse=True)
    )

    def resolve(_uv, _target, requirements, _day, floor):
        asked.append((tuple(requirements), floor))
        return Resolution(command="uv pip compile -", uv="0.13.9", pins=pins)

    monkeypatch.setattr(uv, "resolve", resolve)
    pages = index.Index(tmp_path / "index", fetch=lambda url: page(wheel(FILES[url.split("/")[-2]])))
    (tmp_path / "matrices" / "links").mkdir(parents=True)
    made = make.Maker(uv_path="uv", state=tmp_path / "state", day=DAY, pythons=tmp_path, root=tmp_path, index=pages)
    made.asked = asked
    return made


REPAIRS = tuple(replace(one.repair, failure="seen") for one in cures.CURES)


def test_a_lock_holds_one_wheel_for_each_pin_and_the_repairs_it_was_resolved_with(maker):
    minimum._document.cache_clear()
    links(maker.links)

    lock = maker.lock(MAC, REPAIRS, run=False)

    assert [(one.name, one.file) for one in lock.packages] == sorted(FILES.items())
    assert (lock.repairs, lock.minimum_macos, lock.glibc) == (("REP003",), "12.1", None)
    assert maker.asked == [(("tensorflow==2.18.1", "tensorflow-metal==1.2.0", "pip", "setuptools<82"), "12.1")]


@pytest.mark.parametrize(("loads", "tier"), [("true", "links"), ("false", "installs"), (None, "installs")])
def test_a_pair_is_said_to_link_only_where_the_link_matrix_says_so(maker, loads, tier):
    minimum._document.cache_clear()
    if loads:
        links(maker.links, loads=loads)

    assert maker.lock(MAC, REPAIRS, run=False).tier == tier


def test_the_same_lock_is_the_same_bytes_and_is_read_back_as_it_was(maker, tmp_path):
    lock = maker.lock(MAC, REPAIRS, run=False)
    path = tmp_path / "macos-arm64" / f"{MAC.name}.toml"
    text.write_atomically(path, text.lock_text(lock))

    assert text.lock_text(maker.lock(MAC, REPAIRS, run=False)) == path.read_text()
    assert check.read_lock(path) == lock


def test_a_second_run_asks_uv_nothing_again_but_a_changed_question_does(maker):
    maker.lock(MAC, REPAIRS, run=False)
    maker.lock(MAC, REPAIRS, run=False)
    assert len(maker.asked) == 1

    maker.lock(MAC, (), run=False)
    assert len(maker.asked) == 2


def test_a_library_built_for_a_newer_macos_is_held_back_only_where_the_environment_has_it(maker, monkeypatch):
    held = {"macos-arm64": {"setuptools": "setuptools<80", "absent": "absent<1"}}
    monkeypatch.setattr(make, "HELD_BACK", held)

    maker.lock(MAC, REPAIRS, run=False)

    first, second = ([*asked] for asked, _ in maker.asked)
    assert sorted(set(second) - set(first)) == ["setuptools<80"]
    assert not any(one.startswith("absent") for one in second)


def test_a_wheel_uv_would_refuse_is_an_error(maker, monkeypatch):
    pins = (("setuptools", "81.0.0", frozenset({"0" * 64})),)
    monkeypatch.setattr(uv, "resolve", lambda *_: Resolution(command="uv", uv="0", pins=pins))

    with pytest.raises(LockingError, match=r"uv does not accept setuptools-81\.0\.0"):
        maker.lock(MAC, REPAIRS, run=False)


@pytest.fixture
def place_for(maker, monkeypatch, tmp_path):
    """Environments without uv: `ran` counts the runs of a lock, `looks` the plain looks and those with repairs."""
    interpreter = tmp_path / "3.12.1" / "bin" / "python"
    interpreter.parent.mkdir(parents=True)
    interpreter.touch()
    maker.ran, maker.looks = [], []
    maker.answers = {"day": DAY, "python": "3.12.1", "pip_check": "compatible", **FINE}
    maker.fails_without = {"setuptools<82": ("tensorboard_cli", NO_PKG_RESOURCES)}

    def run_lock(*_):
        maker.ran.append(1)
        return dict(maker.answers)

    def look(_uv, _interpreter, target, _resolved, repairs, _script):
        maker.looks.append(repairs)
        for requirement, (step, line) in maker.fails_without.items():
            if requirement not in repairs:
                return observed(target, repairs, step=step, line=line)
        return observed(target, repairs)

    monkeypatch.setattr(verify, "run_lock", run_lock)
    monkeypatch.setattr(verify, "observe", look)
    monkeypatch.setattr(uv, "create", lambda *_: interpreter)
    return maker


def test_a_run_that_is_whole_is_recorded_beside_what_a_plain_installation_gives(place_for):
    lock = place_for.lock(MAC, REPAIRS, run=True)

    assert (lock.tier, lock.verified["python"], lock.verified["fit"]) == ("runs", "3.12.1", "ok")
    assert (lock.plain["tensorboard_cli"], lock.plain["fit"]) == (NO_PKG_RESOURCES, "ok")
    assert lock.without == {"REP003": f"tensorboard_cli: {NO_PKG_RESOURCES}"}
    assert place_for.lock(MAC, REPAIRS, run=True) == lock
    assert (len(place_for.ran), place_for.looks) == (1, [()])


def test_of_several_repairs_each_is_left_out_once(place_for):
    place_for.fails_without["numpy<2"] = ("imports", ABI)
    target = replace(MAC, tensorflow="2.10.1", plugin=None, plugin_version=None)
    mended = [one for one in REPAIRS if one.id in ("REP001", "REP003")]

    with place.place(place_for, target) as here:
        needed = here.needed(mended)

    assert needed == {"REP001": f"imports: {ABI}", "REP003": f"tensorboard_cli: {NO_PKG_RESOURCES}"}
    assert place_for.looks == [("setuptools<82",), ("numpy<2",)]


def test_a_repair_that_nothing_fails_without_makes_no_lock(place_for):
    place_for.fails_without.clear()

    with pytest.raises(LockingError, match=r"whole without REP003: its range is too wide"):
        place_for.lock(MAC, REPAIRS, run=True)


def test_a_run_that_is_not_whole_makes_no_lock(place_for):
    place_for.answers["fit"] = "ValueError: no"

    with pytest.raises(LockingError, match=r"is not whole.*ValueError: no"):
        place_for.lock(MAC, REPAIRS, run=True)


def test_a_macs_lock_names_the_twin_that_ran_and_how_it_differs(maker, tmp_path):
    maker.linux.mkdir(parents=True)
    ran = {**dict.fromkeys(verify.STEPS, "ok"), "day": DAY}
    twin = maker.linux / "tensorflow-2.18.1-cpu-cp312.toml"
    packages = (
        'packages = [{ name = "setuptools", version = "80.0.0" }, { name = "tensorflow-cpu", version = "2.18.1" }]'
    )
    twin.write_text(f'tier = "runs"\n{packages}\n[verified]\nday = {ran["day"]}\n')

    assert maker.lock(MAC, REPAIRS, run=False).twin == {
        "day": DAY, "file": "linux-x86_64/tensorflow-2.18.1-cpu-cp312.toml", "has": "setuptools 80.0.0",
    }  # fmt: skip
    twin.write_text(twin.read_text().replace("runs", "installs"))
    assert maker.lock(MAC, REPAIRS, run=False).twin == {}


def test_an_answer_is_read_between_cookies_and_a_death_is_an_answer():
    spoken = f"noise\n{verify.COOKIE}{json.dumps({**FINE, 'python': '3.12.1'})}{verify.COOKIE[::-1]}\n"

    assert verify.read_answer(spoken, 0, "")["fit"] == "ok"
    died = verify.read_answer("", -11, "a line\nlast words\n")
    assert died["imports"] == "died of SIGSEGV: last words"
    assert {died[step] for step in verify.STEPS[1:]} == {"not run"}


def test_an_answer_without_a_step_is_refused():
    spoken = f"{verify.COOKIE}{json.dumps({'imports': 'ok'})}{verify.COOKIE[::-1]}"

    with pytest.raises(LockingError, match="tensorboard_cli"):
        verify.read_answer(spoken, 0, "")


def test_a_write_that_fails_leaves_the_old_file_and_nothing_half_made(tmp_path, monkeypatch):
    path = tmp_path / "a.toml"
    path.write_text("old")
    monkeypatch.setattr(Path, "chmod", lambda *_: (_ for _ in ()).throw(OSError("disk full")))

    with pytest.raises(OSError, match="disk full"):
        text.write_atomically(path, "new")

    assert [one.name for one in tmp_path.iterdir()] == ["a.toml"]
    assert path.read_text() == "old"


def test_resolving_again_with_the_recorded_day_names_what_came_out_otherwise(maker, tmp_path):
    lock = maker.lock(MAC, REPAIRS, run=False)
    path = tmp_path / "macos-arm64" / f"{MAC.name}.toml"
    text.write_atomically(path, text.lock_text(lock))
    assert list(again.differences(maker, [path], REPAIRS)) == []

    old = 'name = "setuptools", version = "81.0.0"'
    path.write_text(path.read_text().replace(old, 'name = "setuptools", version = "80.0.0"'))
    found = list(again.differences(maker, [path], REPAIRS))
    file = FILES["setuptools"]
    assert found == [f"macos-arm64/{MAC.name}.toml: setuptools 80.0.0 ({file}) → 81.0.0 ({file})"]


# What is locked


def test_every_target_has_a_file_of_its_own():
    names = [(one.platform, one.name) for one in targets()]

    assert len(names) == len(set(names))


def test_one_combination_of_every_minor_from_2_9_to_2_21_is_locked_and_measured():
    minors = [f"2.{number}" for number in range(9, 22)]

    for found in (
        {one.tensorflow.rpartition(".")[0] for one in targets() if one.platform == "linux-x86_64"},
        {one.tensorflow.rpartition(".")[0] for one in targets() if one.platform == "macos-arm64"},
        {one.tensorflow.rpartition(".")[0] for one in measured()},
    ):
        assert set(minors) <= found


def test_what_asks_for_something_without_a_wheel_is_no_target_and_says_why():
    names = {(one.tensorflow, one.python) for one in targets() if one.platform == "linux-x86_64"}

    assert names.isdisjoint(WITHOUT_WHEELS)
    assert set(WITHOUT_WHEELS) <= set(combinations("tensorflow-cpu", "linux", "x86_64", OLDEST_LINUX))


def test_every_final_release_with_a_wheel_is_a_target_on_every_python_it_has_one_for():
    """Hand-read from the index: 2.21.0 has cp310 to cp313, 2.9.1 cp38 to cp310, 2.15.0.post1 cp39 to cp311."""
    found = {(one.tensorflow, one.python) for one in targets() if one.platform == "linux-x86_64" and not one.cuda}

    for tensorflow, pythons in (("2.21.0", "10 11 12 13"), ("2.9.1", "8 9 10"), ("2.15.0.post1", "9 10 11")):
        assert {python for version, python in found if version == tensorflow} == {f"3.{x}" for x in pythons.split()}
    assert not any("rc" in version for version, _ in found)


# What is told of them


def ran(tensorflow, python, *, plain=FINE, without=None):
    target = Target(platform="linux-x86_64", python=python, distribution="tensorflow-cpu", tensorflow=tensorflow)
    return replace(
        sound_lock(), target=target, tier="runs", plain={"day": DAY, **plain}, without=without or {},
        minimum_macos=None, glibc="2.28",
    )  # fmt: skip


def test_a_minors_row_counts_plain_installations_that_are_whole_and_says_where_the_others_break():
    broken = {**FINE, "tensorboard_callback": "ok", "tensorboard_cli": NO_PKG_RESOURCES}
    locks = [
        ran("2.10.1", "3.8"),
        ran("2.10.1", "3.10", plain={**FINE, "imports": ABI}, without={"REP001": "imports: x", "REP003": "y"}),
        ran("2.13.1", "3.11", plain=broken, without={"REP003": "y"}),
    ]

    rows = {row[0]: row[2:] for row in summary.whole_rows(locks)}

    assert rows["2.10"] == ["1 of 2", "import 1", "2", "REP001, REP003"]
    assert rows["2.13"] == ["0 of 1", "TensorBoard 1", "1", "REP003"]
    assert rows["all"] == ["1 of 3", "TensorBoard 1, import 1", "3", "REP001, REP003"]


def test_a_platforms_row_counts_twins_and_proved_plugins():
    pair = replace(sound_lock(), twin={"day": DAY, "file": "x", "has": ""})
    alone = replace(pair, target=replace(MAC, plugin=None, plugin_version=None), tier="installs", twin={})

    assert summary.platform_rows([pair, alone]) == [["macos-arm64", "2", "2.18.1 to 2.18.1", "0", "1", "1 of 1"]]


# Checking


def sound_lock():
    packages = tuple(
        Package(name=name, version=file.split("-")[1], file=file, sha256="0" * 64, size=1)
        for name, file in sorted(FILES.items())
    )
    return Lock(
        target=MAC, minimum_macos="12.1", glibc=None, repairs=("REP003",), tier="links", exclude_newer=DAY,
        uv="0.13.9", command="uv", packages=packages,
    )  # fmt: skip


def with_package(lock, name, **changes):
    packages = tuple(replace(one, **changes) if one.name == name else one for one in lock.packages)
    return replace(lock, packages=packages)


def test_a_sound_lock_has_no_problems():
    assert list(check.lock_problems(sound_lock(), REPAIRS)) == []


@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        (lambda lock: with_package(lock, "setuptools", sha256="0"), "no sha256"),
        (lambda lock: with_package(lock, "setuptools", size=0), "no size"),
        (lambda lock: with_package(lock, "setuptools", version="80.0.0"), "another release"),
        (lambda lock: with_package(lock, "setuptools", version="84.0.0", file="setuptools-84.0.0-py3-none-any.whl"),
         "asks for setuptools<82"),
        (lambda lock: with_package(lock, "tensorflow", file="tensorflow-2.18.1-cp311-cp311-macosx_12_0_arm64.whl"),
         "does not fit"),
        (lambda lock: with_package(lock, "tensorflow", file="tensorflow-2.18.1-cp312-cp312-macosx_14_0_arm64.whl"),
         "asks for more than macOS 12.1"),
        (lambda lock: replace(lock, target=replace(MAC, plugin_version="1.1.0")), "named for tensorflow-metal 1.1.0"),
        (lambda lock: replace(lock, target=replace(MAC, plugin=None)), "a plugin that its name does not"),
        (lambda lock: replace(lock, repairs=()), "the repairs on file ask for"),
        (lambda lock: replace(lock, tier="runs"), "not one this platform was seen to reach"),
        (lambda lock: replace(lock, minimum_macos=None), "minimum_macos is missing"),
        (lambda lock: replace(lock, packages=lock.packages[::-1]), "not sorted"),
    ],
)  # fmt: skip
def test_a_spoilt_lock_is_found_out(spoil, complaint):
    assert any(complaint in one for one in check.lock_problems(spoil(sound_lock()), REPAIRS))


def test_the_check_of_a_tree_names_the_file_and_ends_with_1(tmp_path, capsys):
    path = tmp_path / run.LOCKS / "macos-arm64" / "tensorflow-2.18.1-cpu-cp312.toml"
    text.write_atomically(path, text.lock_text(sound_lock()))
    text.write_atomically(tmp_path / run.REPAIRS, repairs.repairs_text([], DAY))

    code = run.main(["--check", "--out", str(tmp_path)])

    assert code == 1
    assert "macos-arm64/tensorflow-2.18.1-cpu-cp312.toml: its own words call it" in capsys.readouterr().err


def test_a_tree_without_repairs_is_one_line_and_a_day_must_be_one(tmp_path, capsys):
    assert run.main(["--out", str(tmp_path), "--state", str(tmp_path / "state"), "--no-run", "--uv", "uv"]) == 1
    said = capsys.readouterr().err
    assert (said.startswith("error: repairs.toml: "), said.count("\n")) == (True, 1)

    with pytest.raises(SystemExit):
        run.main(["--day", "banana"])


def test_a_broken_lock_is_one_line(tmp_path):
    path = tmp_path / "macos-arm64" / "a.toml"
    text.write_atomically(path, 'platform = "macos-arm64"\n')

    with pytest.raises(LockingError, match=r"macos-arm64/a\.toml: KeyError"):
        check.read_lock(path)


# The extra


def a_lock(**given):
    recommended = given.pop("recommended", False)
    return replace(sound_lock(), target=Target(**{"distribution": "tensorflow", **given}), recommended=recommended)


def test_the_extra_gives_the_pair_to_apple_silicon_and_a_release_with_wheels_to_everyone_else():
    locks = [
        a_lock(platform="macos-arm64", python="3.12", tensorflow="2.18.1", plugin="tensorflow-metal",
               plugin_version="1.2.0", recommended=True),
        a_lock(platform="macos-arm64", python="3.12", tensorflow="2.18.1"),
        a_lock(platform="macos-arm64", python="3.13", tensorflow="2.20.0"),
        a_lock(platform="macos-x86_64", python="3.12", tensorflow="2.16.2"),
    ]  # fmt: skip

    lines = extra_lines(locks, REPAIRS)

    pair = "sys_platform == 'darwin' and platform_machine == 'arm64' and python_version < '3.13'"
    assert lines[:3] == [f"tensorflow==2.18.1; {pair}", f"tensorflow-metal==1.2.0; {pair}", f"setuptools<82; {pair}"]
    intel = "sys_platform == 'darwin' and platform_machine == 'x86_64' and python_version < '3.13'"
    assert f"tensorflow==2.16.2; {intel}" in lines
    assert "tensorflow==2.18.1; sys_platform != 'darwin' and python_version < '3.13'" in lines
    between = "python_version >= '3.13' and python_version < '3.14'"
    assert f"tensorflow==2.20.0; sys_platform != 'darwin' and {between}" in lines
    assert [one for one in lines if "metal" in one] == [lines[1]]


def test_without_a_recommended_lock_there_is_no_extra():
    with pytest.raises(LockingError, match="recommended"):
        extra_lines([sound_lock()], REPAIRS)
