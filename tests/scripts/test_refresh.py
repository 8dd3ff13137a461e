"""scripts/refresh against an index of our own on the loopback interface: healthy, faulty, and cut off half-way."""

import contextlib
import dataclasses
import datetime as dt
import hashlib
import os
import random
import signal
import subprocess
import sys
import time
from email.utils import format_datetime
from pathlib import Path

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
sys.path.insert(0, str(SCRIPTS))

import refreshing.cli  # noqa: E402
from refreshing.web import web  # noqa: E402

from tests.scripts.index_server import sdist_bytes, serving, wheel_bytes  # noqa: E402

LATER = "2024-05-02T23:59:59.123456Z"


@pytest.fixture
def index():
    with serving() as answering:
        yield answering


@pytest.fixture
def waits(monkeypatch):
    """Seconds waited between attempts, none of them for real."""
    waited = []

    @contextlib.contextmanager
    def impatient(**options):
        with web(**options) as connection:
            yield dataclasses.replace(connection, pause=lambda _stop, seconds: waited.append(seconds))

    monkeypatch.setattr(refreshing.cli, "web", impatient)
    return waited


@pytest.fixture
def refresh(index, waits, tmp_path):
    """Run the command in this process; the exit code."""

    def run(*arguments, out=tmp_path / "releases", names=("tensorflow",), as_of="2026-11-30"):
        fixed = ["--index", index.url, "--out", str(out), "--as-of", as_of, "--only", *names]
        return refreshing.cli.main([*fixed, *map(str, arguments)])

    return run


@pytest.fixture
def written(tmp_path):
    """The TOML that a run left behind."""

    def read(name="tensorflow"):
        return tomllib.loads((tmp_path / "releases" / f"{name}.toml").read_text(encoding="utf-8"))

    return read


def versions(document):
    return [release["version"] for release in document["releases"]]


def test_a_release_is_written_with_what_the_index_and_the_wheels_say(index, refresh, written):
    mac = index.wheel(
        "tensorflow",
        "2.13.0",
        "cp310-cp310-macosx_12_0_arm64",
        ["tensorflow_macos == 2.13.0"],
        uploaded="2023-07-05T22:58:00Z",
        **{"requires-python": ">=3.8"},
    )
    linux = index.wheel(
        "tensorflow",
        "2.13.0",
        "cp310-cp310-manylinux_2_17_x86_64.manylinux2014_x86_64",
        ["numpy<=1.24.3,>=1.22", "keras <2.14, >=2.13.1", "Absl.Py>=1.0.0", "keras<2.14,>=2.13.1"],
        uploaded="2023-07-06T00:10:00Z",
        **{"requires-python": ">=3.8"},
    )

    assert refresh() == 0

    document = written()
    assert document.keys() == {"name", "source", "retrieved", "requires", "releases"}
    assert document["name"] == "tensorflow"
    assert document["source"] == f"{index.url}/tensorflow/"
    assert document["retrieved"].isoformat() == "2026-11-30"
    (release,) = document["releases"]
    wheels = release.pop("wheels")
    assert {key: str(value) for key, value in release.items()} == {
        "version": "2.13.0",
        "uploaded": "2023-07-05",
        "requires_python": ">=3.8",
    }
    assert [wheel["tag"] for wheel in wheels] == [
        "cp310-cp310-macosx_12_0_arm64",
        "cp310-cp310-manylinux_2_17_x86_64.manylinux2014_x86_64",
    ]
    assert [wheel["size"] for wheel in wheels] == [len(mac), len(linux)]
    assert [wheel["sha256"] for wheel in wheels] == [hashlib.sha256(each).hexdigest() for each in (mac, linux)]
    assert [str(wheel.get("uploaded")) for wheel in wheels] == ["None", "2023-07-06"]
    assert [document["requires"][wheel["requires"]] for wheel in wheels] == [
        ["tensorflow-macos==2.13.0"],
        ["absl-py>=1.0.0", "keras<2.14,>=2.13.1", "numpy<=1.24.3,>=1.22"],
    ]


