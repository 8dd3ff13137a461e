"""Small real wheels in a folder, for builds that must not cost a TensorFlow."""

import base64
import hashlib
import zipfile


def wheel(folder, name, version, requires=(), body="", python=">=3.8"):
    """Write one pure wheel with a RECORD that is right; return its path."""
    module = name.replace("-", "_")
    info = f"{module}-{version}.dist-info"
    files = {
        f"{module}/__init__.py": body or f"__version__ = {version!r}\n",
        f"{info}/METADATA": _metadata(name, version, requires, python),
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{path},sha256={_digest(text)},{len(text.encode())}\n" for path, text in files.items())
    files[f"{info}/RECORD"] = record + f"{info}/RECORD,,\n"
    path = folder / f"{module}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for member, text in files.items():
            archive.writestr(member, text)
    return path


def _metadata(name, version, requires, python):
    lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}", f"Requires-Python: {python}"]
    return "\n".join([*lines, *(f"Requires-Dist: {row}" for row in requires)]) + "\n"


def _digest(text):
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()
