"""Cases of the PY rules."""

from __future__ import annotations

from compat.facts.known import UNKNOWN, Unknown
from tests.verdict.rules.builders import (
    PYTHON,
    environment,
    facts,
    intel_mac,
    intel_python,
    kernel,
    linux,
    linux_python,
    mac,
    pair,
    python,
    windows,
)
from tests.verdict.rules.cases import Case
from tests.verdict.rules.tiny_matrix import tiny_matrix

NO_TENSORFLOW = environment("numpy==1.26.4")
UNIVERSAL = ("x86_64", "arm64")
HOMEBREW = "/opt/homebrew/opt/python@3.12/bin/python3.12"
SYSTEM = python(
    path=HOMEBREW,
    origin="homebrew",
    prefix="/opt/homebrew/opt/python@3.12",
    base_prefix="/opt/homebrew/opt/python@3.12",
)
OWN = kernel()
OTHER = kernel(name="other", argv0="/usr/bin/python3", same_interpreter=False)
R_KERNEL = kernel(name="ir", argv0="/opt/R/bin/R", same_interpreter=False)
WINDOWS_PYTHON = python(
    path=r"C:\my env\Scripts\python.exe",
    platform_tag="win-amd64",
    machine="AMD64",
    prefix=r"C:\my env",
    base_prefix="C:\\P",
)


def seen_by(interpreter, installed=None, machine=None, **changes):
    return facts(machine or mac(), interpreter, installed, **changes)


