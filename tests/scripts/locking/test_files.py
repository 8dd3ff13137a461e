"""matrices/files: the tables of single wheels, and the heads of locks that follow from them."""

import json
import re
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from compat.matrix.wheel_urls import wheel_urls
from tests.probe.machobuilder import Binary
from tests.scripts.locking.test_binaries import archive, server, session  # noqa: F401 - fixtures

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "scripts"))

from locking import check, files, minimum
from locking.binaries import Binary as Said
from locking.binaries import Measured
from locking.index import Index
from locking.records import Lock, LockingError, Package, Target
from locking.text import lock_text

TENSORFLOW = "tensorflow-2.18.1-cp312-cp312-macosx_12_0_arm64.whl"
PURE = "six-1.17.0-py2.py3-none-any.whl"
TARGET = Target(platform="macos-arm64", python="3.12", distribution="tensorflow", tensorflow="2.18.1")


def place(file):
    digest = sha256(file.encode()).hexdigest()
    return f"{digest[:2]}/{digest[2:4]}/{digest[4:]}"


@pytest.fixture
def tree(tmp_path, server, session):  # noqa: F811
    """A matrix of one lock, whose index is the server: PyPI's addresses, answered from here."""
    contents = {
        TENSORFLOW: archive({"t/a.so": Binary(minimum=(12, 0, 0)).build(), "t/b.dylib": Binary(minimum=(13, 3, 0)).build()}),
        PURE: archive({"six.py": b"x = 1"}),
    }  # fmt: skip
    server.files.update(contents)
    direct = session.request

    def request(method, url, **rest):
        return direct(method, url.replace("https://files.pythonhosted.org", server.url), **rest)

    session.request = request
    return Tree(tmp_path, contents, session)


class Tree:
    def __init__(self, folder, contents, session):  # noqa: F811
        self.folder, self.session, self.pages, self.gone = folder, session, [], set()
        self.hashes = {file: sha256(content).hexdigest() for file, content in contents.items()}
        self.sizes = {file: len(content) for file, content in contents.items()}
        self.out = folder / "matrices" / "files"
        self.write("12.0")

    @property
    def lock(self):
        return self.folder / "matrices" / "locks" / "macos-arm64" / f"{TARGET.name}.toml"

    def write(self, macos):
        packages = tuple(
            Package(name=name, version=version, file=file, sha256=self.hashes[file], size=self.sizes[file])
            for name, version, file in (("six", "1.17.0", PURE), ("tensorflow", "2.18.1", TENSORFLOW))
        )
        self.lock.parent.mkdir(parents=True, exist_ok=True)
        made = Lock(
            target=TARGET, minimum_macos=macos, glibc=None, repairs=(), tier="installs", exclude_newer="2026-11-30",
            uv="0.13.9", command="uv", packages=packages,
        )  # fmt: skip
        self.lock.write_text(lock_text(made))

    def page(self, url):
        self.pages.append(url)
        name = url.rstrip("/").rpartition("/")[2]
        rows = [
            {"filename": file, "hashes": {"sha256": self.hashes[file]}, "size": self.sizes[file], "yanked": False,
             "upload-time": "2026-01-01T00:00:00Z", "url": f"{files.BASE}/{place(file)}/{file}"}
            for file in self.hashes if file.startswith(name) and file not in self.gone
        ]  # fmt: skip
        return json.dumps({"files": rows})

    def measure(self):
        index = Index(self.folder / "state" / "index", fetch=self.page)
        locks, state = self.folder / "matrices" / "locks", self.folder / "state"
        return list(files.measure(locks, state, self.out, index=index, session=self.session))

    def problems(self):
        facts = check.WheelFacts.read(self.out)
        return list(facts.problems(check.read_lock(self.lock)))

    def macos(self):
        return re.search(r'(?m)^minimum_macos = "(.*)"$', self.lock.read_text())[1]


def test_a_binary_that_needs_more_than_its_tag_raises_the_locks_head_and_is_named(tree, capsys):
    before = tree.lock.read_text()

    assert tree.measure() == []

    assert tree.macos() == "13.3"
    assert tree.lock.read_text() == before.replace('minimum_macos = "12.0"', 'minimum_macos = "13.3"')
    assert f"macos-arm64/{TARGET.name}.toml: macOS 12.0 -> 13.3" in capsys.readouterr().err
    assert tree.problems() == []
    row = (tree.out / "macos.toml").read_text()
    assert 'minimum = { arm64 = "13.3" }, asked_by = { arm64 = "t/b.dylib" }, above_tag = ["arm64"]' in row
    assert "binaries = 2" in row


@pytest.mark.parametrize("macos", ["13.3", "14.0"])
def test_a_head_that_says_enough_stays_as_it_is(tree, capsys, macos):
    tree.write(macos)
    before = tree.lock.read_text()

    assert tree.measure() == []

    assert tree.lock.read_text() == before
    assert "->" not in capsys.readouterr().err


