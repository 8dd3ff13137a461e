"""Make this Python say that it runs on a Mac with Apple silicon, so that TensorFlow and Keras take their paths for it.

TensorFlow then looks for plugins called ``*.dylib``; Keras 3 leaves XLA off as it does where a Metal device is listed.
``sys.platform`` stays what it is. Measured with TensorFlow 2.15.1, 2.18.1 and 2.21.0: with ``darwin`` it cannot be imported,
because ``urllib.request`` then wants ``_scproxy``, a module only Python for macOS has.
"""

import platform

RELEASE = "14.5"


def _uname():
    return _UNAME


_UNAME = platform.uname()._replace(
    system="Darwin", node="mac", release="23.5.0", version="Darwin Kernel Version 23.5.0", machine="arm64"
)
platform.uname = _uname
platform.system = lambda: "Darwin"
platform.machine = lambda: "arm64"
platform.processor = lambda: "arm"
platform.release = lambda: "23.5.0"
platform.mac_ver = lambda release="", versioninfo=("", "", ""), machine="": (RELEASE, ("", "", ""), "arm64")
platform.platform = lambda aliased=False, terse=False: f"macOS-{RELEASE}-arm64-arm-64bit"
