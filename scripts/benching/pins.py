"""The pins' speed: a whole process on one file, and 1,000 generated files against others' reading of theirs.

The mix: 70 % requirements of 10–80 lines, 15 % pyproject.toml, 10 % conda environments, 5 % lock files of about 60 KB.
pip-audit and deptry read, in environments of their own, the files of the mix they understand, by the functions their
commands call; requirements-parser is what deptry parses with. They only read; tfcompat reads and judges.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path

MIX = {"requirements": 700, "pyproject": 150, "conda": 100, "pylock": 25, "poetry-lock": 25}
NAMES = [
    "numpy",
    "pandas",
    "scipy",
    "scikit-learn",
    "matplotlib",
    "requests",
    "flask",
    "django",
    "pillow",
    "keras",
    "protobuf",
    "jupyterlab",
    "tqdm",
    "pyyaml",
    "click",
    "rich",
    "pytest",
    "black",
    "mypy",
    "ruff",
    "sqlalchemy",
    "boto3",
    "fastapi",
    "uvicorn",
    "pydantic",
    "httpx",
    "attrs",
    "cffi",
    "cryptography",
    "lxml",
    "networkx",
    "sympy",
]
TENSORFLOW = (
    ("2.13.0", "1.0.1"),
    ("2.15.1", "1.1.0"),
    ("2.16.2", "1.2.0"),
    ("2.18.1", "1.1.0"),
    ("2.18.1", "1.2.0"),
    ("2.20.0", "1.2.0"),
)


def generate(folder: Path) -> dict[str, list[Path]]:
    """Write the files, the same ones each time."""
    chance = random.Random(5)  # noqa: S311 - no secret
    makers = {
        "requirements": ("requirements.txt", requirements),
        "pyproject": ("pyproject.toml", pyproject),
        "conda": ("environment.yml", conda),
        "pylock": ("pylock.toml", pylock),
        "poetry-lock": ("poetry.lock", poetry_lock),
    }
    made: dict[str, list[Path]] = {}
    for kind, count in MIX.items():
        name, make = makers[kind]
        for number in range(count):
            path = folder / kind / f"{number:03}" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(make(chance), "utf-8")
            made.setdefault(kind, []).append(path)
    return made


def pins(chance: random.Random, count: int) -> list[str]:
    """Requirements, every second list with a TensorFlow pair."""
    rows = [
        f"{name}=={chance.randint(1, 9)}.{chance.randint(0, 30)}.{chance.randint(0, 9)}"
        for name in chance.choices(NAMES, k=count)
    ]
    rows = [row.replace("==", f"-{at}==", 1) for at, row in enumerate(rows)]  # no name twice
    if chance.random() < 0.5:  # noqa: PLR2004
        tensorflow, plugin = chance.choice(TENSORFLOW)
        marker = "; sys_platform == 'darwin'" if chance.random() < 0.5 else ""  # noqa: PLR2004
        rows[:0] = [f"tensorflow=={tensorflow}", f"tensorflow-metal=={plugin}{marker}"]
    return rows


def requirements(chance: random.Random) -> str:
    lines = []
    for row in pins(chance, chance.randint(10, 80) * 8 // 10):
        if chance.random() < 0.15:  # noqa: PLR2004
            lines.append("# " + "why this is pinned " * chance.randint(1, 3))
        lines.append(row + ("  # kept" if ";" not in row and chance.random() < 0.1 else ""))  # noqa: PLR2004
    return "\n".join(lines) + "\n"


def pyproject(chance: random.Random) -> str:
    rows = "".join(f'  "{row}",\n' for row in pins(chance, chance.randint(5, 25)))
    dev = "".join(f'  "{row}",\n' for row in pins(chance, 5))
    head = '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n\n'
    head += '[project]\nname = "a"\nversion = "1.0"\n'
    body = (
        f'requires-python = ">=3.10"\ndependencies = [\n{rows}]\n\n[project.optional-dependencies]\ndev = [\n{dev}]\n'
    )
    return f"{head}{body}\n[tool.ruff]\nline-length = 100\n"


def conda(chance: random.Random) -> str:
    rows = "".join(f"  - {row.replace('==', '=')}\n" for row in pins(chance, 12) if "tensorflow" not in row)
    pip = "".join(f'    - "{row}"\n' for row in pins(chance, 6))
    return f"name: a\nchannels:\n  - conda-forge\ndependencies:\n  - python=3.11\n{rows}  - pip\n  - pip:\n{pip}"


def pylock(chance: random.Random) -> str:
    """Some 60 KB: 80 packages with their wheels."""
    return 'lock-version = "1.0"\ncreated-by = "bench"\n' + "".join(package(row, "packages") for row in locked(chance))


def poetry_lock(chance: random.Random) -> str:
    tail = '[metadata]\nlock-version = "2.1"\npython-versions = ">=3.10"\ncontent-hash = "' + "0" * 64 + '"\n'
    return "".join(package(row, "package") for row in locked(chance)) + tail


def locked(chance: random.Random) -> list[str]:
    return [row.partition(";")[0] for row in pins(chance, 80)]


def package(row: str, table: str) -> str:
    name, _, version = row.partition("==")
    files = [
        f"{name.replace('-', '_')}-{version}-cp3{minor}-cp3{minor}-macosx_11_0_arm64.whl" for minor in (10, 11, 12, 13)
    ]
    if table == "packages":
        wheels = "".join(
            f'  {{ name = "{one}", url = "https://example.org/{one}", hashes = {{ sha256 = "{"0" * 64}" }} }},\n'
            for one in files
        )
        return f'\n[[packages]]\nname = "{name}"\nversion = "{version}"\nwheels = [\n{wheels}]\n'
    listed = "".join(f'    {{file = "{one}", hash = "sha256:{"0" * 64}"}},\n' for one in files)
    head = f'[[package]]\nname = "{name}"\nversion = "{version}"\ndescription = "{"words " * 12}"\noptional = false\n'
    return f'{head}python-versions = ">=3.10"\ngroups = ["main"]\nfiles = [\n{listed}]\n\n'


OURS = """
from compat.cli.pinning import Asked, check
def read(paths): return sum(len(row.file.pins) for row in check(paths, Asked()).files)
"""
PEERS = {
    ("pip-audit", "requirements"): """
