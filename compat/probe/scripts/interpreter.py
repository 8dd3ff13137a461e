"""Say, from inside an interpreter, what it is and what is installed beside it.

Run by another Python as ``python -I -S -B interpreter.py --cookie X`` and never imported. Standard library only; the syntax
stays parseable by Python 3.4 so that every Python that knows ``-I`` reaches the version gate; CPython 3.8 is the floor
beyond it. The answer is one JSON object between two cookies on stdout. A known problem is an answer too
(``{"result": "error", "kind": ...}``) and exits 0.

``--target DIR --system macos`` describes a folder installed for another platform (``uv pip install --target``) instead
of the interpreter's own path.

``-I`` switches the user site and PYTHONPATH off, ``-S`` the rest of ``site``: nothing that is installed in the environment
is executed to be looked at, no ``sitecustomize`` and no line of a ``.pth`` file. What ordinary runs would see is derived
here, by the rules of ``site.py``. ``json``, ``email``, ``re``, ``pathlib`` and ``importlib.metadata`` are left out on purpose: importing them
takes longer than the whole look.
"""

import sys


def send(text):
    cookie = sys.argv[sys.argv.index("--cookie") + 1]
    sys.stdout.write("\n" + cookie + text + cookie + "\n")
    sys.stdout.flush()


if sys.version_info < (3, 8):
    send('{"result": "error", "kind": "too-old", "detail": "%d.%d.%d"}' % sys.version_info[:3])
    sys.exit(0)

import os
import site
import sysconfig

NOT_APPLICABLE = {"not_applicable": True}
# The distributions that may carry the package ``tensorflow``; from 2.13 to 2.16 some are shells that require another.
TENSORFLOW = frozenset(
    "tensorflow tensorflow-macos tensorflow-cpu tensorflow-gpu tensorflow-intel tensorflow-rocm tensorflow-cpu-aws"
    " tensorflow-aarch64 tf-nightly tf-nightly-cpu tf-nightly-macos intel-tensorflow".split()
)
BODY = b"tensorflow/__init__.py"
WANTED = frozenset(("name", "version", "requires-dist", "requires-python"))
HEADER_LIMIT = 1 << 20
FILE_LIMIT = 1 << 26  # the RECORD of a TensorFlow has 4 MB; a link to a device has no end
TEXT_LIMIT = 4096


def main():
    try:
        options = dict(zip(sys.argv[1::2], sys.argv[2::2]))
        target = options.get("--target")
        answer = describe_target(target, options.get("--system")) if target else describe_self()
    except Exception as error:
        answer = {"result": "error", "kind": "crashed", "detail": "%s: %s" % (type(error).__name__, error)}
    send(dumps(answer))


def describe_self():
    enter_environment()
    path = ordinary_path()
    enabled = user_site_enabled()
    scanned = [site.getusersitepackages()] if enabled else []
    scanned += [entry for entry in path if "site-packages" in entry] + site.getsitepackages()
    named = os.environ.get("TF_PLUGGABLE_DEVICE_LIBRARY_PATH")
    plugins = find_plugins(scanned, sys.platform, site.getusersitepackages(), named)
    environment = describe_folders(path, plugins, conda_names(sys.prefix))
    environment["kind"] = kind()
    environment["path"] = sys.prefix
    environment["conda_prefix"] = sys.prefix if is_conda(sys.prefix) else None
    return {"result": "answer", "interpreter": describe_interpreter(enabled), "environment": environment}


def enter_environment():
    """Let ``sys.prefix`` be the virtual environment's, which is ``site``'s to do before Python 3.14; execute nothing."""
    if sys.flags.no_site and hasattr(site, "venv"):
        site.addsitepackages = lambda known_paths, prefixes=None: known_paths
        site.venv(set())


def describe_target(folder, system):
    folder = os.path.abspath(folder)
    os.listdir(folder)
    plugins = find_plugins([folder], {"macos": "darwin", "windows": "win32"}.get(system, system), None, None)
    environment = describe_folders([folder], plugins, frozenset())
    environment["kind"] = "target"
    environment["path"] = folder
    return {"result": "answer", "interpreter": None, "environment": environment}