def test_every_wheel_is_asked_even_within_one_version_and_platform(index, refresh, written):
    index.wheel("tensorflow", "2.22.0", "cp313-cp313-macosx_12_0_arm64", ["h5py<3.15,>=3.11"])
    index.wheel("tensorflow", "2.22.0", "cp314-cp314-macosx_12_0_arm64", ["h5py~=3.15.1"])

    assert refresh() == 0

    document = written()
    needs = [document["requires"][wheel["requires"]] for wheel in document["releases"][0]["wheels"]]
    assert needs == [["h5py<3.15,>=3.11"], ["h5py~=3.15.1"]]


def test_releases_stand_newest_first_and_wheels_by_python_as_a_number(index, refresh, written):
    for version in ("2.9.0", "2.10.0", "2.9.1"):
        for python in ("cp310", "cp38", "cp39"):
            index.wheel("tensorflow", version, f"{python}-{python}-macosx_12_0_arm64")

    assert refresh() == 0

    assert versions(written()) == ["2.10.0", "2.9.1", "2.9.0"]
    assert [wheel["tag"][:5] for wheel in written()["releases"][0]["wheels"]] == ["cp38-", "cp39-", "cp310"]


def test_candidates_are_kept_of_the_newest_minor_only(index, refresh, written):
    for version in ("2.21.0rc1", "2.21.0", "2.22.0rc0", "2.22.0.dev1", "2.22.0a1", "2.15.0.post1"):
        index.wheel("tensorflow", version, "cp310-cp310-win_amd64")

    assert refresh() == 0

    assert versions(written()) == ["2.22.0rc0", "2.21.0", "2.15.0.post1"]


def test_a_release_older_than_tensorflow_2_5_is_left_out_even_if_a_wheel_came_later(index, refresh, written):
    index.wheel("tensorflow", "2.4.1", "cp38-cp38-win_amd64", uploaded="2021-01-21T10:00:00Z")
    index.wheel("tensorflow", "2.4.1", "cp39-cp39-win_amd64", uploaded="2021-06-01T10:00:00Z")
    index.wheel("tensorflow", "2.5.0", "cp38-cp38-win_amd64", uploaded="2021-05-13T00:00:01Z")

    assert refresh() == 0

    assert versions(written()) == ["2.5.0"]


def test_as_of_a_day_later_files_do_not_exist_yet(index, refresh, written):
    index.wheel("tensorflow", "2.16.1", "cp310-cp310-macosx_12_0_arm64", uploaded="2024-05-01T00:00:00Z")
    index.wheel("tensorflow", "2.16.1", "cp311-cp311-macosx_12_0_arm64", uploaded=LATER)
    index.wheel("tensorflow", "2.17.0", "cp311-cp311-macosx_12_0_arm64", uploaded="2024-07-11T00:00:00Z")

    assert refresh(as_of="2024-05-01") == 0
    assert versions(written()) == ["2.16.1"]
    assert [wheel["tag"][:5] for wheel in written()["releases"][0]["wheels"]] == ["cp310"]

    assert refresh(as_of="2024-05-02") == 0
    assert [wheel["tag"][:5] for wheel in written()["releases"][0]["wheels"]] == ["cp310", "cp311"]


def test_the_same_index_gives_the_same_bytes_in_whatever_order_it_lists(index, refresh, tmp_path):
    for version in ("2.9.0", "2.10.0", "2.11.0"):
        for python in ("cp38", "cp39", "cp310"):
            for platform, needs in (("macosx_12_0_arm64", ["b", "a>=1"]), ("win_amd64", ["c; sys_platform=='win32'"])):
                index.wheel("tensorflow", version, f"{python}-{python}-{platform}", needs)
    assert refresh(out=tmp_path / "first") == 0

    random.Random(7).shuffle(index.pages["tensorflow"])  # noqa: S311 - an order, not a secret
    assert refresh(out=tmp_path / "second") == 0

    first, second = ((tmp_path / each / "tensorflow.toml").read_bytes() for each in ("first", "second"))
    assert first == second


