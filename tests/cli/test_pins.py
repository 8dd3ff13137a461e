"""`tfcompat-pins` and `tfcompat pins`: one function, its settings, its formats, what it mends."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import compat
from compat.cli import hook
from compat.errors import UsageError

BAD = "tensorflow==2.18.1\ntensorflow-metal==1.1.0\nsetuptools<82\n"
"""A pair that cannot load."""
OPEN = "tensorflow>=2.16\ntensorflow-metal\nsetuptools<82\n"
"""What would be taken today cannot load: a warning."""
GOOD = "tensorflow==2.18.1\ntensorflow-metal==1.2.0\nsetuptools<82\n"


@pytest.fixture(autouse=True)
def project(tmp_path, monkeypatch):
    """The current folder, for every test: what they put down is not put into the checkout."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def run(capsys):
    """Run the hook in a project folder, without its remarks; return its exit code, stdout and the lines of stderr."""

    def go(*words, severity="warning"):
        capsys.readouterr()
        words = [*words, *(["--severity", severity] if severity else [])]
        code = hook.main([str(word) for word in words])
        out = capsys.readouterr()
        assert "Traceback" not in out.err
        return int(code), out.out, out.err.splitlines()

    return go


def put(name, text):
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_bytes(text.encode())
    return name


def text_of(name):
    return Path(name).read_bytes().decode()


def ids(result):
    return [line.split(": ")[1].split()[0] for line in result[1].splitlines()]


def test_an_error_is_exit_code_1_a_warning_is_not(run):
    assert run(put("requirements.txt", GOOD)) == (0, "", [])
    assert ids(run(put("requirements.txt", BAD))) == ["PIN501"]
    assert run("requirements.txt")[0] == 1
    assert (run(put("requirements.txt", OPEN))[0], ids(run("requirements.txt"))) == (0, ["PIN502"])
    assert run("requirements.txt", "--strict")[0] == 1


def test_remarks_are_told_unless_they_are_not_wanted(run):
    put("requirements.txt", GOOD)

    assert run("requirements.txt", severity=None)[0] == 0
    remarks = run("requirements.txt", severity=None)
    assert "PIN506" in ids(remarks)
    assert remarks == run("requirements.txt", severity="info")
    assert run("requirements.txt") == (0, "", [])


def test_both_commands_and_the_function_say_the_same(run, told):
    put("requirements.txt", BAD)
    put("pyproject.toml", '[project]\nname = "a"\nversion = "1"\n')
    for words in (
        ["requirements.txt", "pyproject.toml"],
        ["."],
        [".", "--format", "json"],
        [".", "--format", "sarif"],
        [".", "--format", "github"],
        [".", "--select", "PIN502"],
        [".", "--ignore", "PIN501", "--strict"],
        [".", "--severity", "error", "--target", "linux-x86_64"],
        [".", "--strict", "--markdown"],
        ["requirements.txt", "--diff"],
    ):
        assert told("pins", *words) == run(*words, severity=None)

    assert compat.check_pins(["."]) == json.loads(run(".", "--format", "json", severity=None)[1])
    assert compat.check_pins(["."], ignore=["PIN501"])["ok"] is True


def test_the_options_of_both_are_the_same():
    import typer

    from compat.cli.pins import pins

    app = typer.Typer()
    app.command()(pins)
    theirs = {name for one in typer.main.get_command(app).params for name in one.opts if name.startswith("--")}
    ours = {name for one in hook._parser()._actions for name in one.option_strings if name.startswith("--")}

    assert ours - {"--help", "--version"} == theirs - {"--install-completion", "--show-completion"}


def test_nothing_to_judge_is_well(run):
    assert run() == (0, "", [])


def test_a_path_that_is_not_there_is_one_finding_and_the_others_go_on(run):
    code, out, _ = run("missing.txt", put("requirements.txt", BAD))

    assert code == 1
    assert [line.split(" ")[0] for line in out.splitlines()] == ["missing.txt:1:1:", "requirements.txt:2:1:"]
    assert "PIN500 cannot be read: no such file or directory" in out


