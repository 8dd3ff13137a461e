"""What a test of the shell asks of the platform is told as a marker, and its opposite where that is known."""

import pytest

from compat.probe.pins.commands.conditions import condition, pattern

DARWIN, ARM, X86, LINUX = (
    "sys_platform == 'darwin'",
    "platform_machine == 'arm64'",
    "platform_machine == 'x86_64'",
    "sys_platform == 'linux'",
)


@pytest.mark.parametrize(
    "text, marker, otherwise",
    [
        ('[ "$(uname)" = "Darwin" ]', DARWIN, "sys_platform != 'darwin'"),
        ("[[ $OSTYPE == darwin* ]]", DARWIN, "sys_platform != 'darwin'"),
        ('[[ "$OSTYPE" =~ ^linux ]]', LINUX, "sys_platform != 'linux'"),
        ('[[ "$(uname -m)" == "arm64" ]]', ARM, "platform_machine != 'arm64'"),
        ("test `uname -m` != x86_64", "platform_machine != 'x86_64'", X86),
        (
            '[[ "$OS" == "Darwin" && "$ARCH" == "arm64" ]]',
            f"{DARWIN} and {ARM}",
            "sys_platform != 'darwin' or platform_machine != 'arm64'",
        ),
        ('[ "$(uname)" = Darwin ] && [ -n "$X" ]', DARWIN, ""),
        ('[ "$(uname)" = Darwin ] || [ -n "$X" ]', "", ""),
        ("uname -a | grep -qi darwin", DARWIN, "sys_platform != 'darwin'"),
        ('! [ "$(uname)" = Darwin ]', "sys_platform != 'darwin'", DARWIN),
        ("[ -d venv ]", "", ""),
        ('[ "$1" = darwin ]', "", ""),
        ("", "", ""),
        ("[ " * 2_000, "", ""),
        ("]" * 900 + "x", "", ""),
    ],
)
def test_conditions(text, marker, otherwise):
    asked = condition(text)

    assert (asked.marker, asked.otherwise) == (marker, otherwise)


@pytest.mark.parametrize(
    "text, subject, marker",
    [
        ("Darwin", "$(uname -s)", DARWIN),
        ("linux*", "$OSTYPE", LINUX),
        ("Darwin-arm64", "$(uname -s)-$(uname -m)", f"{DARWIN} and {ARM}"),
        ("Darwin_x86_64", "${OS}_${ARCH}", f"{DARWIN} and {X86}"),
        ("arm64|aarch64", "$(uname -m)", f"{ARM} or platform_machine == 'aarch64'"),
        ("Darwin-arm64|Darwin-x86_64", "$(uname -sm)", DARWIN),
        ("mac", "$1", ""),
        ("beos", "$(uname)", ""),
    ],
)
def test_patterns(text, subject, marker):
    assert pattern(text, subject).marker == marker
