"""A project folder that somebody else made: whatever of it is executed leaves its name in a folder of canaries.

Each trap springs when it is used as it is meant to be; a test proves that, so that a folder without canaries says
something about tfcompat and not about the traps.
"""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.probe.sites import SH, script

MODULES = (
    *("sitecustomize", "usercustomize", "conftest", "setup", "tensorflow", "numpy", "keras", "json"),
    *("argparse", "subprocess", "platform", "signal", "types", "enum", "re", "pathlib", "tempfile", "typing"),
    *("typer", "click", "rich", "requests", "yaml", "packaging", "platformdirs", "tomllib", "tomli", "uv", "pip"),
    *("ipykernel", "battery", "ctypes", "shlex", "textwrap"),
)
PROGRAMS = (
    *("python", "python3", f"python3.{sys.version_info[1]}", "python3.10", "python3.11", "python3.12", "python3.13"),
    *("uv", "uvx", "git", "sh", "env", "cc", "gcc", "ld", "ldconfig", "file", "uname", "arch"),
    *("sw_vers", "sysctl", "system_profiler", "nvidia-smi", "otool", "pyenv", "conda"),
)
OBEYED = {
    "uv.toml": 'required-version = ">=999"\nindex-url = "http://127.0.0.1:9/uv-toml"\n',
    "pyproject.toml": '[project]\nname = "x"\nversion = "0"\nrequires-python = ">=3.99"\n[tool.uv]\nrequired-version = ">=999"\n',
    ".uv.toml": 'required-version = ">=999"\n',
    "settings/uv/uv.toml": 'required-version = ">=999"\n',
    "pip.conf": "[global]\nindex-url = http://127.0.0.1:9/pip-conf\n",
    "pip/pip.conf": "[global]\nindex-url = http://127.0.0.1:9/pip-conf\n",
    ".env": "UV_INDEX_URL=http://127.0.0.1:9/env\nPATH=.\n",
    ".python-versions": "9.99\n",
    "setup.cfg": "[metadata]\nname = x\n",
    ".pdbrc": "import os\n",
}
"""Settings that would make a uv or a pip that obeyed them fail: a build that succeeds has not."""


@dataclass(frozen=True)
class Hostile:
    """The folder, and where its traps tell."""

    folder: Path
    canaries: Path

    @property
    def sprung(self):
        return sorted(path.name for path in self.canaries.iterdir())

    @property
    def path(self):
        """A PATH that leads here in every way a PATH can, with the usual folders behind."""
        beside = self.folder.parent / "link-to-hostile"
        if not beside.is_symlink():
            beside.symlink_to(self.folder)
        ways = [
            "",
            ".",
            "bin",
            "./bin",
            "./",
            self.folder,
            self.folder / "bin",
            beside,
            beside / "bin",
            f"{beside}/../hostile",
        ]
        return os.pathsep.join([*map(str, ways), os.environ["PATH"], ""])


def python_trap(canaries, name):
    return f"open({str(canaries / name)!r}, 'w').close()\nraise SystemExit('sprung: {name}')\n"


def program_trap(canaries, name):
    """By absolute names: the trap must spring whatever PATH is."""
    return f"#!{SH}\n: > '{canaries / name}'\nexit 0\n"


def hostile(parent):
    """Make the folder in ``parent``, with all the traps that go together."""
    made = Hostile(parent / "hostile", parent / "canaries")
    made.canaries.mkdir()
    (made.folder / "bin").mkdir(parents=True)
    for name in MODULES:
        (made.folder / f"{name}.py").write_text(python_trap(made.canaries, f"module-{name}"))
    for name in ("__init__", "__main__"):
        (made.folder / "compat").mkdir(exist_ok=True)
        (made.folder / "compat" / f"{name}.py").write_text(python_trap(made.canaries, f"package-compat-{name}"))
    for place in (made.folder, made.folder / "bin"):
        for name in PROGRAMS:
            script(place / name, program_trap(made.canaries, f"program-{name}"))
    (made.folder / "evil.pth").write_text(f"import os; open({str(made.canaries / 'pth')!r}, 'w').close()\n")
    for name, text in OBEYED.items():
        (made.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (made.folder / name).write_text(text)
    (made.folder / "requirements.txt").write_text("tensorflow==2.18.1\n$(touch x)\n`touch x`\n")
    return made


def home_of(parent):
    """A home folder with nothing in it: what the developer of this project keeps in theirs is not part of the test."""
    home = parent / "home"
    home.mkdir(exist_ok=True)
    return home


def call(made, argv, *, home, timeout=120, **variables):
    """Run a program in the folder, on a PATH that leads there."""
    left_out = ("PYTHONPATH", "VIRTUAL_ENV", "CONDA_PREFIX", "PYENV_VERSION", "PYENV_ROOT")
    given = {name: value for name, value in os.environ.items() if name not in left_out}
    given |= {"PATH": made.path, "HOME": str(home)} | {name: str(value) for name, value in variables.items()}
    return subprocess.run(
        [str(word) for word in argv],
        cwd=made.folder,
        env=given,
        capture_output=True,
        text=True,
        check=False,
        timeout=timeout,
        stdin=subprocess.DEVNULL,
    )


TFCOMPAT = Path(sys.executable).with_name("tfcompat")