def test_a_newer_release_renumbers_no_older_list(index, refresh, written):
    index.wheel("tensorflow", "2.9.0", "cp310-cp310-win_amd64", ["numpy>=1.20"])
    index.wheel("tensorflow", "2.10.0", "cp310-cp310-win_amd64", ["numpy>=1.21"])
    assert refresh() == 0
    before = {release["version"]: release["wheels"] for release in written()["releases"]}

    index.wheel("tensorflow", "2.11.0", "cp310-cp310-win_amd64", ["absl-py"])
    assert refresh() == 0

    after = {release["version"]: release["wheels"] for release in written()["releases"]}
    assert {version: after[version] for version in before} == before


def test_a_withdrawn_release_says_why_and_a_withdrawn_wheel_says_so_itself(index, refresh, written):
    index.wheel("tensorflow", "2.1.0", "cp310-cp310-win_amd64", yanked='broken "on"\nWindows')
    index.wheel("tensorflow", "2.2.0", "cp310-cp310-win_amd64", yanked=True)
    index.wheel("tensorflow", "2.3.0", "cp310-cp310-win_amd64", yanked="")
    index.wheel("tensorflow", "2.4.0", "cp39-cp39-win_amd64", yanked="wrong numpy")
    index.wheel("tensorflow", "2.4.0", "cp310-cp310-win_amd64")

    assert refresh() == 0

    releases = {release["version"]: release for release in written()["releases"]}
    assert releases["2.1.0"]["yanked"] == 'broken "on" Windows'
    assert releases["2.2.0"]["yanked"] == "yanked"
    assert "yanked" not in releases["2.3.0"]
    assert "yanked" not in releases["2.4.0"]
    assert [wheel.get("yanked") for wheel in releases["2.4.0"]["wheels"]] == ["wrong numpy", None]


def test_requires_python_stands_with_the_release_and_exceptions_with_the_wheel(index, refresh, written):
    for python, asks in (("cp38", None), ("cp39", ">=3.8"), ("cp310", ">=3.8")):
        index.wheel("tensorflow", "2.13.0", f"{python}-{python}-win_amd64", **{"requires-python": asks})

    assert refresh() == 0

    (release,) = written()["releases"]
    assert release["requires_python"] == ">=3.8"
    assert [wheel.get("requires_python") for wheel in release["wheels"]] == ["", None, None]


def test_a_file_name_is_written_only_where_it_cannot_be_derived(index, refresh, written):
    index.wheel("tensorflow", "2.13.0", "1-cp39-cp39-win_amd64")
    index.add("tensorflow-2.13.0.tar.gz", b"sources")
    odd = wheel_bytes("tensorflow", "2.14.0")
    index.add("TensorFlow-2.14-cp39-cp39-win_amd64.whl", odd)
    index.pages["tensorflow"].append(index.pages.pop("TensorFlow")[0])
    index.add("tensorflow-2.14.0.zip", b"zipped")

    assert refresh() == 0

    newer, older = written()["releases"]
    assert older["wheels"][0]["build"] == "1"
    assert "file" not in older["wheels"][0]
    assert older["sdist"] == {"size": 7, "sha256": hashlib.sha256(b"sources").hexdigest()}
    assert newer["wheels"][0]["file"] == "TensorFlow-2.14-cp39-cp39-win_amd64.whl"
    assert newer["sdist"]["file"] == "tensorflow-2.14.0.zip"