TRANSLATED = [
    Case(
        rule="PY201",
        name="an x86_64 Python on an M1",
        facts=seen_by(intel_python(translated=True)),
        expected="fails",
        severity="error",
        message_has=("x86_64", "Apple M1 Pro", "tfcompat fix --create-venv"),
        lacks=("CONDA_SUBDIR",),
    ),
    Case(
        rule="PY201",
        name="what the file is built for is unknown, and it runs as x86_64",
        facts=seen_by(intel_python(architectures=UNKNOWN)),
        expected="fails",
    ),
    Case(
        rule="PY201",
        name="a conda Python for Intel Macs",
        facts=seen_by(intel_python(origin="conda")),
        expected="fails",
        message_has="CONDA_SUBDIR=osx-arm64",
    ),
    Case(
        rule="PY201",
        name="a MacBook Neo is Apple silicon too",
        facts=seen_by(intel_python(), machine=mac(chip="Apple A18 Pro")),
        expected="fails",
    ),
    Case(rule="PY201", name="a universal Python", facts=seen_by(python(architectures=UNIVERSAL)), expected="passes"),
    Case(rule="PY201", name="an arm64 Python", facts=facts(), expected="passes"),
    Case(rule="PY201", name="x86_64 on an Intel Mac", facts=facts(intel_mac(), intel_python()), expected="passes"),
    Case(rule="PY201", name="x86_64 on Linux", facts=facts(linux(), linux_python()), expected="passes"),
    Case(
        rule="PY201",
        name="architectures unknown",
        facts=seen_by(python(architectures=UNKNOWN, machine=UNKNOWN)),
        expected="unknown",
    ),
    Case(
        rule="PY202",
        name="a universal Python that ran under Rosetta",
        facts=seen_by(
            python(architectures=UNIVERSAL, translated=True, machine="x86_64", path="/Library/My Python/python3")
        ),
        expected="fails",
        severity="error",
        message_has="arch -arm64 '/Library/My Python/python3'",
    ),
    Case(
        rule="PY202",
        name="translation unknown, and it ran as x86_64",
        facts=seen_by(python(architectures=UNIVERSAL, translated=UNKNOWN, machine="x86_64")),
        expected="fails",
    ),
    Case(
        rule="PY202",
        name="a universal Python that ran natively",
        facts=seen_by(python(architectures=UNIVERSAL)),
        expected="passes",
    ),
    Case(rule="PY202", name="an x86_64 Python (PY201's case)", facts=seen_by(intel_python()), expected="passes"),
    Case(
        rule="PY202",
        name="an Intel Mac",
        facts=facts(intel_mac(), intel_python(architectures=UNIVERSAL)),
        expected="passes",
    ),
    Case(rule="PY202", name="architectures unknown", facts=seen_by(python(architectures=UNKNOWN)), expected="unknown"),
]
OLD_SDK = [
    Case(
        rule="PY203",
        name="a Python that believes in 10.16, with pip 23",
        facts=seen_by(python(macos_reported="10.16"), environment("pip==23.2.1")),
        expected="fails",
        severity="warning",
        message_has=("10.16", "pip 23.2.1", "SYSTEM_VERSION_COMPAT=0"),
    ),
    Case(
        rule="PY203",
        name="no pip was seen",
        facts=seen_by(python(macos_reported="10.16"), UNKNOWN),
        expected="fails",
        severity="warning",
        message_has="no pip seen",
    ),
    Case(
        rule="PY203",
        name="pip 24.1 asks again",
        facts=seen_by(python(macos_reported="10.16"), environment("pip==24.1")),
        expected="fails",
        severity="info",
    ),
    Case(
        rule="PY203",
        name="16.0 on macOS 26",
        facts=seen_by(python(macos_reported="16.0"), environment("pip==23.2.1"), mac(os_version="26.1")),
        expected="fails",
        severity="info",
    ),
    Case(rule="PY203", name="the true version", facts=facts(), expected="passes"),
    Case(
        rule="PY203",
        name="a real 10.15",
        facts=seen_by(intel_python(macos_reported="10.15.7"), machine=intel_mac()),
        expected="passes",
    ),
    Case(rule="PY203", name="Linux", facts=facts(linux(), linux_python()), expected="passes"),
    Case(
        rule="PY203",
        name="what it is told is unknown",
        facts=seen_by(python(macos_reported=UNKNOWN)),
        expected="unknown",
    ),
]
WHEELS = [
    Case(
        rule="PY204",
        name="Python 3.14 on an M1: a pre-release only",
        facts=seen_by(python("3.14.0"), NO_TENSORFLOW),
        expected="fails",
        severity="error",
        message_has=("Python 3.14 on macos-arm64", "use one of Python 3.8–3.13", "tfcompat fix --create-venv"),
        also=(("matrix_used", True),),
    ),
    Case(
        rule="PY204",
        name="Python 3.13 on an Intel Mac",
        facts=facts(intel_mac(), intel_python("3.13.1"), NO_TENSORFLOW),
        expected="fails",
        message_has=("macos-x86_64", "3.8–3.12"),
    ),
    Case(
        rule="PY204",
        name="macOS 11",
        facts=seen_by(python(), NO_TENSORFLOW, mac(os_version="11.7")),
        expected="fails",
        message_has="macOS 11.7",
    ),
    Case(
        rule="PY204",
        name="no Python has one there",
        facts=seen_by(python(), NO_TENSORFLOW),
        matrix=tiny_matrix(releases={"tensorflow": [], "tensorflow-macos": []}),
        expected="fails",
        message_has="no Python has one here",
    ),
    Case(rule="PY204", name="Python 3.13 on an M1", facts=seen_by(python("3.13.1"), NO_TENSORFLOW), expected="passes"),
    Case(
        rule="PY204",
        name="Python 3.8 on an M1: tensorflow-macos carries the code",
        facts=seen_by(python("3.8.18"), NO_TENSORFLOW),
        expected="passes",
    ),
    Case(rule="PY204", name="Linux", facts=facts(linux(), linux_python(), NO_TENSORFLOW), expected="passes"),
    Case(rule="PY204", name="Windows", facts=facts(windows(), WINDOWS_PYTHON, NO_TENSORFLOW), expected="passes"),
    Case(
        rule="PY204",
        name="TensorFlow is installed, however",
        facts=seen_by(python("3.14.0"), pair()),
        expected="passes",
    ),
    Case(
        rule="PY204",
        name="a wheel may fit, and macOS is unknown",
        facts=seen_by(python(), NO_TENSORFLOW, mac(os_version=Unknown("not stated in the report"))),
        expected="unknown",
        message_has="the macOS version was not stated in the report",
    ),
    Case(
        rule="PY204",
        name="a wheel may fit, and glibc does not apply (musl)",
        facts=facts(linux(glibc=UNKNOWN), linux_python(), NO_TENSORFLOW),
        expected="unknown",
        message_has="glibc",
    ),
    Case(
        rule="PY204",
        name="the Python unknown",
        facts=seen_by(python(version=UNKNOWN), NO_TENSORFLOW),
        expected="unknown",
    ),
    Case(
        rule="PY205",
        name="Python 3.13",
        facts=seen_by(python("3.13.1"), environment("tensorflow==2.20.0")),
        expected="fails",
        severity="info",
        remedy=True,
        message_has=("no wheel for Python 3.13", "3.8–3.12"),
        also=(("matrix_used", True),),
    ),
    Case(
        rule="PY205", name="Python 3.12", facts=seen_by(python(), environment("tensorflow==2.20.0")), expected="passes"
    ),
    Case(rule="PY205", name="a plugin is installed", facts=seen_by(python("3.13.1"), pair()), expected="passes"),
    Case(
        rule="PY205",
        name="Linux has no Metal",
        facts=facts(linux(), linux_python("3.13.1"), NO_TENSORFLOW),
        expected="passes",
    ),
    Case(rule="PY205", name="the environment unknown", facts=seen_by(python("3.13.1"), UNKNOWN), expected="unknown"),
]
TOOLS = [
    Case(
        rule="PY206",
        name="another environment's Python comes first",
        facts=seen_by(python(), path_python="/Users/me/other/.venv/bin/python"),
        expected="fails",
        severity="info",
        remedy=True,
        message_has=("/Users/me/other", "source /Users/me/project/.venv/bin/activate"),
    ),
    Case(
        rule="PY206",
        name="another version in the same folder",
        facts=seen_by(SYSTEM, path_python="/opt/homebrew/opt/python@3.12/bin/python3.11"),
        expected="fails",
        lacks=('activate"',),
    ),
    Case(
        rule="PY206",
        name="a Windows environment that is not active",
        facts=facts(windows(), WINDOWS_PYTHON, path_python=r"C:\P\python.exe"),
        expected="fails",
        lacks=("source",),
    ),
    Case(
        rule="PY206",
        name="a system Python of another version",
        facts=seen_by(SYSTEM, path_python="/usr/bin/python3.9"),
        expected="fails",
    ),
    Case(rule="PY206", name="the very same", facts=facts(), expected="passes"),
    Case(
        rule="PY206",
        name="another name in the environment's folder",
        facts=seen_by(python(), path_python=PYTHON + "3.12"),
        expected="passes",
    ),
    Case(
        rule="PY206",
        name="another name in a Windows environment's folder",
        facts=facts(windows(), WINDOWS_PYTHON, path_python=r"C:\my env\Scripts\python3.exe"),
        expected="passes",
    ),
    Case(
        rule="PY206",
        name="Homebrew's many names for one Python",
        facts=seen_by(SYSTEM, path_python="/opt/homebrew/Cellar/python@3.12/3.12.4/bin/python3.12"),
        expected="unknown",
        message_has="is not told by the paths",
    ),
    Case(
        rule="PY206",
        name="no python on PATH",
        facts=facts(path_python=Unknown("no python on PATH")),
        expected="unknown",
        message_has="no python on PATH",
    ),
    Case(
        rule="PY207",
        name="pip 20.2 on an M1 before TensorFlow is there",
        facts=seen_by(python(), environment("pip==20.2.4")),
        expected="fails",
        severity="error",
        message_has=(
            "pip 20.2.4",
            "21.0.1",
            "uv pip install --python /Users/me/project/.venv/bin/python 'pip>=21.0.1'",
        ),
    ),
    Case(
        rule="PY207",
        name="pip 20.2 beside an installed TensorFlow",
        facts=seen_by(python(), environment("pip==20.2.4", "tensorflow==2.18.1")),
        expected="fails",
        severity="warning",
    ),
    Case(
        rule="PY207",
        name="pip 20.2 in a conda environment",
        facts=seen_by(python(), environment("pip==20.2.4", kind="conda", conda_prefix="/opt/conda")),
        expected="fails",
        lacks=("uv pip",),
    ),
    Case(
        rule="PY207",
        name="pip 18 on Windows",
        facts=facts(windows(), WINDOWS_PYTHON, environment("pip==18.1")),
        expected="fails",
        message_has=("19.0", '"C:\\my env\\Scripts\\python.exe"'),
    ),
    Case(
        rule="PY207",
        name="pip 20.3 on Linux",
        facts=facts(linux(), linux_python(), environment("pip==20.3")),
        expected="passes",
    ),
    Case(
        rule="PY207",
        name="pip 20.3 on Linux/ARM",
        facts=facts(linux(architecture="aarch64"), linux_python(machine="aarch64"), environment("pip==20.2")),
        expected="fails",
    ),
    Case(rule="PY207", name="no pip (uv's environments)", facts=facts(), expected="passes"),
    Case(rule="PY207", name="pip 21.0.1", facts=seen_by(python(), environment("pip==21.0.1")), expected="passes"),
    Case(
        rule="PY207",
        name="a platform TensorFlow does not know",
        facts=facts(linux(architecture="riscv64"), linux_python(machine="riscv64"), environment("pip==10.0")),
        expected="passes",
    ),
    Case(rule="PY207", name="the environment unknown", facts=seen_by(python(), UNKNOWN), expected="unknown"),
    Case(
        rule="PY208",
        name="the only Python kernel starts another interpreter",
        facts=seen_by(python(), pair(kernels=(OTHER, R_KERNEL))),
        expected="fails",
        severity="warning",
        message_has=("/usr/bin/python3", "-m ipykernel install --user --name tensorflow", "uv pip install --python"),
        lacks=("/opt/R",),
    ),
    Case(
        rule="PY208",
        name="the same in a conda environment",
        facts=seen_by(python(), pair(kernels=(OTHER,), kind="conda", conda_prefix="/opt/conda")),
        expected="fails",
        message_has="tfcompat fix --create-venv --kernel tensorflow",
        lacks=("uv pip",),
    ),
    Case(
        rule="PY208",
        name="one kernel of several is ours",
        facts=seen_by(python(), pair(kernels=(OTHER, OWN))),
        expected="passes",
    ),
    Case(
        rule="PY208",
        name="kernels of other languages only",
        facts=seen_by(python(), pair(kernels=(R_KERNEL,))),
        expected="passes",
    ),
    Case(rule="PY208", name="no Jupyter", facts=facts(), expected="passes"),
    Case(
        rule="PY208", name="kernels not looked at", facts=seen_by(python(), pair(kernels=UNKNOWN)), expected="unknown"
    ),
]
IMPLEMENTATION = [
    Case(
        rule="PY209",
        name="PyPy",
        facts=seen_by(python("3.10.14", implementation="pypy", abi="pp310")),
        expected="fails",
        severity="error",
        message_has=("no wheels for pypy", "3.10.14"),
    ),
    Case(
        rule="PY209",
        name="the free-threaded build",
        facts=seen_by(python("3.13.1", abi="cp313t", free_threaded=True)),
        expected="fails",
        message_has="free-threaded",
    ),
    Case(rule="PY209", name="CPython 3.13", facts=seen_by(python("3.13.1")), expected="passes"),
    Case(
        rule="PY209",
        name="the implementation unknown",
        facts=seen_by(python(implementation=UNKNOWN)),
        expected="unknown",
    ),
    Case(rule="PY209", name="threading unknown", facts=seen_by(python(free_threaded=UNKNOWN)), expected="unknown"),
    Case(rule="PY209", name="no interpreter", facts=facts(interpreter=Unknown("not stated")), expected="unknown"),
]

CASES: list[Case] = [*TRANSLATED, *OLD_SDK, *WHEELS, *TOOLS, *IMPLEMENTATION]