def describe_interpreter(user_enabled):
    version = "%d.%d.%d" % sys.version_info[:3]
    if sys.version_info[3] != "final":
        version += {"alpha": "a", "beta": "b", "candidate": "rc"}[sys.version_info[3]] + str(sys.version_info[4])
    threaded = "free-threading" in sys.version
    cpython = sys.implementation.name == "cpython"
    return {
        "path": sys.executable or "",
        "version": version,
        "implementation": sys.implementation.name,
        "abi": "%s%d%d%s" % ("cp" if cpython else "pp", sys.version_info[0], sys.version_info[1], "t" * threaded),
        "platform_tag": sysconfig.get_platform(),
        "machine": machine(),
        "translated": translated(),
        "macos_reported": macos_reported(),
        "prefix": sys.prefix,
        "base_prefix": getattr(sys, "real_prefix", sys.base_prefix),
        "user_site": site.getusersitepackages() or NOT_APPLICABLE,
        "user_site_enabled": user_enabled,
        "site_directories": site.getsitepackages(),
        "python_path": python_path(),
        "free_threaded": threaded,
    }


def machine():
    if hasattr(os, "uname"):
        return os.uname().machine
    import platform

    return platform.machine()


def macos_reported():
    if sys.platform != "darwin":
        return NOT_APPLICABLE
    import platform

    return platform.mac_ver()[0] or {"unknown": "platform.mac_ver() is empty"}


def translated():
    """Whether Rosetta runs this very process; asked in-process, because a child ``sysctl`` may be native.

    The key is missing on Intel Macs (Apple, "About the Rosetta translation environment").
    """
    if sys.platform != "darwin":
        return NOT_APPLICABLE
    try:
        import ctypes

        value, size = ctypes.c_int(0), ctypes.c_size_t(ctypes.sizeof(ctypes.c_int))
        libc = ctypes.CDLL(None)
        code = libc.sysctlbyname(b"sysctl.proc_translated", ctypes.byref(value), ctypes.byref(size), None, 0)
    except Exception as error:
        return {"unknown": "sysctlbyname: %s" % error}
    return code == 0 and value.value == 1


def kind():
    if is_conda(sys.prefix):
        return "conda"
    return "venv" if sys.prefix != getattr(sys, "real_prefix", sys.base_prefix) else "system"


def is_conda(prefix):
    return os.path.isdir(os.path.join(prefix, "conda-meta"))


def conda_names(prefix):
    """Names that conda's records own: files are called ``name-version-build.json``."""
    try:
        names = os.listdir(os.path.join(prefix, "conda-meta"))
    except OSError:
        return frozenset()
    return frozenset(normalized(name.rsplit("-", 2)[0]) for name in names if name.endswith(".json"))


def python_path():
    entries = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    return [os.path.abspath(entry) for entry in entries if entry]


def user_site_enabled():
    """What ``site.check_enableusersite`` and ``site.venv`` decide in a run without ``-I`` or ``-s``."""
    if os.environ.get("PYTHONNOUSERSITE"):
        return False
    if sys.prefix != sys.base_prefix and not includes_system_site():
        return False
    if hasattr(os, "getuid") and (os.getuid(), os.getgid()) != (os.geteuid(), os.getegid()):
        return False
    return bool(site.getusersitepackages())


def includes_system_site():
    for line in read(os.path.join(sys.prefix, "pyvenv.cfg")).decode("utf-8", "replace").splitlines():
        key, equals, value = line.partition("=")
        if equals and key.strip().lower() == "include-system-site-packages":
            return value.strip().lower() == "true"
    return True


def ordinary_path():
    """``sys.path`` of an ordinary run: PYTHONPATH first, the user site between the environment's and the system's."""
    path = [entry for entry in sys.path if os.path.isdir(entry)]
    venv = sys.prefix != sys.base_prefix
    inside = [entry for entry in site.getsitepackages() if venv and entry.startswith(sys.prefix + os.sep)]
    user = [site.getusersitepackages()] if user_site_enabled() else []
    for folder in inside + user + [entry for entry in site.getsitepackages() if entry not in inside]:
        if os.path.isdir(folder):
            path += [entry for entry in with_pth_entries(folder) if entry not in path]
    return python_path() + path


def with_pth_entries(folder):
    found = [folder]
    for name in sorted(listed(folder)):
        if name.endswith(".pth") and not name.startswith("."):
            for line in read(os.path.join(folder, name)).decode("utf-8", "replace").splitlines():
                entry = os.path.abspath(os.path.join(folder, line.strip()))
                words = line.strip() and not line.startswith(("#", "import ", "import\t"))
                if words and entry not in found and os.path.isdir(entry):
                    found.append(entry)
    return found


