"""Which environment is meant, and all that can be read of it: the interpreter's own answer and what its files add."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from compat.errors import BadBinary, CannotLook, UsageError
from compat.facts.environment import Environment, PluginFile
from compat.facts.image import LinkProof
from compat.facts.interpreter import Interpreter
from compat.facts.known import Known, Unknown, is_known, known
from compat.facts.machine import Machine
from compat.probe.architectures import architectures_of, is_macho
from compat.probe.interpreters import BESIDE, PYTHON_NAME, find_all, foreign, interpreter_in, on_path, origin_of, settle
from compat.probe.interrogate import TIMEOUT, interrogate, interrogate_target
from compat.probe.kernels import find_kernels
from compat.probe.shims import behind_shim, is_shim

VERSION = re.compile(r"\d+(\.\d+){0,2}")
PLATFORMS = ("macos-arm64", "macos-x86_64", "linux-x86_64", "linux-aarch64", "windows-amd64")
SAMPLES = (
    "tensorflow/python/_pywrap_tensorflow_internal.*",
    "tensorflow/libtensorflow_framework.*",
    "numpy/_core/_multiarray_umath.*",
    "numpy/core/_multiarray_umath.*",
    "h5py/_conv.*",
    "grpc/_cython/cygrpc.*",
)
"""Extension modules looked at for the architectures of an environment: one of each package that fails first."""
LIBRARY = (".so", ".dylib", ".pyd", ".dll", ".2")
NAME_ONE = "name an interpreter with --python, or an environment with --venv"


def find_interpreter(
    python: str | None = None,
    venv: str | None = None,
    variables: Mapping[str, str] | None = None,
    current: Path | None = None,
) -> str:
    """Return the absolute path of the interpreter that is meant; links are kept, because they make the environment.

    ``python`` is a path, a name on PATH or a version; ``venv`` an environment's folder. Without either: the active
    environment, then one beside the current folder, then PATH, and our own tool environment only where there is no
    other. Raises CannotLook, UsageError.
    """
    given = os.environ if variables is None else variables
    here = current or Path.cwd()
    if python is not None and venv is not None:
        raise UsageError("--python and --venv name two environments", hint="give one of them")
    if venv is not None:
        return _in_folder(here / Path(venv).expanduser(), f"--venv {venv}")
    if python is not None:
        return _named(python, given, here)
    return _default(given, here)


def look(interpreter: str, timeout: float = TIMEOUT) -> tuple[Interpreter, Environment]:
    """Ask an interpreter and complete its answer. Raises CannotLook."""
    return complete(*interrogate(interpreter, timeout))


def complete(interpreter: Interpreter, environment: Environment) -> tuple[Interpreter, Environment]:
    """Add what only the files tell: architectures, origin, the plugins' link proofs, Jupyter kernels."""
    base = known(interpreter.base_prefix) or known(interpreter.prefix) or ""
    whole = replace(
        interpreter,
        path=settle(interpreter.path) if interpreter.path else interpreter.path,
        architectures=architectures_of(interpreter.path),
        origin=origin_of(base),
    )
    kernels = find_kernels(interpreter.path, environment.path, os.environ, sys.platform)
    return whole, replace(_with_binaries(environment), kernels=kernels)


def target_environment(directory: str, platform: str, python_version: str) -> tuple[Interpreter, Environment]:
    """Return the static facts of a folder installed for another machine (``uv pip install --target``).

    Raises UsageError for a platform or version that is none, CannotLook for a folder that is none.
    """
    if platform not in PLATFORMS:
        raise UsageError(f"unknown platform {platform}", hint=f"one of {', '.join(PLATFORMS)}")
    if not VERSION.fullmatch(python_version) or "." not in python_version:
        raise UsageError(f"{python_version} is no Python version", hint="write it as 3.12")
    if not Path(directory).is_dir():
        raise CannotLook(
            f"--target {directory} is no folder", hint="give the folder that `uv pip install --target` filled"
        )
    system, _, architecture = platform.partition("-")
    environment = interrogate_target(os.path.abspath(directory), system)  # noqa: PTH100
    interpreter = Interpreter(
        path=environment.path,
        version=python_version,
        implementation="cpython",
        abi="cp" + "".join(python_version.split(".")[:2]),
        machine=architecture,
    )
    return interpreter, _with_binaries(environment)


def target_machine(platform: str) -> Machine:
    """Return what the name of a platform says about a machine nobody looked at. Raises UsageError."""
    if platform not in PLATFORMS:
        raise UsageError(f"unknown platform {platform}", hint=f"one of {', '.join(PLATFORMS)}")
    system, _, architecture = platform.partition("-")
    return Machine(os=system, architecture=architecture)


def _named(python: str, variables: Mapping[str, str], current: Path) -> str:
    path = current / Path(python).expanduser()
    wanted = python.removeprefix("python") if VERSION.fullmatch(python.removeprefix("python")) else None
    on_path_alone = wanted is not None or PYTHON_NAME.fullmatch(python) is not None  # as in a shell: never a file here
    if path.is_dir() and not on_path_alone:
        return _in_folder(path, f"--python {python}")
    is_path = bool(os.path.dirname(python))  # noqa: PTH120 - a bare name has no folder
    if is_path or (not on_path_alone and (path.exists() or path.is_symlink())):
        return os.path.abspath(path)  # noqa: PTH100 - the links are what makes it an environment's
    name = f"python{wanted}" if wanted else python
    for found in on_path(variables, (name,)):
        if foreign(found, current) is None:
            return _followed(found, variables, current)
    if wanted:
        return _of_version(wanted, variables, current)
    raise CannotLook(f"there is no {python} on PATH", hint=NAME_ONE)