def test_a_release_of_sources_alone_is_written_with_what_its_pkg_info_asks(index, refresh, written):
    content = sdist_bytes("tensorflow-metal-plugin", "0.2.0", ["tensorflow>=2.16"], dynamic=["Requires-Dist"])
    index.add("tensorflow_metal_plugin-0.2.0.tar.gz", content, **{"requires-python": ">=3.10"})

    assert refresh(names=["tensorflow-metal-plugin"]) == 0

    document = written("tensorflow-metal-plugin")
    (release,) = document["releases"]
    assert release["wheels"] == []
    sha256 = hashlib.sha256(content).hexdigest()
    assert release["sdist"] == {"size": len(content), "sha256": sha256, "requires": 0, "dynamic": True}
    assert document["requires"] == [["tensorflow>=2.16"]]


def test_of_sources_that_stand_by_their_requirements_nothing_is_said_to_be_dynamic(index, refresh, written):
    index.add("tensorflow_metal_plugin-0.2.0.tar.gz", sdist_bytes("tensorflow-metal-plugin", "0.2.0"))

    assert refresh(names=["tensorflow-metal-plugin"]) == 0

    (release,) = written("tensorflow-metal-plugin")["releases"]
    assert release["sdist"].keys() == {"size", "sha256", "requires"}


def test_of_large_sources_only_the_front_travels(index, refresh, written):
    content = sdist_bytes("tensorflow-metal-plugin", "0.2.0", ["tensorflow"], bytes_after=os.urandom(3_000_000))
    index.add("tensorflow_metal_plugin-0.2.0.tar.gz", content)

    assert refresh(names=["tensorflow-metal-plugin"]) == 0

    assert written("tensorflow-metal-plugin")["requires"] == [["tensorflow"]]
    assert index.sent < 40_000 < len(content)


def test_sources_beside_wheels_are_not_opened(index, refresh):
    index.wheel("tensorflow", "2.13.0", "cp310-cp310-win_amd64")
    index.add("tensorflow-2.13.0.tar.gz", b"never read")

    assert refresh() == 0

    assert "/files/tensorflow-2.13.0.tar.gz" not in index.paths()


def test_a_dependency_is_kept_by_tags_days_and_python_only_and_its_wheels_are_not_read(index, refresh, written):
    index.add("numpy-1.26.4-cp312-cp312-macosx_11_0_arm64.whl", b"never read", **{"requires-python": ">=3.9"})
    index.add("numpy-1.26.4-pp39-pypy39_pp73-macosx_11_0_arm64.whl", b"never read")
    index.add("numpy-1.26.4.tar.gz", b"never read", **{"requires-python": ">=3.9"})

    assert refresh(names=["numpy"]) == 0

    assert index.paths() == ["/simple/numpy/"]
    (release,) = written("numpy")["releases"]
    assert str(release.pop("uploaded")) == "2024-03-01"
    assert release == {
        "version": "1.26.4",
        "requires_python": ">=3.9",
        "wheels": [{"tag": "cp312-cp312-macosx_11_0_arm64"}],
    }


@pytest.mark.parametrize("metadata_first", [False, True], ids=["METADATA last", "METADATA first"])
def test_of_a_large_wheel_only_its_end_and_its_metadata_travel(index, refresh, written, metadata_first):
    shape = {"other_files": 3000, "metadata_first": metadata_first}
    content = index.wheel("tensorflow", "2.18.1", "cp310-cp310-macosx_12_0_arm64", ["keras>=3.5.0"], shape=shape)
    tail, directory = 65536, content.rindex(b"PK\x05\x06") - content.index(b"PK\x01\x02")
    assert directory > tail, "the directory must be longer than the tail for this test to mean anything"

    assert refresh() == 0

    assert written()["requires"] == [["keras>=3.5.0"]]
    page_and_headers = 4096
    most = tail + page_and_headers + (directory if metadata_first else 0)
    assert index.sent < most < len(content)