def describe_folders(path, plugins, conda_owned):
    distributions, duplicates, leftovers, unreadable, seen = [], set(), [], [], set()
    for folder in path:
        real = os.path.realpath(folder)
        if real in seen:
            continue
        seen.add(real)
        try:
            names = sorted(os.listdir(folder))
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError:
            unreadable.append(folder)
            continue
        here = set()
        for name in names:
            if name.startswith("~"):
                leftovers.append(printable(os.path.join(folder, name)))
            elif name.endswith((".dist-info", ".egg-info")):
                found = read_distribution(folder, name, conda_owned)
                (duplicates if found["name"] in here else here).add(found["name"])
                distributions.append(found)
    assign_owners(plugins, distributions)
    return {
        "distributions": distributions,
        "plugins": plugins,
        "duplicates": sorted(duplicates),
        "leftovers": leftovers,
        "unreadable": unreadable,
        "has_pkg_resources": any(os.path.isfile(os.path.join(p, "pkg_resources", "__init__.py")) for p in path),
    }


def read_distribution(location, folder_name, conda_owned):
    folder = os.path.join(location, folder_name)
    files = listed(folder)
    if folder_name.endswith(".dist-info"):
        source = os.path.join(folder, "METADATA")
    else:  # distutils wrote .egg-info as one file, setuptools as a folder
        source = os.path.join(folder, "PKG-INFO") if os.path.isdir(folder) else folder
    fields, problems = read_headers(source)
    stem = folder_name.rpartition(".")[0].split("-")
    named = stem[1] if len(stem) > 1 else "?"
    found = {
        "name": normalized(first(fields, "name") or stem[0]) or "?",
        "version": printable((not problems and first(fields, "version")) or named),
        "location": location,
        "folder": folder,
        "installer": text_of(os.path.join(folder, "INSTALLER")) if "INSTALLER" in files else None,
        "requires": [printable(item) for item in fields.get("requires-dist", ())],
        "requires_python": printable(first(fields, "requires-python") or "") or None,
        "wheel_tags": wheel_tags(folder) if "WHEEL" in files else [],
        "direct_url": direct_url(folder) if "direct_url.json" in files else None,
        "has_record": "RECORD" in files,
        "problem": "; ".join(problems) or None,
    }
    found["conda"] = found["installer"] == "conda" or found["name"] in conda_owned
    if found["name"] in TENSORFLOW and found["has_record"]:
        found["provides_top_level"] = b"\n" + BODY + b"," in b"\n" + read(os.path.join(folder, "RECORD"))
        if found["provides_top_level"]:
            found["record_complete"] = os.path.isfile(os.path.join(location, os.fsdecode(BODY)))
    return found


def read_headers(path):
    """The wanted headers of a metadata file as {name: [values]}, and what is wrong with the file."""
    what = os.path.basename(path)
    try:
        data = read_head(path)
    except OSError as error:
        return {}, ["%s cannot be read: %s" % (what, error.strerror)]
    if not data.strip(b"\0 \r\n"):
        return {}, ["%s is empty" % what]
    head, blank, _ = data.replace(b"\r\n", b"\n").partition(b"\n\n")
    problems = [] if blank or data.endswith(b"\n") else ["%s is cut short" % what]
    try:
        text = head.decode("utf-8")
    except UnicodeDecodeError:
        text = head.decode("utf-8", "replace")
        problems.append("%s is not UTF-8" % what)
    fields = wanted_fields(text)
    problems += ["%s has no %s" % (what, key.title()) for key in ("name", "version") if not first(fields, key)]
    return fields, problems


def read_head(path):
    """The file as far as its first blank line at least; descriptions of 100 KB are left where they are."""
    with open(path, "rb", buffering=0) as file:
        data = more = file.read(16384)
        while more and b"\n\n" not in data and b"\r\n\r\n" not in data and len(data) < HEADER_LIMIT:
            more = file.read(262144)
            data += more
    return data


