"""Credentials of indexes and addresses are in nothing tfcompat prints or leaves behind, however they are spelled."""

import functools
import http.server
import json
import subprocess
import sys
import threading
from urllib.parse import quote

import pytest

from compat.builder import uv
from compat.errors import CannotAct, TfcompatError, without_secrets
from compat.facts.pasted import Line
from compat.facts.pins import PinFile
from compat.probe.masking import mask_text
from compat.report import explained, pinned
from compat.report.annotations import workflow_commands
from compat.report.sarif import sarif
from compat.report.style import Style
from compat.verdict.diagnose.cause import Cause, Diagnosis
from compat.verdict.finding import Evidence, Severity
from compat.verdict.pins.finding import JudgedFile, PinFinding
from tests.builder.tiny_index import wheel
from tests.cli.running import command
from tests.probe.sites import SH, install, make_venv, script

PASSWORD, TOKEN, QUERIED, AWKWARD = "hunter2-s3cret", "t0ken-abcdef", "qu3ry-s3cret", "p@s/s w:rd"
FORMS = {
    "user and password": f"https://ada:{PASSWORD}@pypi.example/simple",
    "no user": f"https://:{PASSWORD}@pypi.example/simple",
    "a token": f"https://{TOKEN}@pypi.example/simple",
    "a token as user": f"https://{TOKEN}:@pypi.example/simple",
    "vcs": f"git+https://ada:{PASSWORD}@git.example/a.git@main",
    "capitals": f"HTTPS://ada:{PASSWORD}@pypi.example/simple",
    "an @ in it": f"https://ada:{PASSWORD}@x@pypi.example/simple",
    "a slash in it": f"https://ada:x/{PASSWORD}@pypi.example/simple",
    "encoded": f"https://ada:{quote(PASSWORD + '@/', safe='')}@pypi.example/simple",
    "in the query": f"https://pypi.example/simple?token={QUERIED}",
    "later in the query": f"https://pypi.example/simple?page=2&access_token={QUERIED}&x=1",
    "signed": f"https://files.example/a.whl?X-Amz-Signature={QUERIED}&sig={QUERIED}",
    "assigned": f"UV_INDEX_PRIVATE_PASSWORD={PASSWORD}",
    "assigned in quotes": f'export PIP_PASSWORD="{PASSWORD}"',
    "in JSON": json.dumps({"password": PASSWORD, "api_key": TOKEN}),
    "a header": f"Authorization: Basic {TOKEN}",
    "a bearer": f"with Bearer {TOKEN} it was refused",
    "two": f"https://ada:{PASSWORD}@a.example/ and https://{TOKEN}@b.example/",
}
SECRETS = (PASSWORD, TOKEN, QUERIED)


def told(text):
    return [secret for secret in (*SECRETS, *(quote(secret, safe="") for secret in SECRETS)) if secret in text]


@pytest.mark.parametrize("form", FORMS)
def test_no_form_of_a_credential_comes_through(form):
    assert told(FORMS[form])
    assert not told(without_secrets(FORMS[form]))
    assert not told(mask_text(FORMS[form]))


@pytest.mark.parametrize("form", FORMS)
def test_no_error_of_ours_says_one(form):
    error = TfcompatError(f"could not read {FORMS[form]}", hint=f"look at {FORMS[form]}")

    assert not told(error.message + error.hint)


def test_a_long_text_without_a_secret_takes_no_longer_than_reading_it():
    text = "://" * 300_000 + "a" * 300_000 + "a://b:c/" * 100_000 + "token" * 100_000

    assert without_secrets(text) == text


@pytest.fixture
def talkative(tmp_path, monkeypatch):
    """A uv that fails saying all it was given, whole and cut in two lines, and an address at the edge of a line."""
    edge = "x" * 170 + f" https://ada:{PASSWORD}@pypi.example/simple"
    body = "\n".join(f"echo 'error: {line}' >&2" for line in [*FORMS.values(), edge] if "'" not in line)
    fake = script(
        tmp_path / "uv",
        f'#!{SH}\ncase "$*" in --version) echo uv 99.0.0; exit 0;; esac\n{body}\n'
        'for name in UV_DEFAULT_INDEX UV_INDEX UV_INDEX_INNER_PASSWORD HTTPS_PROXY; do eval "echo error: no \\"\\$$name\\" >&2"; done\nexit 2\n',
    )
    monkeypatch.setattr(uv, "_packaged", lambda: str(fake))
    monkeypatch.setenv("UV_DEFAULT_INDEX", f"https://ada:{quote(AWKWARD, safe='')}@pypi.example/simple")
    monkeypatch.setenv("UV_INDEX", f"inner=https://{TOKEN}@pypi.example/simple")
    monkeypatch.setenv("UV_INDEX_INNER_PASSWORD", f"bare-{PASSWORD}")
    monkeypatch.setenv("HTTPS_PROXY", f"http://ada:{PASSWORD}@proxy.example:3128")
    return fake


