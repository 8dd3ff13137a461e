"""The committed locks and repairs: every wheel fits, every pin is what the file says, every repair is still needed."""

import sys
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.tags import mac_platforms
from packaging.utils import canonicalize_name, parse_wheel_filename
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "scripts"))

from locking import check, uv, verify  # noqa: E402
from locking.cures import CURES  # noqa: E402
from locking.extra import extra_lines, read_locks  # noqa: E402
from locking.repairs import read_repairs, read_toml  # noqa: E402
from locking.run import LOCKS, REPAIRS  # noqa: E402
from locking.targets import OLDEST_LINUX, WITHOUT_WHEELS, combinations, targets  # noqa: E402

FILES = sorted((ROOT / LOCKS).glob("*/*.toml"))
REPAIRS_FILE = ROOT / REPAIRS
MINORS = [f"2.{number}" for number in range(9, 22)]


def locks():
    return read_locks(ROOT / LOCKS)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_lock_is_sound(path):
    assert list(check.lock_problems(check.read_lock(path), read_repairs(REPAIRS_FILE))) == []


def test_the_check_finds_nothing():
    assert list(check.problems(ROOT / LOCKS, REPAIRS_FILE)) == []


def test_every_target_is_locked_and_no_other_file_lies_there():
    assert {(path.parent.name, path.stem) for path in FILES} == {(one.platform, one.name) for one in targets()}


@pytest.mark.parametrize("minor", MINORS)
def test_every_minor_was_run_whole_on_linux_and_is_locked_for_apple_silicon(minor):
    of_minor = [one for one in locks() if one.target.tensorflow.rpartition(".")[0] == minor]

    assert any(one.tier == "runs" and one.target.platform == "linux-x86_64" for one in of_minor)
    assert any(one.target.platform == "macos-arm64" for one in of_minor)


def test_every_combination_that_has_wheels_ran_whole_and_nothing_else_is_left_out():
    ran = {
        (one.target.tensorflow, one.target.python)
        for one in locks()
        if one.target.platform == "linux-x86_64" and one.tier == "runs"
    }
    every = set(combinations("tensorflow-cpu", "linux", "x86_64", OLDEST_LINUX))

    assert every - ran == set(WITHOUT_WHEELS)
    assert len(ran) > 100


def test_what_plain_uv_gives_is_recorded_beside_every_run_and_each_repair_was_left_out_once():
    for one in locks():
        if one.tier == "runs":
            plain_is_whole = all(one.plain[step] in verify.FINE for step in verify.STEPS)
            assert plain_is_whole == (not one.repairs), one.target.name
            assert set(one.without) == set(one.repairs), one.target.name


def test_a_macs_lock_claims_no_run_and_names_only_twins_that_ran_whole():
    files = {f"{path.parent.name}/{path.name}": check.read_lock(path) for path in FILES}
    for one in files.values():
        if one.target.platform.startswith("macos"):
            assert one.tier in ("installs", "links")
            if one.twin:
                twin = files[one.twin["file"]]
                assert (twin.tier, twin.target.tensorflow, twin.target.python) == (
                    "runs", one.target.tensorflow, one.target.python,
                )  # fmt: skip


def test_every_plugin_of_the_vendor_that_is_locked_is_proved_to_link():
    unproved = [one.target.name for one in locks() if one.target.plugin and one.tier != "links"]

    assert unproved == []


def test_apple_silicon_wheels_fit_by_packagings_own_platforms():
    """Not through `locking.wheels`: what pip itself would accept on the macOS that the lock promises."""
    strangers = []
    for one in locks():
        if one.target.platform == "macos-arm64":
            major, minor = map(int, one.minimum_macos.split("."))
            accepted = {*mac_platforms((major, minor), "arm64"), "any"}
            strangers += [
                (one.target.name, package.file)
                for package in one.packages
                if accepted.isdisjoint(tag.platform for tag in parse_wheel_filename(package.file)[3])
            ]
    assert strangers == []


def test_a_lock_says_the_command_that_made_it_without_a_path():
    for one in locks():
        assert f"--exclude-newer {one.exclude_newer}T00:00:00Z" in one.command
        assert "/" not in one.command
        assert all(pin in one.command for pin in one.target.requirements)