def test_the_address_of_every_wheel_is_kept_as_the_matrix_reads_it(tree):
    tree.measure()

    assert wheel_urls(tree.folder / "matrices") == {
        file: f"https://files.pythonhosted.org/packages/{place(file)}/{file}" for file in (PURE, TENSORFLOW)
    }


def test_a_second_run_asks_nobody_and_writes_the_same_bytes(tree, server):  # noqa: F811
    tree.measure()
    first = {path.name: path.read_bytes() for path in tree.out.iterdir()}
    asked, pages = server.requests, len(tree.pages)

    assert tree.measure() == []

    assert {path.name: path.read_bytes() for path in tree.out.iterdir()} == first
    assert (server.requests, len(tree.pages)) == (asked, pages)


def test_a_wheel_that_its_page_no_longer_names_is_told_after_the_page_was_read_anew(tree):
    tree.measure()
    kept = tree.folder / "state" / "index" / "six.json"
    kept.write_text(json.dumps({"files": []}))
    tree.pages.clear()

    assert tree.measure() == []
    assert [url for url in tree.pages if "six" in url] == tree.pages
    assert len(tree.pages) == 1

    tree.gone.add(PURE)
    kept.write_text(json.dumps({"files": []}))
    assert tree.measure() == [f"{PURE}: the index's page of six no longer names it"]
    assert any(PURE in problem for problem in tree.problems())


def test_a_wheel_that_cannot_be_read_is_told_and_the_others_are_measured(tree, server):  # noqa: F811
    server.files[TENSORFLOW] = b"no zip" * 100

    (problem,) = tree.measure()

    assert problem.startswith(f"{TENSORFLOW}: ")
    assert any("not measured" in one for one in tree.problems())


@pytest.mark.parametrize(
    ("table", "old", "new", "complaint"),
    [
        ("macos.toml", '"13.3"', '"14.1"', "a binary needs macOS 14.1, the lock says 13.3"),
        ("macos.toml", 'sha256 = "', 'sha256 = "0', f"{TENSORFLOW} is not measured in files/macos.toml"),
        ("urls.toml", '"six-', '"sox-', f"{PURE} is not in files/urls.toml"),
    ],
)
def test_the_check_sees_what_the_tables_lack(tree, table, old, new, complaint):
    tree.measure()
    path = tree.out / table
    path.write_text(path.read_text().replace(old, new))

    assert tree.problems() == [complaint]


def test_a_missing_table_is_one_problem(tree):
    locks = tree.folder / "matrices" / "locks"
    repairs = tree.folder / "repairs.toml"
    repairs.write_text("")

    told = [one for one in check.problems(locks, repairs) if one.startswith("files/")]

    assert len(told) == 1
    assert told[0].endswith("run `scripts/locks --binaries`")


def test_a_new_lock_starts_with_what_was_measured(tree):
    tree.measure()
    links = tree.folder / "matrices" / "links"

    assert minimum.lock_minimum(TARGET, [TENSORFLOW, PURE], links) == "13.3"
    assert minimum.resolution_minimum(TARGET, links) == "13.3"
    assert minimum.lock_minimum(TARGET, [TENSORFLOW.replace("12_0", "14_0")], links) == "14.0"


@pytest.mark.parametrize(
    ("said", "locked"), [("12.3", (12, 3)), ("12.0.1", (12, 1)), ("11.0.0", (11, 0)), ("14", (14, 0))]
)
def test_a_patch_level_is_rounded_up_never_down(said, locked):
    assert minimum.rounded(said) == locked


@pytest.mark.parametrize(
    ("file", "arch", "minimums", "above"),
    [
        ("p-1-cp312-cp312-macosx_10_9_universal2.whl", "arm64", (11, 0, 0), False),
        ("p-1-cp312-cp312-macosx_10_9_universal2.whl", "arm64", (12, 0, 0), True),
        ("p-1-cp312-cp312-macosx_10_9_x86_64.whl", "x86_64", (10, 13, 0), True),
        ("p-1-cp312-cp312-macosx_12_0_arm64.whl", "arm64", (12, 0, 0), False),
    ],
    ids=["no Mac with an M chip is older than 11", "above it", "Intel", "as tagged"],
)
def test_only_what_asks_for_more_than_the_tag_is_marked(tree, file, arch, minimums, above):
    name = f"{minimums[0]}.{minimums[1]}"
    binary = Said(member="m.so", architecture=arch, minimum_macos=name)
    one = Measured(file=file, sha256="a" * 64, binaries=(binary,), fetched=1, size=1)

    assert ("above_tag" in files.macos_text([one])) == above


def test_a_place_that_is_not_pypis_is_refused():
    with pytest.raises(LockingError, match="is not where PyPI keeps files"):
        files.folder("p-1-py3-none-any.whl", "https://mirror.example/p-1-py3-none-any.whl")
    with pytest.raises(LockingError):
        files.folder("p-1-py3-none-any.whl", f"{files.BASE}/{place('x')}/q-1-py3-none-any.whl")