def test_a_comment_silences_and_an_idle_one_is_told(run):
    put("requirements.txt", BAD.replace("1.1.0", "1.1.0  # tfcompat: ignore[PIN501]"))
    assert run("requirements.txt") == (0, "", [])

    put("requirements.txt", GOOD.replace("1.2.0", "1.2.0  # tfcompat: ignore[PIN501]"))
    code, out, _ = run("requirements.txt")
    assert (code, out) == (0, "requirements.txt:2:26: PIN570 ignore[PIN501] silences nothing here: take it away\n")


def test_the_settings_of_the_project_hold(run):
    put("requirements.txt", BAD)
    put("old/requirements.txt", BAD)
    put("docs/requirements.txt", BAD)
    table = "[tool.tfcompat]\nexclude = ['docs/']\nper-file-ignores = {'old/*' = ['PIN501']}\n"
    put("pyproject.toml", table)
    paths = ["requirements.txt", "old/requirements.txt", "docs/requirements.txt"]

    assert [line.split(":")[0] for line in run(*paths)[1].splitlines()] == ["requirements.txt"]
    put("pyproject.toml", table + "ignore = ['PIN5']\n")
    assert run(*paths) == (0, "", [])


def test_settings_hold_from_wherever_it_is_run(run, monkeypatch):
    put("p/sub/requirements.txt", BAD)
    put("p/pyproject.toml", "[tool.tfcompat]\nper-file-ignores = {'/sub/*' = ['PIN501']}\n")
    monkeypatch.chdir("p/sub")

    assert run("requirements.txt") == (0, "", [])
    assert run("../sub/requirements.txt") == (0, "", [])
    assert run(Path("requirements.txt").absolute()) == (0, "", [])


def test_each_project_has_its_own_settings(run):
    put("a/requirements.txt", OPEN)
    put("a/pyproject.toml", "[tool.tfcompat]\nstrict = true\n")
    put("b/requirements.txt", OPEN)
    put("b/pyproject.toml", "[tool.tfcompat]\nseverity = 'error'\n")

    assert run("b/requirements.txt", severity=None) == (0, "", [])
    code, out, _ = run("b/requirements.txt", "a/requirements.txt", severity=None)
    assert (code, {line.split(":")[0] for line in out.splitlines()}) == (1, {"a/requirements.txt"})


@pytest.mark.parametrize(
    "words, what",
    [
        (["--ignore", "E501"], "'E501' is no id"),
        (["--select", ""], "'' is no id"),
        (["--target", "mac"], "no platform is called 'mac'"),
    ],
)
def test_a_wish_that_cannot_be_meant_is_wrong_usage(run, words, what):
    code, out, lines = run(put("requirements.txt", BAD), *words)

    assert (code, out) == (2, "")
    assert what in lines[0]


def test_settings_that_cannot_be_meant_are_wrong_usage(run):
    put("pyproject.toml", "[tool.tfcompat]\ntarget = []\n")
    code, out, lines = run(put("requirements.txt", BAD))

    assert (code, out) == (2, "")
    assert "pyproject.toml: tool.tfcompat.target is no key of it" in lines[0]
    with pytest.raises(UsageError):
        compat.check_pins(["requirements.txt"])


def test_a_target_takes_the_place_of_the_settings(run):
    put("requirements.txt", "tensorflow-macos==2.15.0; sys_platform == 'darwin'\n")

    assert run("requirements.txt", "--target", "linux-x86_64") == (0, "", [])


def test_markdown_is_read_only_when_asked_for(run):
    put("README.md", "```console\n$ pip install tensorflow==2.18.1 tensorflow-metal==1.1.0\n```\n")

    assert run("README.md") == (0, "README.md: seen, not judged: Markdown is read with --markdown\n", [])
    assert run(".") == (0, "", ["no dependency file found"])