def test_what_uv_says_is_passed_on_without_them(talkative, tmp_path):
    said = []
    found = uv.find(on_line=said.append)
    wanted = tmp_path / "wanted.in"
    wanted.write_text("demo\n")
    steps = [
        lambda: found.venv(tmp_path / "env", "3.12"),
        lambda: found.compile((wanted,), python="python", output=tmp_path / "lock"),
        lambda: found.install(wanted, python="python"),
    ]
    for step in steps:
        with pytest.raises(CannotAct) as failed:
            step()
        said.append(failed.value.message + failed.value.hint)
    said.append(found.check(python="python", folder=tmp_path))
    text = "\n".join(said)

    assert len(said) > 3 * len(FORMS)
    assert not told(text)
    assert PASSWORD[:7] not in text  # nor the part of one that a line was cut to
    assert AWKWARD not in text
    assert quote(AWKWARD, safe="") not in text


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_words):
        pass


@pytest.fixture
def served(tmp_path, monkeypatch):
    """An index on this machine that wants a password and has nothing."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(tmp_path)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.parametrize("password", [PASSWORD, f"x/{PASSWORD}", f"x@{PASSWORD}"])
def test_a_real_uv_that_fails_at_an_index_does_not_tell_either(password, served, tmp_path, monkeypatch):
    monkeypatch.setenv("UV_DEFAULT_INDEX", f"http://ada:{password}@{served}/simple?token={QUERIED}")
    (tmp_path / "wanted.in").write_text("demo==1.0\n")
    said = []
    with pytest.raises(CannotAct) as failed:
        uv.find(on_line=said.append).compile((tmp_path / "wanted.in",), python=sys.executable, output=tmp_path / "lock")

    assert not told("\n".join([*said, failed.value.message, failed.value.hint]))


GIVEN = {
    "UV_INDEX_URL": FORMS["user and password"],
    "PIP_INDEX_URL": FORMS["a token"],
    "UV_INDEX_PRIVATE_PASSWORD": PASSWORD,
    "TF_ENABLE_PRIVATE_TOKEN": TOKEN,
    "TF_CPP_SOMETHING": FORMS["in the query"],
    "XLA_FLAGS": f"--dump=https://ada:{PASSWORD}@a.example",
}


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """An environment with a distribution from an address that needs a password, and a kernel that carries a token."""
    folder = tmp_path_factory.mktemp("with-secrets")
    interpreter, site = make_venv(folder / "env", f"{sys.version_info[0]}.{sys.version_info[1]}")
    install(
        site,
        "tensorflow",
        "2.18.1",
        files=["tensorflow/__init__.py"],
        requires=[f"demo @ {FORMS['user and password']}"],
    )
    (site / "tensorflow/__init__.py").write_text(f"raise ImportError({FORMS['user and password']!r})\n")
    info = install(site, "demo", "1.0")
    (info / "direct_url.json").write_text(json.dumps({"url": FORMS["in the query"], "archive_info": {}}))
    info = install(site, "other", "1.0")
    (info / "direct_url.json").write_text(json.dumps({"url": FORMS["user and password"], "archive_info": {}}))
    return interpreter


LOOKS = {
    "facts": ["facts"],
    "doctor": ["doctor", "-v"],
    "doctor json": ["doctor", "--format", "json"],
    "doctor markdown": ["doctor", "--format", "markdown"],
    "smoke": ["smoke"],
    "smoke json": ["smoke", "--format", "json"],
}


@pytest.mark.parametrize("look", LOOKS)
def test_no_report_of_this_machine_tells_one(look, environment, tmp_path, monkeypatch):
    for name, value in GIVEN.items():
        monkeypatch.setenv(name, value)
    done = command(*LOOKS[look], "--python", environment, cwd=tmp_path)

    assert done.returncode in (0, 1), done.stderr
    assert not told(done.stdout + done.stderr)


REQUIREMENTS = "\n".join(
    [
        f"--extra-index-url {FORMS['user and password']}",
        "tensorflow==2.13.0",
        "tensorflow-metal==1.2.0",
        "numpy==2.0.0",
        f"demo @ {FORMS['a token']}",
        f"tensorflow-text @ {FORMS['user and password']}",
        f"-r https://ada:{PASSWORD}@a.example/more.txt",
        f"keras @ {FORMS['in the query']} ; python_version < '3'",
        "",
    ]
)


ROWS = REQUIREMENTS.strip().splitlines()
FILES = {
    "requirements.txt": REQUIREMENTS,
    "Dockerfile": "FROM python:3.11\n" + "".join(f"RUN pip install {row!r} numpy==2.0.0\n" for row in ROWS[1:6]),
    "environment.yml": "dependencies:\n  - pip\n  - pip:\n" + "".join(f"    - {row}\n" for row in ROWS[:6]),
}
TOLD = [
    *(
        ("requirements.txt", words)
        for words in ([], ["--format=json"], ["--format=sarif"], ["--format=github"], ["--diff"])
    ),
    *((name, words) for name in ("Dockerfile", "environment.yml") for words in (["--format=json"], ["--diff"])),
]


@pytest.mark.parametrize("name, words", TOLD, ids=str)
def test_judged_pins_do_not_tell_one(name, words, tmp_path):
    (tmp_path / name).write_text(FILES[name])
    done = command("pins", *words, name, cwd=tmp_path)

    assert done.returncode == 1, done.stderr
    assert "numpy" in done.stdout or "--diff" in words
    assert not told(done.stdout + done.stderr)


def test_a_patch_leaves_the_lines_with_a_secret_out_and_still_applies(tmp_path):
    path = tmp_path / "requirements.txt"
    path.write_text(f"--extra-index-url {FORMS['user and password']}\ntensorflow==2.13.0\nnumpy==2.0.0\n")
    patch = command("pins", "--diff", path.name, cwd=tmp_path).stdout
    done = subprocess.run(
        ["git", "apply", "--unidiff-zero", "-"], input=patch, cwd=tmp_path, capture_output=True, text=True, check=False
    )

    assert patch
    assert not told(patch)
    assert done.returncode == 0, done.stderr
    assert path.read_text() != f"--extra-index-url {FORMS['user and password']}\ntensorflow==2.13.0\nnumpy==2.0.0\n"
    assert FORMS["user and password"] in path.read_text()


LOG = f"""Looking in indexes: {FORMS["user and password"]}, {FORMS["a token"]}
Downloading {FORMS["in the query"]}
ERROR: Could not find a version that satisfies the requirement tensorflow==2.13.0 (from {FORMS["user and password"]}) (from versions: none)
ERROR: No matching distribution found for tensorflow==2.13.0 at {FORMS["a token"]}
ImportError: {FORMS["user and password"]} numpy.core.multiarray failed to import
"""


@pytest.mark.parametrize("style", ["columns", "json", "markdown"])
def test_an_explained_log_does_not_tell_one(style, tmp_path):
    done = command("explain", "-", "--format", style, cwd=tmp_path, input=LOG)

    assert done.returncode == 0, done.stderr
    assert not told(done.stdout + done.stderr)


@pytest.mark.parametrize("form", FORMS)
def test_a_finding_of_pins_that_quotes_a_file_tells_none_in_any_format(form):
    row = PinFinding(id="PIN500", severity=Severity.ERROR, line=1, column=1, message=f"cannot be read: {FORMS[form]}")
    judged = [JudgedFile(file=PinFile(path="a.txt", kind="requirements"), findings=(row,))]
    documents = [
        pinned.as_lines(judged),
        workflow_commands(judged),
        str(pinned.values(judged, ok=False)),
        str(sarif(judged, [], "0", lambda _row: (), {})),
    ]

    assert all("PIN500" in document for document in documents)
    assert not told("".join(documents))


@pytest.mark.parametrize("form", FORMS)
def test_a_cause_that_quotes_a_log_tells_none_in_any_format(form):
    text = FORMS[form]
    cause = Cause(
        id="TFC1", title="t", confidence="high", line=Line(number=1, text=text), evidence=(Evidence(fact=text),)
    )
    diagnosis = Diagnosis(causes=(cause,), stated=(text,))
    documents = [
        explained.columns(diagnosis, Style(width=10_000)),
        explained.markdown(diagnosis),
        explained.as_json(diagnosis),
    ]

    assert all("TFC1" in document for document in documents)
    assert not told("".join(documents))


def test_a_wheel_from_an_address_with_a_password_leaves_none_in_the_environment(served, tmp_path, monkeypatch):
    wheel(tmp_path, "demo", "1.0")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wanted.in").write_text(f"demo @ http://ada:{PASSWORD}@{served}/demo-1.0-py3-none-any.whl\n")
    found = uv.find()
    found.venv(tmp_path / "env", sys.executable)
    python = str(tmp_path / "env/bin/python")
    found.compile((tmp_path / "wanted.in",), python=python, output=tmp_path / "lock")
    found.install(tmp_path / "lock", python=python)
    files = [path for path in (tmp_path / "env").rglob("*") if path.is_file()]

    assert any(path.name == "direct_url.json" for path in files)
    assert not [path for path in files if told(path.read_bytes().decode("latin-1"))]