def test_a_server_without_ranges_serves_a_small_wheel_whole(index, refresh, written):
    index.ranges = False
    index.wheel("tensorflow", "2.13.0", "cp310-cp310-macosx_12_0_arm64", ["tensorflow-macos==2.13.0"])

    assert refresh() == 0

    assert written()["requires"] == [["tensorflow-macos==2.13.0"]]


def test_a_server_without_ranges_is_not_asked_for_hundreds_of_megabytes(index, refresh, capsys, monkeypatch):
    monkeypatch.setattr("refreshing.remote_metadata.WHOLE_FILE_LIMIT", 70_000)
    index.ranges = False
    index.wheel("tensorflow", "2.18.1", "cp310-cp310-macosx_12_0_arm64", shape={"other_files": 3000})

    assert refresh() == 3

    assert "more than the 70,000 allowed" in capsys.readouterr().err


def test_a_sidecar_that_the_index_vouches_for_saves_opening_the_wheel(index, refresh, written):
    sidecar = b"Metadata-Version: 2.1\nName: tensorflow\nVersion: 2.18.1\nRequires-Dist: keras>=3.5.0\n\n"
    vouched = {"core-metadata": {"sha256": hashlib.sha256(sidecar).hexdigest()}}
    index.add("tensorflow-2.18.1-cp310-cp310-win_amd64.whl", b"must not be opened", **vouched)
    index.files["/files/tensorflow-2.18.1-cp310-cp310-win_amd64.whl.metadata"] = sidecar

    assert refresh() == 0

    assert written()["requires"] == [["keras>=3.5.0"]]
    assert index.paths() == ["/simple/tensorflow/", "/files/tensorflow-2.18.1-cp310-cp310-win_amd64.whl.metadata"]


def test_a_sidecar_of_other_bytes_than_vouched_for_is_refused(index, refresh, capsys, tmp_path):
    index.wheel("tensorflow", "2.18.1", "cp310-cp310-win_amd64", ["keras"], **{"core-metadata": {"sha256": "0" * 64}})
    forged = b"Metadata-Version: 2.1\nName: tensorflow\nVersion: 2.18.1\nRequires-Dist: evil\n\n"
    index.files["/files/tensorflow-2.18.1-cp310-cp310-win_amd64.whl.metadata"] = forged

    assert refresh() == 3

    assert "not the file whose sha256 the index gives" in capsys.readouterr().err
    assert not (tmp_path / "releases").exists()


@pytest.mark.parametrize("offered", [True, {"sha256": "0" * 64}], ids=["without a hash", "but missing"])
def test_where_a_sidecar_cannot_be_had_or_checked_the_wheel_itself_is_read(index, refresh, written, offered):
    index.wheel("tensorflow", "2.18.1", "cp310-cp310-win_amd64", ["keras"], **{"core-metadata": offered})
    if offered is True:
        unchecked = b"Metadata-Version: 2.1\nName: tensorflow\nVersion: 2.18.1\nRequires-Dist: evil\n\n"
        index.files["/files/tensorflow-2.18.1-cp310-cp310-win_amd64.whl.metadata"] = unchecked

    assert refresh() == 0

    assert written()["requires"] == [["keras"]]


def page_with(
    filename="tensorflow-2.18.1-cp310-cp310-win_amd64.whl", url="../a.whl", size="5", yanked="", upload_time=""
):
    """A page of one file, each part of it as raw JSON."""
    day = upload_time or "2024-03-01T10:00:00Z"
    return (
        f'{{"files": [{{"filename": "{filename}", "url": "{url}", "hashes": {{"sha256": "{"a" * 64}"}},'
        f' "size": {size}, "upload-time": "{day}", "yanked": "{yanked}"}}]}}'
    ).encode()


PAGE = "/simple/tensorflow/"
WHEEL = "/files/tensorflow-2.18.1-cp310-cp310-win_amd64.whl"


