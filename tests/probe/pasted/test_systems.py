"""What a text says of the machine, and what it says of others."""

import pytest

from compat.probe.pasted.systems import systems
from tests.probe.pasted.stating import stated


@pytest.mark.parametrize(
    "text, name, value",
    [
        ("macOS 13.4", "macos", "13.4"),
        ("macOS Ventura 13.2.1 (M1)", "macos", "13.2.1"),
        ("MacOS Sonoma", "macos", "Sonoma"),
        ("macOS-14.2.1-arm64-arm-64bit", "macos", "14.2.1"),
        ("macOS-10.16-x86_64-i386-64bit", "shim", "10.16"),
        ("ProductVersion:\t15.1", "macos", "15.1"),
        ("Darwin Kernel Version 22.5.0: Thu", "darwin", "22.5.0"),
        ("Apple M1", "chip", "Apple M1"),
        ("Metal device set to: Apple M2 Pro", "chip", "Apple M2 Pro"),
        ("MacBook Pro M3 Max", "chip", "Apple M3 Max"),
        ("on my M1 mac", "chip", "Apple M1"),
        ("Apple Silicon", "hardware", "arm64"),
        ("MacBook Pro, Intel Core i7", "hardware", "x86_64"),
        ("From an x86 macOS machine:", "hardware", "x86_64"),
        ("my x86_64 MacBook Pro, bought used", "hardware", "x86_64"),
        ("mac 15.0.1", "macos", "15.0.1"),
        ("macos 14.2", "macos", "14.2"),
        ("support for the mac intel chip", "os", "macos"),
        ("an Apple silicon Mac", "os", "macos"),
        ("on my mac it fails", "os", "macos"),
        ("macOS Monterey on my MI Air", "chip", "Apple M1"),
        ("/lib/x86_64-linux-gnu/libc.so.6", "os", "linux"),
        ("Ubuntu 22.04", "os", "linux"),
        ("Windows 11", "os", "windows"),
        (r"File C:\Users\me\x.py", "os", "windows"),
        ("WSL2", "wsl", "2"),
        ("docker run -it tensorflow", "container", ""),
        ("dlopen(/x/libmetal_plugin.dylib", "tensorflow-metal", ""),
        ("OS Platform and Distribution (e.g., Linux Ubuntu 16.04): macOS 12.4", "macos", "12.4"),
    ],
)
def test_a_fact_of_the_machine_is_read(text, name, value):
    assert value in {found for found, _ in stated(systems, text).get(name, set())}


@pytest.mark.parametrize(
    "text, name",
    [
        ("OS Platform and Distribution (e.g., Linux Ubuntu 16.04): macOS 12.4", "os:linux"),
        ("The same script converges to 0.05 on WSL2.", "os:linux"),
        ("It works fine on Ubuntu.", "os:linux"),
        ("needs macOS 12 or newer", "macos"),
        ("vm1.example.org m2.py foo_m1=3", "chip"),
    ],
)
def test_examples_ranges_and_other_machines_are_not_this_one(text, name):
    name, _, value = name.partition(":")
    assert (
        value not in {found for found, _ in stated(systems, text).get(name, set())}
        if value
        else name not in stated(systems, text)
    )