def test_exactly_one_lock_is_recommended_and_it_links():
    assert [(one.target.platform, one.tier) for one in locks() if one.recommended] == [("macos-arm64", "links")]


# Repairs


def test_every_repair_on_file_is_a_known_cure_with_a_seen_failure():
    known = {one.repair.id: one for one in CURES}

    for repair in read_repairs(REPAIRS_FILE):
        cure = known[repair.id]
        assert cure.signature in repair.failure
        assert (repair.requirement, repair.versions) == (cure.repair.requirement, cure.repair.versions)


def test_every_repair_is_used_by_the_lock_of_a_release_it_names_or_lies_before_them():
    used = {identity for one in locks() for identity in one.repairs}
    locked = {one.target.tensorflow for one in locks()}

    for repair in read_repairs(REPAIRS_FILE):
        within = [version for version in locked if SpecifierSet(repair.versions).contains(version)]
        assert (repair.id in used) == bool(within)


def test_every_repair_says_where_it_was_seen():
    for row in read_toml(REPAIRS_FILE)["repairs"]:
        versions = [seen.split(" on ")[0] for seen in row["seen_on"]]
        assert versions
        assert all(SpecifierSet(row["versions"]).contains(version) for version in versions)
        assert all(source.startswith("https://") for source in row["sources"])


def releases():
    """Final releases of tensorflow-cpu and tensorflow-macos with what their wheels require."""
    for name in ("tensorflow-cpu", "tensorflow-macos"):
        table = read_toml(ROOT / "matrices" / "releases" / f"{name}.toml")
        for row in table["releases"]:
            version = Version(row["version"])
            lists = {wheel["requires"] for wheel in row["wheels"] if "win" not in wheel["tag"] and "requires" in wheel}
            requires = [Requirement(line) for number in lists for line in table["requires"][number]]
            if not version.is_prerelease and any(one.name == "numpy" for one in requires):
                yield name, version, requires


def lets_in(requires, name, version):
    """Whether some requirement on `name` accepts `version`; False where there is none."""
    return any(canonicalize_name(one.name) == name and one.specifier.contains(version) for one in requires)


@pytest.mark.parametrize(
    ("requirement", "drifted", "until"),
    [
        pytest.param("numpy<2", ("numpy", "2.0.0"), "2.18", id="NumPy 2 under a TensorFlow built for NumPy 1"),
        pytest.param("protobuf<3.20", ("protobuf", "4.25.9"), "2.12", id="protobuf 4 under older generated code"),
    ],
)
def test_a_repair_names_exactly_the_releases_whose_metadata_lets_the_drift_in(requirement, drifted, until):
    """From 2.8 on, where the drift is measured; REP001 reaches back to 2.7 by the same rule."""
    repairs = [one for one in read_repairs(REPAIRS_FILE) if one.requirement == requirement]
    seen = []
    for name, version, requires in releases():
        if Version("2.8") <= version < Version(until):
            seen.append(version)
            named = any(version in SpecifierSet(one.versions) for one in repairs)
            assert named == lets_in(requires, *drifted), f"{name} {version}"
    assert len(seen) > 10


# The extra


def project():
    return read_toml(ROOT / "pyproject.toml")["project"]


def test_the_extra_in_pyproject_is_the_one_the_locks_make():
    assert project()["optional-dependencies"]["metal"] == extra_lines(locks(), read_repairs(REPAIRS_FILE))


@pytest.mark.network
def test_the_extra_with_our_own_dependencies_changes_no_pin_of_the_recommended_lock():
    import uv as finder

    lock = next(one for one in locks() if one.recommended)
    wanted = [*extra_lines(locks(), read_repairs(REPAIRS_FILE)), *project()["dependencies"]]

    answer = uv.resolve(finder.find_uv_bin(), lock.target, wanted, lock.exclude_newer, lock.minimum_macos)

    resolved = {name: version for name, version, _ in answer.pins}
    locked = {one.name: one.version for one in lock.packages if one.name != "pip"}
    assert {name: resolved.get(name) for name in locked} == locked
    assert {"typer", "tensorflow-metal"} <= set(resolved)