@pytest.mark.parametrize(
    ("path", "fault", "says"),
    [
        (PAGE, 404, "the index has no distribution tensorflow (404)"),
        (PAGE, 403, "answered 403"),
        (PAGE, 429, "answered 429 (5 attempts)"),
        (PAGE, 500, "answered 500 (5 attempts)"),
        (PAGE, 503, "answered 503 (5 attempts)"),
        (PAGE, b"<html>hello</html>", "not an index page"),
        (PAGE, b"\xff\xfe\x00garbage", "not an index page"),
        (PAGE, b"[" * 100_000, "not an index page"),
        (PAGE, b'{"files": null}', "not an index page"),
        (PAGE, b'{"files": [{"filename": "tensorflow-2.18.1.tar.gz"}]}', "not an index page"),
        (PAGE, page_with(yanked="\\ud800"), "not an index page"),
        (PAGE, page_with(filename="tensorflow-2.18.1-cp310-cp310-win_amd64.whl\\udfff"), "not an index page"),
        (PAGE, page_with(upload_time="0001-01-01T00:00:00+23:59"), "not an index page"),
        (PAGE, page_with(upload_time="yesterday"), "not an index page"),
        (PAGE, page_with(size="-1"), "not an index page"),
        (PAGE, page_with(size="1" + "0" * 30), "not an index page"),
        (PAGE, page_with(size="1" + "0" * 5000), "not an index page"),
        (PAGE, page_with(url="file:///etc/passwd"), "not an index page"),
        (PAGE, b'{"files": []}', "no release up to 2026-11-30 worth keeping"),
        (PAGE, "half a body", "half-way (5 attempts)"),
        (WHEEL, 404, "answered 404"),
        (WHEEL, 429, "answered 429 (5 attempts)"),
        (WHEEL, 500, "answered 500 (5 attempts)"),
        (WHEEL, b"garbage", "was sent others"),
        (WHEEL, "half a body", "half-way (5 attempts)"),
        (WHEEL, "other range", "was sent others"),
    ],
    ids=lambda value: str(value)[:24],
)
def test_a_failing_index_is_one_line_and_changes_no_file(index, refresh, tmp_path, capsys, path, fault, says):
    index.wheel("keras", "3.0.0", "py3-none-any")
    index.wheel("tensorflow", "2.18.1", "cp310-cp310-win_amd64")
    index.fail(path, fault, ...)
    standing = tmp_path / "releases" / "keras.toml"
    standing.parent.mkdir()
    standing.write_text("as it was")

    assert refresh(names=["keras", "tensorflow"]) == 3

    out, err = capsys.readouterr()
    (complaint,) = [line for line in err.splitlines() if line.startswith("refresh: ")]
    assert says in complaint
    assert out == ""
    assert [path.name for path in standing.parent.iterdir()] == ["keras.toml"]
    assert standing.read_text() == "as it was"


@pytest.mark.parametrize("fault", [429, 500, 502, "half a body"], ids=str)
@pytest.mark.parametrize("path", [PAGE, WHEEL])
def test_a_passing_failure_is_waited_out(index, refresh, written, waits, path, fault):
    index.wheel("tensorflow", "2.18.1", "cp310-cp310-win_amd64", ["keras"])
    index.fail(path, fault, fault)

    assert refresh() == 0

    assert written()["requires"] == [["keras"]]
    assert waits == ([7, 7] if fault == 429 else [1, 2])


def test_a_server_may_say_by_a_date_when_to_come_back(index, refresh, waits, monkeypatch):
    index.wheel("tensorflow", "2.18.1", "cp310-cp310-win_amd64", ["keras"])
    index.fail(PAGE, 429, 429, 429)
    in_a_moment = dt.datetime.now(dt.timezone.utc) + dt.timedelta(seconds=20)
    dates = iter([format_datetime(in_a_moment, usegmt=True), "Fri, 32 Foo 2026", "Thu, 01 Jan 1970 00:00:00 GMT"])
    monkeypatch.setattr(index, "retry_after", lambda: next(dates))

    assert refresh() == 0

    assert 15 < waits[0] <= 20
    assert waits[1:] == [2, 4]


