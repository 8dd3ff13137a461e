"""Rules about what the user's tools start and install: ``python`` on PATH, pip, Jupyter kernels."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath, PureWindowsPath

from compat.facts.capture import Facts
from compat.facts.environment import Kernel
from compat.facts.interpreter import Interpreter
from compat.facts.known import known
from compat.matrix.load import Matrix
from compat.matrix.versions import minor, order
from compat.verdict.finding import Evidence, Finding, Remedy, Severity
from compat.verdict.rule import MissingFactError, Rule, environment_of, interpreter_of, must, text
from compat.verdict.rules import remedies
from compat.verdict.rules.installed import members
from compat.verdict.rules.running import running_architecture

OLDEST_PIP = {
    "macos-arm64": ("21.0.1", "macosx_10_N_universal2 on arm64, which ml-dtypes and protobuf use"),
    "macos-x86_64": ("20.3", "macOS 11 and newer"),
    "linux-x86_64": ("20.3", "manylinux_2_N"),
    "linux-arm64": ("20.3", "manylinux_2_N"),
    "windows-x86_64": ("19.0", "TensorFlow 2"),
}
"""First pip that takes every tag TensorFlow and its dependencies come with there, and what those tags are.

https://www.tensorflow.org/install/pip (19.0; macOS 20.3), https://github.com/pypa/manylinux (20.3), and for universal2
packaging 20.9, first in pip 21.0.1.
"""


class PythonOnPath(Rule):
    """``python`` on PATH is this environment's.

    What was examined is one environment; what a bare ``python`` starts may be another, and then a script "does not
    find" what is installed, or finds another TensorFlow. A remark: naming an environment on purpose is no fault.

    Looks at: where ``python`` on PATH leads, the interpreter that was examined.
    Remedy: activate the environment, or start its interpreter by its full path.
    Source: how shells look programs up; reports of notebooks and editors that used another Python.
    """

    id = "PY206"
    title = "`python` on PATH is this environment's"
    severity = Severity.INFO

    def check(self, facts: Facts, matrix: Matrix) -> Iterator[Finding]:  # noqa: ARG002
        """Yield that a bare ``python`` starts something else."""
        interpreter = interpreter_of(facts)
        leads = text(facts.path_python, "what `python` on PATH starts")
        if _is_same(leads, interpreter):
            return
        virtual = known(interpreter.origin) == "venv"
        activate = f"source {remedies.quote(_folder(interpreter.path) + '/activate', facts)}"
        windows = known(facts.machine.os) == "windows"
        yield self.fails(
            "`python` on PATH starts another interpreter than the one examined",
            evidence=[
                Evidence(fact=f"`python` leads to {leads}", source="PATH"),
                Evidence(fact=f"examined was {interpreter.path}"),
            ],
            remedy=Remedy(
                text="activate the environment, or start its interpreter by its full path",
                commands=(activate,) if virtual and not windows else (),
            ),
            verify="python -c 'import sys; print(sys.executable)'",
        )


def _is_same(leads: str, interpreter: Interpreter) -> bool:
    """Tell whether two paths start one interpreter; several names in one folder do, if their version fits.

    Raises MissingFactError where neither path is in an environment's folder and both name the same version: one may be
    a link to the other (Homebrew's are).
    """
    if leads == interpreter.path:
        return True
    suffix = _name(leads).removeprefix("python").removesuffix(".exe")
    version = minor(known(interpreter.version) or "")
    fits = suffix in {"", "3", version}
    if _folder(leads) == _folder(interpreter.path):
        return fits
    if known(interpreter.prefix) == known(interpreter.base_prefix) and fits:
        raise MissingFactError("whether `python` on PATH is this interpreter", "is not told by the paths")
    return False


def _folder(path: str) -> str:
    return str((PureWindowsPath if "\\" in path else PurePosixPath)(path).parent)


def _name(path: str) -> str:
    return (PureWindowsPath if "\\" in path else PurePosixPath)(path).name


class PipNewEnough(Rule):
    """pip is new enough for the wheels' tags.

    An old pip does not know newer platform tags, silently passes over the wheels that carry them, and then says "no
    matching distribution found", or starts to compile a dependency.

    Looks at: the environment's pip, its platform, whether a TensorFlow is installed.
    Remedy: a newer pip in this environment.
    Source: https://www.tensorflow.org/install/pip, https://github.com/pypa/manylinux, pip's own change log.
    """

    id = "PY207"
    title = "pip knows the tags of TensorFlow's wheels"

    def check(self, facts: Facts, matrix: Matrix) -> Iterator[Finding]:  # noqa: ARG002
        """Yield a pip that passes the wheels over."""
        environment = environment_of(facts)
        pip = environment.version("pip")
        if pip is None:
            return
        platform = f"{text(facts.machine.os, 'the operating system')}-{running_architecture(facts)}"
        oldest, tags = OLDEST_PIP.get(platform, ("0", ""))
        if order(pip) >= order(oldest):
            return
        yield self.fails(
            f"pip {pip} passes over wheels for {tags}; {oldest} is the first to take them",
            severity=Severity.WARNING if members(environment) else Severity.ERROR,
            evidence=[Evidence(fact=f"pip {pip} on {platform}", source=environment.path)],
            remedy=remedies.install(facts, f"pip>={oldest}", text=f"bring pip to {oldest} or newer"),
            verify=f"{remedies.quote(interpreter_of(facts).path, facts)} -m pip --version",
        )


class JupyterKernel(Rule):
    """A Jupyter kernel starts this environment.

    A notebook runs in the interpreter that its kernel names, not in the one the terminal shows; kernels of other
    environments are no fault as long as one starts this one. Without any Python kernel there is nothing to mistake.

    Looks at: the kernels Jupyter would offer, and the interpreter each starts.
    Remedy: register a kernel of this environment, under a name of its own.
    Source: https://ipython.readthedocs.io/en/stable/install/kernel_install.html.
    """

    id = "PY208"
    title = "a Jupyter kernel starts this environment"
    severity = Severity.WARNING

    def check(self, facts: Facts, matrix: Matrix) -> Iterator[Finding]:  # noqa: ARG002
        """Yield that every Python kernel starts another interpreter."""
        environment = environment_of(facts)
        kernels = [kernel for kernel in must(environment.kernels, "the Jupyter kernels") if _is_python(kernel)]
        if not kernels or any(kernel.same_interpreter for kernel in kernels):
            return
        ipykernel = remedies.install(facts, "ipykernel", text="install ipykernel here and register it with Jupyter")
        path = remedies.quote(interpreter_of(facts).path, facts)
        register = f"{path} -m ipykernel install --user --name tensorflow"
        own = ipykernel.commands and remedies.NEW_ENVIRONMENT not in ipykernel.commands
        yield self.fails(
            "notebooks run in another interpreter: no Jupyter kernel starts this environment",
            evidence=[Evidence(fact=f"kernel {kernel.name} starts {kernel.argv0}") for kernel in kernels],
            remedy=Remedy(
                text=ipykernel.text,
                commands=(*ipykernel.commands, register)
                if own
                else (f"{remedies.NEW_ENVIRONMENT} --kernel tensorflow",),
            ),
            verify="jupyter kernelspec list",
        )


def _is_python(kernel: Kernel) -> bool:
    return _name(kernel.argv0).lower().startswith(("python", "pypy"))


RULES: tuple[Rule, ...] = (PythonOnPath(), PipNewEnough(), JupyterKernel())