def test_github_and_sarif_are_the_formats_they_say(run):
    put("requirements.txt", BAD)

    assert run("requirements.txt", "--format", "github")[1].startswith(
        "::error file=requirements.txt,line=2,col=1,title=PIN501::tensorflow-metal 1.1.0 cannot load"
    )
    (result,) = json.loads(run("requirements.txt", "--format", "sarif")[1])["runs"][0]["results"]
    assert (result["ruleId"], len(result["fixes"])) == ("PIN501", 1)


def test_fix_makes_the_smallest_edit_and_tells_what_is_left(run):
    put("requirements.txt", "# the model\r\n" + OPEN.replace("\n", "\r\n"))

    code, out, lines = run("requirements.txt", "--fix")

    assert (code, out, lines) == (0, "", ["fixed: requirements.txt"])
    assert text_of("requirements.txt") == "# the model\r\n" + OPEN.replace(">=2.16", ">=2.16,<2.20").replace(
        "\n", "\r\n"
    )
    assert run("requirements.txt", "--fix") == (0, "", [])


def test_diff_shows_what_fix_writes_and_writes_nothing(run):
    put("requirements.txt", BAD)
    code, out, _ = run("requirements.txt", "--diff", "--fix")

    assert (code, text_of("requirements.txt")) == (1, BAD)
    subprocess.run(["git", "apply", "-"], input=out.encode(), check=True)
    shown = text_of("requirements.txt")
    put("requirements.txt", BAD)
    run("requirements.txt", "--fix")
    assert text_of("requirements.txt") == shown != BAD


def test_fix_mends_an_included_file_once(run):
    put("base.txt", "tensorflow>=2.16\nsetuptools<82\n")
    put("requirements.txt", "-r base.txt\ntensorflow-metal\n")

    code, out, lines = run("requirements.txt", "./base.txt", "--fix")

    assert (code, out, lines) == (0, "", ["fixed: base.txt"])
    assert text_of("base.txt") == "tensorflow>=2.16,<2.20\nsetuptools<82\n"


def test_fix_does_not_touch_what_is_ignored(run):
    put("requirements.txt", BAD.replace("1.1.0", "1.1.0  # tfcompat: ignore[PIN501]"))

    assert run("requirements.txt", "--fix") == (0, "", [])


def test_a_line_with_hashes_is_left_and_why_is_told(run):
    text = BAD.replace("1.1.0", "1.1.0 --hash=sha256:" + "0" * 64)
    put("requirements.txt", text)

    code, out, lines = run("requirements.txt", "--fix")

    assert (code, ids((code, out))) == (1, ["PIN501"])
    why = "its hashes would no longer fit: change what it is made from and run `pip-compile --generate-hashes`"
    assert lines == [f"not fixed: requirements.txt:2: PIN501 {why}"]
    assert text_of("requirements.txt") == text


def test_a_file_that_cannot_be_written_is_exit_code_3_and_the_others_go_on(run, monkeypatch):
    put("a/requirements.txt", OPEN)
    put("b/requirements.txt", OPEN)
    real = os.replace

    def refused(source, target):
        if Path(target).parent.name == "a":
            raise PermissionError(13, "Permission denied", str(target))
        real(source, target)

    monkeypatch.setattr(os, "replace", refused)
    code, _, lines = run("a/requirements.txt", "b/requirements.txt", "--fix")

    assert code == 3
    assert lines == ["fixed: b/requirements.txt", "not fixed: cannot write a/requirements.txt: Permission denied"]


def test_the_hook_takes_no_typer_no_network_and_no_reader_it_does_not_need(tmp_path):
    path = tmp_path / "requirements.txt"
    path.write_text(BAD)
    code = (
        "import sys; from compat.cli import hook; hook.main([sys.argv[1]])\n"
        "bad = {'typer', 'rich', 'requests', 'socket', 'yaml', 'tensorflow'} & set(sys.modules)\n"
        "print(sorted(bad))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", _paths() + code, path], capture_output=True, text=True, check=False
    )

    assert done.stdout.splitlines()[-1:] == ["[]"], done.stderr