def test_no_server_makes_it_wait_longer_than_half_a_minute(index, refresh, waits, monkeypatch):
    index.wheel("tensorflow", "2.18.1", "cp310-cp310-win_amd64", ["keras"])
    index.fail(PAGE, 429)
    monkeypatch.setattr(index, "retry_after", lambda: "9" * 400)

    assert refresh() == 0

    assert waits == [30]


def test_brackets_without_end_in_a_marker_are_kept_as_published(index, refresh, written):
    index.wheel("tensorflow", "2.18.1", "cp310-cp310-win_amd64", ["keras; " + "(" * 20_000])

    assert refresh() == 0

    assert written()["requires"] == [["keras; " + "(" * 20_000]]


def test_a_page_longer_than_allowed_is_not_swallowed(index, refresh, capsys, monkeypatch):
    monkeypatch.setattr("refreshing.web.Web.get.__kwdefaults__", {"limit": 1000})
    for minor in range(20):
        index.wheel("tensorflow", f"2.{minor}.0", "cp310-cp310-win_amd64")

    assert refresh() == 3

    assert "more than the 1,000 allowed" in capsys.readouterr().err


def test_a_wheel_that_holds_another_projects_metadata_is_refused(index, refresh, capsys):
    index.add("tensorflow-2.18.1-cp310-cp310-win_amd64.whl", wheel_bytes("keras", "2.18.1"))

    assert refresh() == 3

    assert "not a readable wheel (no METADATA)" in capsys.readouterr().err


def test_an_interrupted_run_resumes_where_it_stopped(index, refresh, written, tmp_path):
    pythons = ("cp38", "cp39", "cp310")
    for python in pythons:
        index.wheel("tensorflow", "2.13.0", f"{python}-{python}-win_amd64", [f"only-{python}"])
    broken = "/files/tensorflow-2.13.0-cp310-cp310-win_amd64.whl"
    index.fail(broken, 500, ...)
    assert refresh("--cache", tmp_path / "cache") == 3
    assert not (tmp_path / "releases").exists()

    index.faults.clear()
    index.asked.clear()
    assert refresh("--cache", tmp_path / "cache") == 0

    assert broken in index.paths()
    assert len(set(index.paths()) - {PAGE}) < len(pythons)
    assert written()["requires"] == [["only-cp38"], ["only-cp39"], ["only-cp310"]]


def test_once_one_wheel_has_failed_for_good_the_others_are_not_tried_again(index, tmp_path, monkeypatch):
    @contextlib.contextmanager
    def patient(**options):
        with web(**options) as connection:
            yield dataclasses.replace(connection, pause=lambda stop, _seconds: stop.wait(5))

    monkeypatch.setattr(refreshing.cli, "web", patient)
    gone, faltering = (f"/files/tensorflow-2.13.0-{python}-{python}-win_amd64.whl" for python in ("cp39", "cp310"))
    for python in ("cp39", "cp310"):
        index.wheel("tensorflow", "2.13.0", f"{python}-{python}-win_amd64")
    index.fail(gone, 404, ...)
    index.fail(faltering, 500, ...)

    code = refreshing.cli.main(["--index", index.url, "--out", str(tmp_path), "--only", "tensorflow"])

    assert code == 3
    assert index.paths().count(gone) == 1
    assert index.paths().count(faltering) <= 1


def test_with_everything_remembered_only_the_page_is_asked_and_answers_not_modified(index, refresh, tmp_path):
    index.etags = True
    index.wheel("tensorflow", "2.18.1", "cp310-cp310-win_amd64", ["keras"])
    assert refresh("--cache", tmp_path / "cache") == 0
    first = (tmp_path / "releases" / "tensorflow.toml").read_bytes()
    index.asked.clear()
    index.sent = 0

    assert refresh("--cache", tmp_path / "cache") == 0

    assert index.paths() == [PAGE]
    assert index.sent == 0
    assert (tmp_path / "releases" / "tensorflow.toml").read_bytes() == first