from pathlib import Path
from pip_audit._dependency_source import RequirementSource
def read(paths):
    return sum(len(list(RequirementSource([Path(p)], no_deps=True, disable_pip=True).collect())) for p in paths)
""",
    ("pip-audit", "pylock"): """
from pathlib import Path
from pip_audit._dependency_source import PyLockSource
def read(paths): return sum(len(list(PyLockSource([Path(p)]).collect())) for p in paths)
""",
    ("deptry", "requirements"): """
from deptry.dependency_getter.requirements_files import get_dependencies_from_requirements_file as one
def read(paths): return sum(len(one(p, {})) for p in paths)
""",
    ("deptry", "pyproject"): """
from pathlib import Path
from deptry.dependency_getter.pep621.base import PEP621DependencyGetter
def read(paths):
    found = (PEP621DependencyGetter(Path(p)).get() for p in paths)
    return sum(len(got.dependencies + got.dev_dependencies) for got in found)
""",
    ("requirements-parser", "requirements"): """
import requirements
def read(paths):
    total = 0
    for p in paths:
        with open(p) as file:
            total += len(list(requirements.parse(file)))
    return total
""",
}
LOOP = """
import json, sys, time
paths = json.load(open(sys.argv[1]))
read(paths[:3])
t = time.perf_counter(); pins = read(paths); print(json.dumps([time.perf_counter() - t, pins]))
"""


def rows(
    python: Path, peers: dict[str, Path], hook: Path, folder: Path, runs: int, env: dict[str, str]
) -> dict[str, object]:
    """Return everything that is measured."""
    files = generate(folder / "mix")
    return {
        "process": process(python, hook, folder, runs, env),
        "files": [
            against(
                kind,
                name,
                files[kind],
                python,
                peers["deptry" if name == "requirements-parser" else name],
                code,
                folder,
                runs,
                env,
            )
            for (name, kind), code in PEERS.items()
        ],
        "memory": memory(hook, [path for paths in files.values() for path in paths], env),
    }


def process(python: Path, hook: Path, folder: Path, runs: int, env: dict[str, str]) -> dict[str, object]:
    one = folder / "requirements.txt"
    one.write_text("tensorflow==2.18.1\ntensorflow-metal==1.2.0\nnumpy<2\nsetuptools<82\n", "utf-8")
    ours, theirs = [hook, one], [python, "-c", "import packaging.requirements"]
    for argv in (ours, theirs):
        timed(argv, env)
    pairs = [(timed(ours, env), timed(theirs, env)) for _ in range(runs * 3)]
    return {**summary(pairs), "limit_ratio": 3}


def against(
    kind: str,
    name: str,
    paths: list[Path],
    python: Path,
    theirs: Path,
    code: str,
    folder: Path,
    runs: int,
    env: dict[str, str],
) -> dict[str, object]:
    """Files a second, in one process each that is already running."""
    listed = folder / "paths.json"
    listed.write_text(json.dumps([str(path) for path in paths]), "utf-8")
    pairs = []
    for _ in range(runs):
        mine, other = said(python, OURS + LOOP, listed, env), said(theirs, code + LOOP, listed, env)
        pairs.append((mine[0], other[0]))
    rates = [[len(paths) / seconds for seconds in side] for side in zip(*pairs, strict=True)]
    return {
        "kind": kind, "peer": name, "files": len(paths), "pins": mine[1], "peer_pins": other[1],
        "per_second": round(statistics.median(rates[0])), "peer_per_second": round(statistics.median(rates[1])),
        "ratio": round(statistics.median(b / a for a, b in pairs), 2), "aim_ratio": 1,
    }  # fmt: skip


def memory(hook: Path, paths: list[Path], env: dict[str, str]) -> dict[str, int]:
    """Peak resident MB of the whole process on 100 files of the mix and on all."""
    mixed = paths[:]
    random.Random(5).shuffle(mixed)  # noqa: S311
    return {str(count): peak([hook, *mixed[:count]], env) for count in (100, 1000)}


def peak(argv: list[object], env: dict[str, str]) -> int:
    child = subprocess.Popen(
        [str(word) for word in argv], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, _, used = os.wait4(child.pid, 0)
    child.returncode = 0
    return round(used.ru_maxrss / 1024)


def said(python: Path, code: str, listed: Path, env: dict[str, str]) -> list[float]:
    done = subprocess.run([python, "-c", code, listed], env=env, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def timed(argv: list[object], env: dict[str, str]) -> float:
    began = time.perf_counter()
    subprocess.run([str(word) for word in argv], env=env, check=False, capture_output=True)
    return time.perf_counter() - began


def summary(pairs: list[tuple[float, float]]) -> dict[str, float]:
    return {
        "seconds": round(statistics.median(a for a, _ in pairs), 4),
        "peer_seconds": round(statistics.median(b for _, b in pairs), 4),
        "ratio": round(statistics.median(a / b for a, b in pairs), 3),
    }


def environment(folder: Path, what: list[str], env: dict[str, str]) -> Path:
    """Make an environment with some requirements, once; return its interpreter."""
    uv, python = Path(sys.executable).with_name("uv"), folder / "bin" / "python"
    if not python.is_file():
        subprocess.run([uv, "venv", "--quiet", "--python", sys.executable, folder], env=env, check=True)
    subprocess.run(
        [uv, "pip", "install", "--quiet", "--compile-bytecode", "--python", python, *what], env=env, check=True
    )
    return python