def _paths():
    """Without site: a .pth file of the test's own environment may import anything."""
    return f"import sys; sys.path[:] = {sys.path!r}\n"


def test_git_is_never_asked(run, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    assert shutil.which("git") is None
    assert run(put("requirements.txt", GOOD)) == (0, "", [])


def test_a_file_that_has_no_dependencies_is_passed_over_and_one_of_no_format_is_told(run):
    for name in ("main.py", "compose.yml", "requests.py", "Cargo.lock"):
        put(name, "import this\n")
    put("photo.jpg", "x")

    assert run("main.py", "compose.yml", "requests.py", "Cargo.lock", severity=None) == (0, "", [])
    assert run(".", severity=None) == (0, "", ["no dependency file found"])
    assert run("photo.jpg") == (0, "photo.jpg: seen, not judged: not a format this version reads\n", [])


def test_a_file_named_twice_or_by_a_link_is_judged_once(run):
    put("requirements.txt", BAD)
    Path("link.txt").symlink_to("requirements.txt")

    code, text, _ = run("requirements.txt", "./requirements.txt", "link.txt")

    assert (code, text.count("PIN501")) == (1, 1)


def test_one_path_is_a_path_and_not_its_letters():
    import compat

    put("requirements.txt", BAD)

    assert [file["path"] for file in compat.check_pins("requirements.txt")["files"]] == ["requirements.txt"]
    assert [file["path"] for file in compat.check_pins(Path("requirements.txt"))["files"]] == ["requirements.txt"]


@pytest.mark.parametrize("option", ["--select", "--ignore"])
def test_an_id_no_rule_has_is_wrong_usage(run, option):
    put("requirements.txt", BAD)

    code, text, told = run("requirements.txt", option, "PIN999")

    assert (code, text) == (2, "")
    assert "'PIN999' is no id" in told[0]


def test_an_id_no_rule_has_in_the_settings_names_their_file(run):
    put("requirements.txt", BAD)
    put("pyproject.toml", '[tool.tfcompat]\nignore = ["PIN999"]\n')

    code, _, told = run("requirements.txt")

    assert code == 2
    assert "pyproject.toml" in told[0]
    assert "PIN999" in told[0]


def test_edits_and_documents_do_not_go_together(run):
    put("requirements.txt", BAD)

    assert run("requirements.txt", "--diff", "--format", "json")[0] == 2


def test_what_could_not_be_written_is_told_as_it_stands(run, monkeypatch):
    from compat.builder import amend
    from compat.errors import CannotAct

    def refuse(change):
        raise CannotAct(f"cannot write {change.path}: Permission denied")

    put("requirements.txt", BAD)
    monkeypatch.setattr(amend, "write", refuse)
    monkeypatch.setattr("compat.cli.amending.write", refuse)

    code, text, told = run("requirements.txt", "--fix")

    assert code == 3
    assert "PIN501" in text
    assert told == ["not fixed: cannot write requirements.txt: Permission denied"]


def test_a_remark_is_not_mended(run):
    put("requirements.txt", "tensorflow==2.18.1\n")

    code, text, _ = run("requirements.txt", "--fix")

    assert (code, Path("requirements.txt").read_text()) == (0, "tensorflow==2.18.1\n")
    assert "PIN530" in run("requirements.txt", severity=None)[1] or text == ""


@pytest.mark.parametrize("name", ["requirements-linux.txt", "requirements_gpu.txt", "cuda-requirements.txt"])
def test_a_file_named_for_other_machines_is_not_judged_as_a_mac_s(run, name):
    put(name, "tensorflow[and-cuda]==2.18.1\n")

    assert run(name)[0] == 0


def test_an_included_file_says_who_installs_it(run):
    put("requirements.txt", "tensorflow==2.18.1\ntensorflow-metal==1.2.0\n")
    put("Dockerfile", "FROM python:3.11\nCOPY . .\nRUN pip install -r requirements.txt\n")

    assert "(as Dockerfile installs it)" in run("Dockerfile")[1]