def test_a_damaged_memory_is_read_anew(index, refresh, written, tmp_path):
    index.etags = True
    index.wheel("tensorflow", "2.18.1", "cp310-cp310-win_amd64", ["keras"])
    assert refresh("--cache", tmp_path / "cache") == 0
    for entry in (tmp_path / "cache").rglob("*"):
        if entry.is_file():
            entry.write_bytes(entry.read_bytes()[:-3])

    assert refresh("--cache", tmp_path / "cache") == 0

    assert written()["requires"] == [["keras"]]


def test_a_file_that_cannot_be_written_is_a_line_not_a_traceback(index, refresh, capsys, tmp_path):
    index.wheel("tensorflow", "2.18.1", "cp310-cp310-win_amd64")
    (tmp_path / "file").write_text("in the way")

    assert refresh(out=tmp_path / "file" / "releases") == 3

    assert "cannot be written" in capsys.readouterr().err


def test_a_file_that_cannot_take_its_place_leaves_no_other_behind(index, refresh, capsys, tmp_path):
    index.wheel("tensorflow", "2.18.1", "cp310-cp310-win_amd64")
    (tmp_path / "releases" / "tensorflow.toml" / "a folder").mkdir(parents=True)

    assert refresh() == 3

    assert "cannot be written" in capsys.readouterr().err
    assert [path.name for path in (tmp_path / "releases").iterdir()] == ["tensorflow.toml"]


def test_an_unreadable_file_is_replaced_and_told_of(index, refresh, written, capsys, tmp_path):
    index.wheel("tensorflow", "2.18.1", "cp310-cp310-win_amd64")
    (tmp_path / "releases").mkdir()
    (tmp_path / "releases" / "tensorflow.toml").write_text("name = [")

    assert refresh() == 0

    assert "not a release file; replaced" in capsys.readouterr().err
    assert versions(written()) == ["2.18.1"]


@pytest.mark.parametrize(
    "arguments", [["--only", "flask"], ["--as-of", "yesterday"], ["--attempts", "0"], ["--diff", "one"]], ids=str
)
def test_wrong_usage_ends_with_2_before_anything_is_asked(index, arguments):
    with pytest.raises(SystemExit) as ended:
        raise SystemExit(refreshing.cli.main(["--index", index.url, *arguments]))

    assert ended.value.code == 2
    assert index.asked == []


def test_the_script_runs_from_anywhere(index, tmp_path):
    index.wheel("tensorflow", "2.18.1", "cp310-cp310-win_amd64")

    run = subprocess.run(
        [sys.executable, SCRIPTS / "refresh", "--index", index.url, "--out", "here", "--only", "tensorflow"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (run.returncode, run.stderr) == (0, "tensorflow: 1 releases, 1 wheels\n")
    assert run.stdout == "tensorflow: followed from now on; 1 releases, newest 2.18.1\n"
    assert (tmp_path / "here" / "tensorflow.toml").is_file()
    assert os.access(SCRIPTS / "refresh", os.X_OK)


def test_ctrl_c_ends_with_130_and_leaves_nothing(index, tmp_path):
    index.wheel("tensorflow", "2.18.1", "cp310-cp310-win_amd64")
    index.fail(WHEEL, "stall", ...)
    command = [sys.executable, SCRIPTS / "refresh", "--index", index.url, "--out", "here", "--only", "tensorflow"]

    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as run:
        limit = time.monotonic() + 120
        while WHEEL not in index.paths() and time.monotonic() < limit:
            time.sleep(0.02)
        run.send_signal(signal.SIGINT)
        _, err = run.communicate(timeout=20)

    assert (run.returncode, err) == (130, "refresh: interrupted, no file was changed\n")
    assert list(tmp_path.iterdir()) == []
