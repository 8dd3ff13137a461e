"""The contract of the script that runs in foreign interpreters, held by running it in real ones."""

import ast
import dataclasses
import json
import os
import runpy
import subprocess
import sys
import types
from pathlib import Path

import pytest

import compat.probe
from compat.facts.codec import decode
from compat.facts.environment import Distribution, Environment, PluginFile
from compat.facts.interpreter import Interpreter
from tests.probe.sites import install, make_venv, pythons

SCRIPT = Path(compat.probe.__file__).parent / "scripts" / "interpreter.py"
SOURCE = SCRIPT.read_text(encoding="utf-8")
VERSIONS = ("3.8", "3.9", "3.10", "3.11", "3.12", "3.13")
COOKIE = "0123456789abcdef"


def ask(interpreter, *arguments, **variables):
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "TF_"))}
    done = subprocess.run(
        [str(interpreter), "-I", "-S", "-B", str(SCRIPT), "--cookie", COOKIE, *arguments],
        env=clean | {key: str(value) for key, value in variables.items()},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return json.loads(done.stdout.split(COOKIE)[1])


def environment(interpreter, *arguments, **variables):
    return decode(Environment, ask(interpreter, *arguments, **variables)["environment"])


@pytest.fixture(scope="module")
def venv(tmp_path_factory):
    return make_venv(tmp_path_factory.mktemp("one") / "env", f"{sys.version_info[0]}.{sys.version_info[1]}")


@pytest.fixture
def site(venv):
    """An empty site directory: what a test lays down is gone after it."""
    kept = {path.name for path in venv[1].iterdir()}
    yield venv[1]
    for name in {path.name for path in venv[1].iterdir()} - kept:
        subprocess.run(["rm", "-rf", str(venv[1] / name)], check=True)


def test_only_sys_is_imported_before_the_version_gate():
    body = ast.parse(SOURCE).body
    gate = next(
        at for at, node in enumerate(body) if isinstance(node, ast.If) and "version_info" in ast.dump(node.test)
    )
    before = [alias.name for node in body[:gate] for alias in getattr(node, "names", ())]

    assert before == ["sys"]


@pytest.mark.parametrize("floor", [(3, 4), (3, 8), (3, 14)])
def test_it_parses_on_every_python_that_can_reach_the_gate(floor):
    ast.parse(SOURCE, feature_version=floor)


def test_it_holds_no_f_string_which_python_3_4_could_not_even_refuse():
    assert not [
        node for node in ast.walk(ast.parse(SOURCE)) if isinstance(node, (ast.JoinedStr, ast.NamedExpr, ast.AnnAssign))
    ]


@pytest.mark.skipif(sys.platform == "darwin", reason="mac_ver() and Rosetta need platform and ctypes there")
def test_slow_modules_stay_out_of_an_ordinary_look(venv):
    run_it = f"import sys, site; site.main(); sys.argv = ['x', '--cookie', 'c']; exec(open({str(SCRIPT)!r}).read())"
    listing = "; print(sorted(sys.modules), file=sys.stderr)"
    done = subprocess.run(
        [str(venv[0]), "-I", "-S", "-c", run_it + listing], capture_output=True, text=True, check=True
    )
    loaded = set(ast.literal_eval(done.stderr.strip().splitlines()[-1]))

    assert "sysconfig" in loaded  # it has run
    assert not loaded & {"json", "email", "re", "pathlib", "importlib.metadata", "platform", "argparse", "typing"}


@pytest.mark.parametrize("told", [(2, 7, 18), (3, 4, 10), (3, 7, 17)])
def test_a_version_below_the_floor_is_a_known_problem_and_exits_0(told, venv):
    pretend = f"import sys; sys.version_info = {told!r}; sys.argv = ['x', '--cookie', {COOKIE!r}]; exec(open({str(SCRIPT)!r}).read())"
    done = subprocess.run([str(venv[0]), "-I", "-c", pretend], capture_output=True, text=True, check=True)

    answer = json.loads(done.stdout.split(COOKIE)[1])
    assert answer == {"result": "error", "kind": "too-old", "detail": ".".join(str(part) for part in told)}


def test_real_old_pythons_where_there_are_any_reach_the_gate():
    old = [path for version, path in pythons().items() if version in {"3.4", "3.5", "3.6", "3.7"}]

    assert [ask(path)["kind"] for path in old] == ["too-old"] * len(old)


@pytest.mark.parametrize("version", VERSIONS)
def test_every_supported_python_answers_with_the_keys_of_the_records(version, tmp_path):
    interpreter, site = make_venv(tmp_path / "env", version)
    install(site, "numpy", "1.26.4", requires=["a", "b; extra == 'x'"], headers="Requires-Python: >=3.9\n")
    plugin = "tensorflow-plugins/libmetal_plugin.so"
    install(site, "tensorflow-metal", "1.2.0", files=[plugin])

    answer = ask(interpreter)

    keys = {field.name for field in dataclasses.fields(Interpreter)}
    assert keys - set(answer["interpreter"]) == {"architectures", "origin"}  # read off the file, outside
    assert set(answer["interpreter"]) <= keys
    assert set(answer["environment"]) <= {field.name for field in dataclasses.fields(Environment)}
    for item in answer["environment"]["distributions"]:
        assert set(item) <= {field.name for field in dataclasses.fields(Distribution)}
    assert [set(item) for item in answer["environment"]["plugins"]] == [
        {field.name for field in dataclasses.fields(PluginFile)} - {"link_proof"}
    ]
    told = decode(Interpreter, answer["interpreter"])
    found = decode(Environment, answer["environment"])
    assert told.version.startswith(version + ".")
    assert (told.implementation, told.abi) == ("cpython", "cp" + version.replace(".", ""))
    assert (told.prefix, found.kind, found.path) == (str(tmp_path / "env"), "venv", str(tmp_path / "env"))
    assert found.distribution("numpy") == Distribution(
        name="numpy", version="1.26.4", location=str(site), installer="pip", requires=("a", "b; extra == 'x'"),
        requires_python=">=3.9", wheel_tags=("cp311-cp311-macosx_12_0_arm64",),
    )  # fmt: skip
    assert found.plugins[0].owners == ("tensorflow-metal==1.2.0",)


@pytest.mark.parametrize("version", VERSIONS)
def test_it_agrees_with_pythons_own_importlib_metadata(version, tmp_path):
    interpreter, site = make_venv(tmp_path / "env", version)
    for name, release in [("Foo.Bar_baz", "1.0"), ("tensorflow", "2.18.1"), ("a", "0.dev1+local")]:
        install(site, name, release, headers="Classifier: X\nLicense: line one\n        line two\n\tline three\n")
    listing = (
        "import importlib.metadata as m; print(sorted((d.metadata['Name'], d.version) for d in m.distributions()))"
    )
    done = subprocess.run([str(interpreter), "-I", "-c", listing], capture_output=True, text=True, check=True)

    found = environment(interpreter)

    expected = ast.literal_eval(done.stdout)
    assert sorted((item.name, item.version) for item in found.distributions) == sorted(
        (name.lower().replace(".", "-").replace("_", "-"), version) for name, version in expected
    )


@pytest.mark.parametrize(
    "damage, problem, version",
    [
        (b"Metadata-Version: 2.1\nName: numpy\nVersion: 1.2", "METADATA is cut short", "1.26.4"),
        (b"", "METADATA is empty", "1.26.4"),
        (b"\0" * 4096, "METADATA is empty", "1.26.4"),
        (b"Name: numpy\nVersion: 1.26.4\nAuthor: J\xfcrgen\n\nbody\n", "METADATA is not UTF-8", "1.26.4"),
        (b"Name: numpy\n\nbody\n", "METADATA has no Version", "1.26.4"),
        (b"Version: 1.26.4\n\nbody\n", "METADATA has no Name", "1.26.4"),
        (None, "METADATA cannot be read: No such file or directory", "1.26.4"),
    ],
    ids=["cut-short", "empty", "zeros", "latin-1", "no-version", "no-name", "missing"],
)
def test_damaged_metadata_is_a_problem_of_that_distribution_named_by_its_folder(venv, site, damage, problem, version):
    folder = install(site, "numpy", "1.26.4")
    install(site, "healthy", "1.0")
    (folder / "METADATA").unlink() if damage is None else (folder / "METADATA").write_bytes(damage)

    found = environment(venv[0])

    assert (found.distribution("numpy").problem, found.version("numpy")) == (problem, version)
    assert found.distribution("healthy").problem is None


def test_windows_line_ends_and_long_headers_are_read_to_the_blank_line(venv, site):
    folder = install(site, "numpy", "1.26.4")
    classifiers = b"".join(b"Classifier: number %d\r\n" % at for at in range(9000))
    text = b"Name: numpy\r\nVersion: 1.26.4\r\n" + classifiers + b"Requires-Dist: last\r\n\r\nRequires-Dist: body\r\n"
    (folder / "METADATA").write_bytes(text)

    assert environment(venv[0]).distribution("numpy").requires == ("last",)


def test_a_missing_record_is_a_fact(venv, site):
    install(site, "numpy", "1.26.4", record=False)

    assert environment(venv[0]).distribution("numpy").has_record is False


def test_two_versions_of_one_distribution_in_one_folder_are_duplicates(venv, site):
    install(site, "Typing_Extensions", "4.5.0")
    install(site, "typing-extensions", "4.12.2")
    install(site, "six", "1.16.0")

    assert environment(venv[0]).duplicates == ("typing-extensions",)


def test_one_folder_under_two_names_is_read_once(venv, site, tmp_path):
    install(site, "numpy", "1.26.4")
    (tmp_path / "again").symlink_to(site)

    assert [item.name for item in environment(venv[0], PYTHONPATH=tmp_path / "again").distributions] == ["numpy"]


def test_what_an_interrupted_pip_leaves_is_a_leftover_and_no_distribution(venv, site):
    install(site, "~ensorflow", "2.13.0")

    found = environment(venv[0])

    assert [Path(item).name for item in found.leftovers] == ["~ensorflow-2.13.0.dist-info"]
    assert found.distributions == ()


def test_terminal_escapes_in_names_and_versions_are_defused(venv, site):
    folder = install(site, "evil", "1.0")
    (folder / "METADATA").write_bytes(b"Name: ev\x1b[31mil\nVersion: 1.0\x07\nRequires-Dist: x\x1b]0;t\x07\n\n")

    (item,) = environment(venv[0]).distributions

    assert (item.name + item.version + "".join(item.requires)).isprintable()


def test_credentials_of_a_direct_url_do_not_leave_the_interpreter(venv, site):
    folder = install(site, "mine", "1.0")
    url = {"url": "https://user:s3cret@git.example/x/mine.git", "vcs_info": {"vcs": "git", "commit_id": "abc"}}
    (folder / "direct_url.json").write_text(json.dumps(url), encoding="utf-8")

    assert environment(venv[0]).distribution("mine").direct_url == "git+https://***@git.example/x/mine.git@abc"


def test_a_broken_direct_url_is_none(venv, site):
    (install(site, "mine", "1.0") / "direct_url.json").write_text('{"url": ', encoding="utf-8")

    assert environment(venv[0]).distribution("mine").direct_url is None


@pytest.mark.parametrize(
    "files, gone, provides, complete",
    [
        (["tensorflow/__init__.py"], False, True, True),
        (["tensorflow/__init__.py"], True, True, False),
        (["tensorflow_macos/__init__.py", "other/tensorflow/__init__.py"], False, False, None),
    ],
    ids=["body", "body-deleted", "shell"],
)
def test_a_tensorflow_is_told_from_a_shell_by_its_record(venv, site, files, gone, provides, complete):
    install(site, "tensorflow", "2.16.2", files=files)
    if gone:
        (site / files[0]).unlink()

    item = environment(venv[0]).distribution("tensorflow")

    assert (item.provides_top_level, item.record_complete) == (provides, complete)


def test_a_plugin_file_of_two_distributions_has_two_owners_and_one_of_nobody_none(venv, site):
    shared = "tensorflow-plugins/libmetal_plugin.so"
    install(site, "tensorflow-metal", "1.2.0", files=[shared])
    install(site, "tensorflow-metal-plugin", "0.4.1", files=[shared, "tensorflow-plugins/notes.txt"])
    (site / "tensorflow-plugins/stray.so.2").write_bytes(b"")

    owners = {Path(item.path).name: item.owners for item in environment(venv[0]).plugins}

    assert owners == {
        "libmetal_plugin.so": ("tensorflow-metal==1.2.0", "tensorflow-metal-plugin==0.4.1"),
        "stray.so.2": (),
    }


def test_a_folder_named_site_packages_on_pythonpath_is_scanned_and_another_is_not(venv, site, tmp_path):
    inside, outside = tmp_path / "x/site-packages", tmp_path / "plain"
    for folder in (inside, outside):
        install(folder, f"dist-{folder.name}", "1.0", files=["tensorflow-plugins/libx.so"])

    found = environment(venv[0], PYTHONPATH=f"{inside}{os.pathsep}{outside}")

    assert [item.site for item in found.plugins] == [str(inside)]
    assert {item.location for item in found.distributions} == {str(inside), str(outside)}


@pytest.mark.parametrize("as_file", [True, False], ids=["file", "folder"])
def test_the_variable_that_names_a_plugin_is_followed(venv, site, tmp_path, as_file):
    library = tmp_path / "mine" / "libx.so"
    library.parent.mkdir()
    library.write_bytes(b"")

    (item,) = environment(venv[0], TF_PLUGGABLE_DEVICE_LIBRARY_PATH=library if as_file else library.parent).plugins

    assert (item.path, item.from_variable) == (str(library), True)


def user_site(interpreter, home):
    clean = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    asked = "import site; print(site.getusersitepackages(), bool(site.ENABLE_USER_SITE))"
    done = subprocess.run(
        [str(interpreter), "-c", asked], capture_output=True, text=True, check=True, env=clean | {"HOME": str(home)}
    )
    folder, _, enabled = done.stdout.strip().rpartition(" ")
    return Path(folder), enabled == "True"


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("options", [(), ("--system-site-packages",)], ids=["closed", "open"])
def test_the_user_site_is_seen_exactly_where_an_ordinary_run_sees_it(version, options, tmp_path):
    interpreter, _ = make_venv(tmp_path / "env", version, *options)
    folder, enabled = user_site(interpreter, tmp_path)
    install(folder, "tensorflow-metal", "1.2.0", files=["tensorflow-plugins/libmetal_plugin.so"])
    linked = tmp_path / "elsewhere"
    install(linked, "through-pth", "1.0")
    (folder / "more.pth").write_text(
        f"# a comment\nimport nothing_at_all\n{linked}\n/does/not/exist\n", encoding="utf-8"
    )

    answer = ask(interpreter, HOME=tmp_path)
    found = decode(Environment, answer["environment"])

    assert answer["interpreter"]["user_site_enabled"] is enabled is bool(options)
    assert answer["interpreter"]["user_site"] == str(folder)
    assert [item.from_user_site for item in found.plugins] == [True] * enabled
    assert (found.version("through-pth") == "1.0") is enabled


def test_pythonnousersite_switches_the_user_site_off(tmp_path):
    interpreter, _ = make_venv(
        tmp_path / "env", f"{sys.version_info[0]}.{sys.version_info[1]}", "--system-site-packages"
    )
    folder, _ = user_site(interpreter, tmp_path)
    install(folder, "mine", "1.0")

    assert environment(interpreter, HOME=tmp_path).version("mine") == "1.0"
    assert environment(interpreter, HOME=tmp_path, PYTHONNOUSERSITE="1").version("mine") is None


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("options", [(), ("--system-site-packages",)], ids=["closed", "open"])
def test_the_derived_path_is_the_path_of_an_ordinary_run_in_its_order(version, options, tmp_path):
    interpreter, site = make_venv(tmp_path / "env", version, *options)
    folder, _ = user_site(interpreter, tmp_path)
    for place in (tmp_path / "extra", tmp_path / "linked", tmp_path / "own", site.parent / "beside", folder):
        place.mkdir(parents=True)
    (folder / "more.pth").write_text(f"{tmp_path / 'linked'}\n", encoding="utf-8")
    (site / "own.pth").write_text(f"../beside\n{tmp_path / 'own'}\nimport sys\n{tmp_path / 'own'}\n", encoding="utf-8")
    (site / "other.pth").write_text(f"\n{tmp_path / 'own'}  \n", encoding="utf-8")
    clean = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    clean |= {"HOME": str(tmp_path), "PYTHONPATH": str(tmp_path / "extra")}
    isolated = (
        f"__name__ = 'looked at'; exec(open({str(SCRIPT)!r}).read()); enter_environment(); print(ordinary_path())"
    )
    ordinary = "import os, sys; print([entry for entry in sys.path[1:] if os.path.isdir(entry)])"

    derived, true = (
        subprocess.run([str(interpreter), *argv], capture_output=True, text=True, check=True, env=clean).stdout
        for argv in (["-I", "-S", "-c", isolated], ["-c", ordinary])
    )

    assert ast.literal_eval(derived) == ast.literal_eval(true)
    assert str(tmp_path / "extra") in derived
    assert (str(tmp_path / "linked") in derived) is bool(options)


def test_pkg_resources_is_seen_by_its_file(venv, site):
    (site / "pkg_resources").mkdir()
    assert environment(venv[0]).has_pkg_resources is False
    (site / "pkg_resources/__init__.py").write_text("", encoding="utf-8")

    assert environment(venv[0]).has_pkg_resources is True


def test_conda_is_told_by_its_records_and_owns_what_they_name(venv, site):
    prefix = venv[0].parent.parent
    install(site, "numpy", "1.26.4")
    install(site, "six", "1.16.0", installer="conda")
    install(site, "tensorflow", "2.16.2")
    (prefix / "conda-meta").mkdir()
    (prefix / "conda-meta/numpy-1.26.4-py311_0.json").write_text("{}", encoding="utf-8")

    found = environment(venv[0])
    subprocess.run(["rm", "-rf", str(prefix / "conda-meta")], check=True)

    assert (found.kind, found.conda_prefix) == ("conda", str(prefix))
    assert {item.name: item.conda for item in found.distributions} == {"numpy": True, "six": True, "tensorflow": False}


def test_a_folder_that_cannot_be_listed_is_named(venv, tmp_path):
    loop = tmp_path / "loop"  # permissions would not stop root
    loop.symlink_to(loop)

    assert environment(venv[0], PYTHONPATH=loop).unreadable == (str(loop),)


def test_a_target_folder_is_read_with_the_other_systems_library_names(tmp_path):
    files = ["tensorflow-plugins/libmetal_plugin.dylib", "tensorflow-plugins/linux.so"]
    install(tmp_path, "tensorflow-metal", "1.2.0", files=files)

    found = environment(sys.executable, "--target", str(tmp_path), "--system", "macos")

    assert (found.kind, found.path) == ("target", str(tmp_path))
    assert environment(
        sys.executable, "--target", str(tmp_path), "--system", "linux", TF_PLUGGABLE_DEVICE_LIBRARY_PATH=SCRIPT
    ).plugins == (PluginFile(path=str(tmp_path / files[1]), site=str(tmp_path), owners=("tensorflow-metal==1.2.0",)),)
    assert [Path(item.path).name for item in found.plugins] == ["libmetal_plugin.dylib"]
    assert [item.name for item in found.distributions] == ["tensorflow-metal"]


def test_a_target_that_is_not_there_is_a_known_problem(tmp_path):
    answer = ask(sys.executable, "--target", str(tmp_path / "gone"), "--system", "macos")

    assert (answer["result"], answer["kind"]) == ("error", "crashed")
    assert "FileNotFoundError" in answer["detail"]


@pytest.mark.parametrize(
    "code, value, expected", [(0, 1, True), (0, 0, False), (-1, 0, False)], ids=["rosetta", "native", "intel"]
)
def test_on_a_mac_translation_is_asked_of_the_kernel_in_process(monkeypatch, code, value, expected):
    def sysctlbyname(name, found, size, *_):
        assert name == b"sysctl.proc_translated"
        found._obj.value = value
        return code

    functions = runpy.run_path(str(SCRIPT), run_name="looked at")
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr("ctypes.CDLL", lambda _: types.SimpleNamespace(sysctlbyname=sysctlbyname))

    assert functions["translated"]() is expected


def test_on_a_mac_what_cannot_be_asked_is_unknown_with_the_reason(monkeypatch):
    functions = runpy.run_path(str(SCRIPT), run_name="looked at")
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr("ctypes.CDLL", lambda _: types.SimpleNamespace())
    monkeypatch.setattr("platform.mac_ver", lambda: ("", ("", "", ""), ""))

    assert "sysctlbyname" in functions["translated"]()["unknown"]
    assert functions["macos_reported"]() == {"unknown": "platform.mac_ver() is empty"}


def test_an_old_egg_info_file_is_a_distribution_too(venv, site):
    (site / "oldstyle-1.5.egg-info").write_text(
        "Metadata-Version: 1.0\nName: oldstyle\nVersion: 1.5\n", encoding="utf-8"
    )

    assert environment(venv[0]).version("oldstyle") == "1.5"