def wanted_fields(text):
    fields, last = {}, None
    for line in text.split("\n"):
        if line.startswith((" ", "\t")):  # a folded line
            if last:
                last[-1] += " " + line.strip()
            continue
        last = None
        if line[:1] in "NnVvRr":  # most lines are classifiers and links
            key, colon, value = line.partition(":")
            if key.lower() in WANTED:
                last = fields.setdefault(key.lower(), [])
                last.append(value.strip())
    return fields


def wheel_tags(folder):
    lines = read(os.path.join(folder, "WHEEL")).decode("utf-8", "replace").splitlines()
    return [printable(line.partition(":")[2].strip()) for line in lines if line.lower().startswith("tag:")]


def direct_url(folder):
    """Where PEP 610 says the distribution came from; credentials are masked before they leave this process."""
    import json

    try:
        found = json.loads(read(os.path.join(folder, "direct_url.json")).decode("utf-8"))
        scheme, separator, rest = str(found["url"]).partition("://")
        vcs = found.get("vcs_info") or {}
        commit = vcs.get("commit_id")
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
    host, slash, path = rest.partition("/")
    if "@" in host:
        host = "***@" + host.rpartition("@")[2]
    prefix = vcs["vcs"] + "+" if vcs.get("vcs") else ""
    return printable(prefix + scheme + separator + host + slash + path + ("@" + str(commit) if commit else ""))


def find_plugins(scanned, system, user, named):
    """Every library TensorFlow's ``__init__`` would hand to ``load_pluggable_device_library``."""
    found = [
        {"path": path, "site": folder, "from_user_site": folder == user, "from_variable": False, "owners": []}
        for folder in dict.fromkeys(scanned)
        for path in libraries(os.path.join(folder, "tensorflow-plugins"), system)
    ]
    for path in libraries(os.path.abspath(named), system) if named else ():
        place = os.path.dirname(path)
        found.append({"path": path, "site": place, "from_user_site": False, "from_variable": True, "owners": []})
    return found


def libraries(place, system):
    if os.path.isfile(place):
        return [place]
    return [os.path.join(place, name) for name in sorted(listed(place)) if is_library(name, system)]


def is_library(name, system):
    """TensorFlow's own test, by the name alone (``load_library._is_shared_object``)."""
    if system == "darwin":
        return name.endswith(".dylib")
    if system == "win32":
        return name.endswith(".dll")
    return name.endswith(".so") or name.rpartition(".so.")[2][:1].isdecimal() and ".so." in name


def assign_owners(plugins, distributions):
    for item in distributions:
        folder = item.pop("folder")
        record = read(os.path.join(folder, "RECORD")) if plugins and item["has_record"] else b""
        for plugin in plugins:
            if names_file(record, item["location"], plugin["path"]):
                plugin["owners"].append("%s==%s" % (item["name"], item["version"]))


def names_file(record, location, path):
    name = os.fsencode(os.path.basename(path))
    at = record.find(name)
    while at >= 0:
        line = record[record.rfind(b"\n", 0, at) + 1 : (record.find(b"\n", at) + 1 or len(record) + 1) - 1]
        listed_path = os.fsdecode(line.rsplit(b",", 2)[0].strip(b'"'))
        if os.path.realpath(os.path.join(location, listed_path)) == os.path.realpath(path):
            return True
        at = record.find(name, at + 1)
    return False


def normalized(name):
    """PEP 503, with anything unprintable replaced."""
    parts = printable(name).lower().replace("_", "-").replace(".", "-").split("-")
    return "-".join(part for part in parts if part)


def printable(text):
    """The text without what a terminal would obey, and no longer than a name, a requirement or a path may be."""
    if len(text) > TEXT_LIMIT:
        text = text[: TEXT_LIMIT - 3] + "..."
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else "\ufffd" for char in text)


def first(fields, key):
    return (fields.get(key) or [None])[0]


def listed(folder):
    try:
        return os.listdir(folder)
    except OSError:
        return []


def text_of(path):
    return printable(read(path).decode("utf-8", "replace").strip()) or None


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read(FILE_LIMIT)
    except OSError:
        return b""


def dumps(value):
    """JSON of dicts, lists, text, bool, int and None, in ASCII."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, dict):
        return "{" + ",".join(quoted(key) + ":" + dumps(item) for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(dumps(item) for item in value) + "]"
    return str(value)


try:
    from _json import encode_basestring_ascii as quoted  # what json.dumps itself uses
except ImportError:
    from json import dumps as quoted


if __name__ == "__main__":
    main()