def _of_version(wanted: str, variables: Mapping[str, str], current: Path) -> str:
    fits: dict[tuple[int, ...], str] = {}
    for found in find_all(variables, current):
        version = known(found.version)
        if found.problem is None and version and f"{version}.".startswith(f"{wanted}."):
            fits.setdefault(tuple(int(part) for part in version.split(".")), found.path)
    if not fits:
        raise CannotLook(
            f"no Python {wanted} found on this machine", hint=f"uv can bring one: uv python install {wanted}"
        )
    return fits[max(fits)]


def _default(variables: Mapping[str, str], current: Path) -> str:
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        if variables.get(name) and not _is_ours(Path(variables[name])):
            return _in_folder(Path(variables[name]), f"{name}={variables[name]}")
    for beside in BESIDE:
        if (current / beside / "pyvenv.cfg").is_file() and not _is_ours(current / beside):
            return _not_foreign(_in_folder(current / beside, beside), current)
    for name in ("python", "python3"):
        for path in on_path(variables, (name,)):
            leads_to = behind_shim(path, variables, current) if is_shim(path) else str(path)
            if isinstance(leads_to, str) and path.exists() and _may_be_taken(Path(leads_to), current):
                return leads_to
    return sys.executable


def _not_foreign(interpreter: str, current: Path) -> str:
    """Refuse to start, unasked, what came with the project. Raises CannotLook."""
    problem = foreign(Path(interpreter), current)
    if problem is not None:
        raise CannotLook(
            f"{interpreter} is {problem}: it is not started unasked",
            hint=f"if you trust it, name it: --python {shlex.quote(interpreter)}; otherwise name another",
        )
    return interpreter


def _followed(path: Path, variables: Mapping[str, str], current: Path) -> str:
    leads_to = behind_shim(path, variables, current) if is_shim(path) else str(path)
    if not isinstance(leads_to, str):
        why = leads_to.why if isinstance(leads_to, Unknown) else "it leads nowhere"
        raise CannotLook(
            f"{path}: {why}", hint="choose a version with the version manager, or name a path with --python"
        )
    return leads_to


def _in_folder(folder: Path, named: str) -> str:
    place = Path(os.path.abspath(folder))  # noqa: PTH100
    found = interpreter_in(place)
    if found is not None:
        return str(found)
    if not place.exists():
        raise CannotLook(f"{named}: there is no such folder", hint=NAME_ONE)
    if not place.is_dir():
        raise CannotLook(f"{named} is a file, not an environment", hint="name an interpreter with --python")
    raise CannotLook(f"{named} is no environment: there is no interpreter in it", hint=NAME_ONE)


def _may_be_taken(interpreter: Path, current: Path) -> bool:
    return not _is_ours(interpreter.parent.parent) and foreign(interpreter, current) is None


def _is_ours(prefix: Path) -> bool:
    """Tell whether a prefix is the tool's own environment; one that holds TensorFlow too is the user's."""
    if os.path.realpath(prefix) != os.path.realpath(sys.prefix):
        return False
    return not any(prefix.glob("lib/python3*/site-packages/tensorflow*.dist-info"))


def _with_binaries(environment: Environment) -> Environment:
    body = next((item.location for item in environment.distributions if item.provides_top_level), None)
    plugins = environment.plugins
    if is_known(plugins):
        plugins = tuple(_with_proof(plugin, body) for plugin in known(plugins) or ())
    return replace(environment, plugins=plugins, binary_architectures=_sampled(environment))


def _with_proof(plugin: PluginFile, body: str | None) -> PluginFile:
    if not is_macho(plugin.path):
        return replace(plugin, link_proof=Unknown("not a Mach-O file"))
    return replace(plugin, link_proof=_proof(Path(plugin.path), Path(body or plugin.site)))


def _proof(plugin: Path, site: Path) -> Known[LinkProof]:
    from compat.probe.links import prove_installed

    try:
        return prove_installed(site, plugin)
    except (BadBinary, CannotLook) as error:
        return Unknown(error.message)
    except (OSError, ValueError) as error:
        return Unknown(f"{plugin.name} could not be read: {error}")


def _sampled(environment: Environment) -> tuple[str, ...]:
    """Return the architectures of sampled one-architecture files, sorted, so that two of them are a mixture.

    Universal files fit either side and say nothing; they count only where there are no others.
    """
    thin: set[str] = set()
    universal: set[str] = set()
    sites = dict.fromkeys(item.location for item in environment.distributions)
    files = [path for site in sites for sample in SAMPLES for path in Path(site).glob(sample)]
    plugins = [Path(plugin.path) for plugin in known(environment.plugins) or ()]
    for path in [*(file for file in files if file.suffix in LIBRARY), *plugins]:
        built_for = known(architectures_of(path)) or ()
        (thin if len(built_for) == 1 else universal).update(built_for)
    return tuple(sorted(thin or universal))
