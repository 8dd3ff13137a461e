"""What a child gets of the user's environment: named variables only, but for the user's own program."""

import sys
from pathlib import Path

import pytest

from compat.builder import uv
from compat.errors import CannotLook
from compat.probe import interrogate, machine
from compat.smoke import child
from tests.probe.sites import SH, script

HARMFUL = {
    **dict.fromkeys(
        ("PYTHONPATH", "PYTHONSTARTUP", "PYTHONHOME", "PYTHONUSERBASE", "PYTHONINSPECT", "PYTHONBREAKPOINT"), "/evil"
    ),
    **dict.fromkeys(
        ("PYTHONEXECUTABLE", "PYTHONPLATLIBDIR", "PYTHONWARNINGS", "PYTHONCASEOK", "__PYVENV_LAUNCHER__"), "/evil"
    ),
    **dict.fromkeys(("LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "DYLD_FORCE_FLAT_NAMESPACE"), "/evil.so"),
    **dict.fromkeys(
        ("UV_PROJECT", "UV_CONFIG_FILE", "UV_CONSTRAINT", "UV_OVERRIDE", "UV_BUILD_CONSTRAINT", "UV_EXCLUDE"), "/evil"
    ),
    **dict.fromkeys(
        ("UV_PYTHON", "UV_PROJECT_ENVIRONMENT", "UV_WORKING_DIR", "UV_TARGET", "UV_PREFIX", "UV_ENV_FILE"), "/evil"
    ),
    **dict.fromkeys(("UV_NO_VERIFY_HASHES", "UV_BREAK_SYSTEM_PACKAGES", "UV_SYSTEM_PYTHON", "UV_PRERELEASE"), "1"),
    **dict.fromkeys(
        ("UV_INDEX_STRATEGY", "UV_RESOLUTION", "UV_EXCLUDE_NEWER", "UV_TORCH_BACKEND", "UV_LINK_MODE"), "evil"
    ),
    **dict.fromkeys(("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_CONFIG_FILE", "PIP_TARGET", "PIP_NO_INDEX"), "/evil"),
    **dict.fromkeys(
        ("VIRTUAL_ENV", "CONDA_PREFIX", "BASH_ENV", "ENV", "CC", "CXX", "CFLAGS", "LDFLAGS", "MAKEFLAGS"), "/evil"
    ),
    **dict.fromkeys(
        ("GIT_SSH_COMMAND", "GIT_DIR", "GIT_CONFIG_GLOBAL", "EDITOR", "AWS_SECRET_ACCESS_KEY", "HF_TOKEN"), "evil"
    ),
}
PLAIN = {
    *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TEMP", "TMP"),
    *("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "SSL_CERT_FILE", "SSL_CERT_DIR"),
    *("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH"),
    *("PWD", "OLDPWD", "SHLVL", "_"),  # the shell's own that tells us
}
"""Where things are, and how to write to the user: what any child may know."""
NETWORK = {
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy"),
    *("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NETRC", "UV_DEFAULT_INDEX", "UV_INDEX", "UV_INDEX_URL"),
    *("UV_EXTRA_INDEX_URL", "UV_FIND_LINKS", "UV_KEYRING_PROVIDER", "UV_NATIVE_TLS", "UV_SYSTEM_CERTS"),
    *(
        "UV_INSECURE_HOST",
        "UV_HTTP_TIMEOUT",
        "UV_HTTP_RETRIES",
        "UV_CONCURRENT_DOWNLOADS",
        "UV_CACHE_DIR",
        "UV_OFFLINE",
    ),
    *("UV_PYTHON_INSTALL_DIR", "UV_PYTHON_INSTALL_MIRROR", "UV_PYTHON_DOWNLOADS_JSON_URL", "UV_PYTHON_CACHE_DIR"),
    *("UV_INDEX_INNER_USERNAME", "UV_INDEX_INNER_PASSWORD"),
}
"""What uv gets besides: how to reach and to trust the user's index."""
DERIVED = {
    *("PYTHONPATH", "PYTHONNOUSERSITE", "PYTHONUSERBASE", "TF_PLUGGABLE_DEVICE_LIBRARY_PATH", "SYSTEM_VERSION_COMPAT"),
    *("PYENV_ROOT", "PYENV_VERSION", "PYENV_DIR", "ASDF_DIR", "ASDF_DATA_DIR"),
}
"""What the interrogation reads, and Python under -I does not obey."""


@pytest.fixture
def everything(monkeypatch, tmp_path):
    """Every variable a child could get, set by the user."""
    for name in [*HARMFUL, *sorted(PLAIN | NETWORK | DERIVED)]:
        if name not in ("PATH", "HOME"):
            monkeypatch.setenv(name, HARMFUL.get(name, "given"))
    monkeypatch.setenv("UV_FIND_LINKS", str(tmp_path))
    monkeypatch.setenv("LD_LIBRARY_PATH", f":.:lib:{tmp_path}:")
    monkeypatch.chdir(tmp_path)


def dumping(path):
    """A program that writes the names of its variables and ends."""
    return script(path, f"#!{SH}\n/usr/bin/env -0 >> '{path}.seen'\necho 'uv 99.0.0'\n")


def seen(path):
    rows = (path.parent / f"{path.name}.seen").read_bytes().split(b"\0")
    return dict(row.decode().partition("=")[::2] for row in rows if row)


def test_uv_gets_what_it_is_meant_to_and_nothing_else(everything, tmp_path, monkeypatch):
    fake = dumping(tmp_path.parent / "uv-that-tells")
    monkeypatch.setattr(uv, "_packaged", lambda: str(fake))
    (tmp_path / "wanted.in").write_text("demo\n")
    found = uv.find(offline=True)
    found.venv(tmp_path / "env", "3.12")
    found.compile((tmp_path / "wanted.in",), python="python", output=tmp_path / "lock")
    found.install(tmp_path / "lock", python="python")
    found.check(python="python", folder=tmp_path)
    got = seen(fake)

    assert set(got) - PLAIN - NETWORK == {"UV_NO_CONFIG"}
    assert set(got) >= NETWORK
    assert got["UV_NO_CONFIG"] == "1"
    assert "LD_LIBRARY_PATH" not in got or got["LD_LIBRARY_PATH"] == ""


def test_with_settings_of_the_users_own_uv_obeys_those_alone(everything, tmp_path, monkeypatch):
    fake = dumping(tmp_path.parent / "uv-that-tells-too")
    settings = tmp_path.parent / "settings"
    (settings / "uv").mkdir(parents=True)
    (settings / "uv/uv.toml").write_text('index-url = "https://pypi.example/simple"\n')
    monkeypatch.setenv("XDG_CONFIG_HOME", str(settings))
    monkeypatch.setattr(uv, "_packaged", lambda: str(fake))
    uv.find(offline=True).check(python="python", folder=tmp_path)

    assert seen(fake)["UV_CONFIG_FILE"] == str(settings / "uv/uv.toml")
    assert "UV_NO_CONFIG" not in seen(fake)


def test_an_interpreter_that_is_asked_gets_no_more(everything, tmp_path):
    fake = dumping(tmp_path.parent / "python-that-tells")
    with pytest.raises(CannotLook):
        interrogate.interrogate(str(fake))
    got = seen(fake)

    assert set(got) <= PLAIN | DERIVED
    assert set(got) >= DERIVED


def test_what_it_reads_it_does_not_obey(tmp_path, monkeypatch):
    """PYTHONPATH, PYTHONHOME and the like are facts to the interrogation: -I keeps them from Python itself."""
    (tmp_path / "os.py").write_text("raise SystemExit('sprung')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    interpreter, _ = interrogate.interrogate(sys.executable)

    assert interpreter.python_path == (str(tmp_path),)


def test_a_program_that_describes_the_machine_gets_no_more(everything, tmp_path, monkeypatch):
    fake = dumping(tmp_path.parent / "tools" / "nvidia-smi")
    monkeypatch.setenv("PATH", str(fake.parent))
    machine.look(gpus=True, reader=machine.Reader(system="linux"))

    assert set(seen(fake)) <= PLAIN | {"SYSTEM_VERSION_COMPAT"}


def test_the_smoke_test_is_the_users_own_program_and_gets_all_of_it(everything, tmp_path):
    fake = dumping(tmp_path.parent / "python-of-the-user")
    child.ask("numerics.py", str(fake), (), 20.0, None)

    assert {name: value for name, value in seen(fake).items() if name in HARMFUL} == HARMFUL
    assert seen(fake)["PWD"] != str(Path.cwd())
