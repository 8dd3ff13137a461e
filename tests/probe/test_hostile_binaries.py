"""Binaries made to hang, crash or fill the memory of whoever reads them: all end in one line, within limits."""

from __future__ import annotations

import contextlib
import os
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compat.errors import BadBinary, TfcompatError
from compat.facts.known import Unknown
from compat.probe import links, macho
from compat.probe.architectures import architectures_of, is_macho
from compat.probe.links import ROOT_IMAGE, prove, prove_installed
from compat.probe.macho import architectures, read_image, read_slice
from compat.probe.trie import find_exports
from tests.limits import Endless, limits
from tests.probe.machobuilder import FLAT, Binary, fat, uleb

CALLS, MEMORY = 100_000, 8 << 20
"""What a small file may cost; each of them is under a few MB."""


def everything_in(data):
    for architecture in architectures(data):
        with contextlib.suppress(BadBinary):
            find_exports(read_slice(data, architecture).trie, ["_a", "_ab", "_abcd", "_nowhere"])
        read_image(data, architecture)


def command(number, *words, size=None):
    body = struct.pack(f"<{len(words)}I", *words)
    return struct.pack("<II", number, size if size is not None else 8 + len(body)) + body


def with_commands(raw, *, count=None, size=None):
    """A thin arm64 file of these load commands; both counts may lie."""
    number = len(raw) // 8 if count is None else count
    return struct.pack("<8I", 0xFEEDFACF, 0x0100000C, 0, 6, number, len(raw) if size is None else size, 0x80, 0) + raw


HUGE = 0xFFFFFFFF
ABSURD = {
    "a billion commands": (with_commands(b"", count=HUGE), "cut short"),
    "4 GB of commands": (with_commands(b"", count=1, size=HUGE), "load commands of 4,294,967,295 bytes"),
    "commands beyond the end": (with_commands(b"", count=1, size=4096), "beyond the end"),
    "2 MB of commands, all there": (with_commands(command(0x99) * 262_144), "load commands of 2,097,152 bytes"),
    "a command that stands still": (with_commands(command(0x99, size=0), count=9), "shorter than its own header"),
    "a command that goes beyond": (with_commands(command(0x99, size=HUGE), count=1), "beyond the end"),
    "5000 libraries": (with_commands(command(0x0C, 24, 2, 0, 0) * 5000, count=5000), "more than 4095 libraries"),
    "4 billion symbols": (with_commands(command(2, 0, HUGE, 0, 0), count=1), "symbol table of 4,294,967,295 entries"),
    "symbols beyond the end": (with_commands(command(2, 64, 9999, 0, 0), count=1), "beyond the end"),
    "strings beyond the end": (with_commands(command(2, 0, 0, 8, HUGE), count=1), "beyond the end"),
    "a trie beyond the end": (with_commands(command(0x80000033, HUGE, HUGE), count=1), "beyond the end"),
    "a command without its words": (with_commands(command(0x80000033), count=1), "cut short"),
}


@pytest.mark.parametrize("data, why", ABSURD.values(), ids=ABSURD)
def test_absurd_counts_and_offsets_are_refused_before_they_cost_anything(data, why):
    with limits(calls=CALLS, memory=MEMORY), pytest.raises(BadBinary, match=why):
        read_image(data, "arm64")


def test_as_many_commands_as_are_allowed_are_read():
    raw = command(0x99) * (macho.COMMANDS_LIMIT // 8)

    with limits(calls=10 * len(raw) // 8, memory=MEMORY):
        assert read_image(with_commands(raw), "arm64").needs == ()


def test_three_hundred_thousand_needs_without_a_name_do_not_fill_memory():
    entry = struct.pack("<IBBHQ", 0, 0x01, 0, FLAT << 8, 0)
    table = entry * 300_000
    head = with_commands(command(2, 56, 300_000, 56 + len(table), 1), count=1)
    data = head + table + b"\0"

    with limits(calls=8_000_000, memory=64 << 20), pytest.raises(BadBinary, match="without an end"):
        read_image(data, "arm64")


def test_an_install_name_of_a_megabyte_without_an_end_is_read_once():
    raw = struct.pack("<III", 0x0D, macho.COMMANDS_LIMIT, 12) + b"x" * (macho.COMMANDS_LIMIT - 12)

    with limits(calls=CALLS, memory=MEMORY):
        assert len(read_image(with_commands(raw, count=1), "arm64").install_name) == macho.COMMANDS_LIMIT - 12


def test_binding_opcodes_are_no_program_of_ours_to_run():
    """BIND_OPCODE_DO_BIND_ULEB_TIMES_SKIPPING_ULEB, 2^63 times: needs come from the symbol table."""
    plain = Binary(undefined=[("_TF_a", FLAT, 0)], exports={"_a": None})
    opcodes = b"\xc0" + uleb(1 << 63) + uleb(8) + b"\x90" * 100_000
    size = len(plain.build())
    info = struct.pack("<12I", 0x80000022, 48, 0, 0, size + 48, len(opcodes), 0, 0, size + 48, len(opcodes), 0, 0)
    hostile = Binary(undefined=plain.undefined, exports=plain.exports, extra_command=info).build() + opcodes

    with limits(calls=CALLS, memory=MEMORY):
        assert read_image(hostile, "arm64").needs == read_image(plain.build(), "arm64").needs


ARM, INTEL = Binary(architecture="arm64").build(), Binary(architecture="x86_64").build()
ARM_CPU, INTEL_CPU = (0x0100000C, 0), (0x01000007, 3)


def fat_of(*parts, wide=False, count=None):
    """A fat header of (cpu, offset, size), and an arm64 file at 512."""
    layout = ">IIQQII" if wide else ">IIIII"
    head = struct.pack(">II", 0xCAFEBABF if wide else 0xCAFEBABE, len(parts) if count is None else count)
    for cpu, offset, size in parts:
        head += struct.pack(layout, *cpu, offset, size, 0, *((0,) if wide else ()))
    return head.ljust(512, b"\0") + ARM


WHOLE = (512, len(ARM))
LIES = {
    "a part of another architecture": (fat_of((INTEL_CPU, *WHOLE)), "x86_64", "says of itself that it is arm64"),
    "both parts the same bytes": (fat_of((ARM_CPU, *WHOLE), (INTEL_CPU, *WHOLE)), "x86_64", "says of itself"),
    "a part that is the file itself": (fat_of((ARM_CPU, 0, 512)), "arm64", "no 64-bit Mach-O"),
    "an empty part": (fat_of((ARM_CPU, 512, 0)), "arm64", "no 64-bit Mach-O"),
    "a part inside a part": (fat_of((ARM_CPU, *WHOLE), (INTEL_CPU, 512 + 32, 40)), "x86_64", "no 64-bit Mach-O"),
    "a part beyond the end": (fat_of((ARM_CPU, 512, HUGE)), "arm64", "beyond the end"),
    "a part at 2^64": (fat_of((ARM_CPU, 2**64 - 1, 2**64 - 1), wide=True), "arm64", "beyond the end"),
    "more parts than there are": (struct.pack(">II", 0xCAFEBABE, 42), "arm64", "cut short"),
    "43 parts": (fat_of((ARM_CPU, *WHOLE), count=43), "arm64", "Java"),
    "no part": (fat_of(), "arm64", "only nothing"),
}


@pytest.mark.parametrize("data, architecture, why", LIES.values(), ids=LIES)
def test_a_fat_header_that_lies_is_refused(data, architecture, why):
    with limits(calls=CALLS, memory=MEMORY), pytest.raises(BadBinary, match=why):
        read_image(data, architecture)


def test_the_honest_half_of_an_overlap_is_read():
    assert read_image(LIES["both parts the same bytes"][0], "arm64").architecture == "arm64"


def plugin_for(*images, name="_TF_wanted"):
    return Binary(libraries=[(each, "load") for each in images], undefined=[(name, 1, 0)]).build()


def test_images_that_pass_a_name_to_each_other_for_ever_do_not_have_it():
    exports = {"_TF_wanted": (1, "_TF_wanted")}
    one = Binary(install_name="@rpath/a", libraries=[("@rpath/b", "load")], exports=exports).build()
    two = Binary(install_name="@rpath/b", libraries=[("@rpath/a", "load")], exports=exports).build()

    with limits(calls=CALLS, memory=MEMORY):
        assert prove(plugin_for("@rpath/a"), [one, two], "arm64").missing == ("_TF_wanted",)


def test_images_that_reexport_each_other_many_times_are_asked_once_each():
    def image(own, other):
        return Binary(install_name=own, libraries=[(other, "reexport")] * 200, exports={f"_{own[-1]}": None}).build()

    images = [image("@rpath/a", "@rpath/b"), image("@rpath/b", "@rpath/a")]

    with limits(calls=CALLS, memory=MEMORY):
        assert prove(plugin_for("@rpath/a"), images, "arm64").missing == ("_TF_wanted",)
        assert prove(plugin_for("@rpath/a", name="_b"), images, "arm64").loads


def test_a_reexport_from_a_library_that_is_not_there_is_refused():
    image = Binary(install_name="@rpath/a", exports={"_TF_wanted": (99, "_x")}).build()

    with pytest.raises(BadBinary, match="names library 99 of 0"):
        prove(plugin_for("@rpath/a"), [image], "arm64")


@pytest.fixture
def site(tmp_path):
    """A site directory whose TensorFlow is the bytes given."""

    def install(data):
        root = tmp_path / ROOT_IMAGE
        root.parent.mkdir(parents=True)
        root.write_bytes(data)
        plugin = tmp_path / "plugin.dylib"
        plugin.write_bytes(Binary(libraries=[("@rpath/t", "load")]).build())
        return tmp_path, plugin

    return install


def test_thousands_of_libraries_times_thousands_of_places_are_not_all_looked_for(site):
    many = Binary(libraries=[(f"@rpath/{n}", "load") for n in range(2000)], rpaths=[f"/no{n}" for n in range(2000)])

    with limits(calls=100 * links.PLACES_LIMIT, memory=64 << 20), pytest.raises(BadBinary, match="20,000 places"):
        prove_installed(*site(many.build()))


def test_a_library_name_too_long_for_any_file_system_is_not_there(site):
    tensorflow = Binary(install_name="@rpath/t", libraries=[("@loader_path/" + "x" * 5000, "load")])

    assert prove_installed(*site(tensorflow.build())).loads


def test_a_library_that_is_no_library_is_named(site, tmp_path):
    (tmp_path / "text").write_text("not a library")
    tensorflow = Binary(install_name="@rpath/t", libraries=[(str(tmp_path / "text"), "load")])

    with pytest.raises(BadBinary, match="text: not a 64-bit Mach-O file"):
        prove_installed(*site(tensorflow.build()))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are a Unix thing")
def test_nothing_waits_for_a_named_pipe_to_speak(tmp_path):
    os.mkfifo(tmp_path / "pipe")

    assert architectures_of(tmp_path / "pipe") == Unknown("not a regular file")
    assert not is_macho(tmp_path / "pipe")


def test_a_path_that_can_be_no_file_is_unknown():
    assert isinstance(architectures_of("a\0b"), Unknown)
    assert not is_macho("a\0b")


SAMPLE = fat(
    {
        "x86_64": Binary(architecture="x86_64", exports_trie_command=False, exports={"_a": None}).build(),
        "arm64": Binary(
            libraries=[("/usr/lib/a", "load"), ("@rpath/b", "reexport")],
            new_style_libraries=[("@rpath/n", 1)],
            rpaths=["@loader_path/"],
            undefined=[("_TF_a", FLAT, 0), ("_TF_ab", 2, 0x40)],
            exports={"_a": None, "_ab": (1, "_x"), "_abcd": None},
        ).build(),
    }
)
EDGES = st.sampled_from(
    [0, 1, 2, 7, 8, 9, 12, 0x18, 0x22, 0x7FFFFFFF, 0x80000022, 0x80000033, HUGE - 7, HUGE, len(SAMPLE)]
)


@settings(max_examples=500, deadline=None)
@given(st.lists(st.tuples(st.integers(0, len(SAMPLE) // 4 - 1), EDGES | st.integers(0, HUGE)), min_size=1, max_size=6))
def test_whatever_words_a_file_holds_it_is_read_or_refused_within_limits(words):
    data = bytearray(SAMPLE)
    for place, word in words:
        struct.pack_into("<I", data, 4 * place, word)

    with limits(calls=CALLS, memory=MEMORY), contextlib.suppress(BadBinary):
        everything_in(bytes(data))


PARTS = st.tuples(st.sampled_from([ARM_CPU, INTEL_CPU]), EDGES | st.integers(0, 2048), EDGES | st.integers(0, 2048))


@settings(max_examples=200, deadline=None)
@given(st.lists(PARTS, max_size=45), st.booleans())
def test_whatever_parts_a_fat_header_names_it_is_read_or_refused_within_limits(parts, wide):
    with limits(calls=CALLS, memory=MEMORY), contextlib.suppress(BadBinary):
        everything_in(fat_of(*parts, wide=wide))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255)), max_size=8), st.integers(0, 2))
def test_no_damaged_process_ends_in_anything_but_a_verdict_or_one_line(damage, which):
    exports = {"_TF_wanted": (1, "_TF_other"), "_TF_other": None}
    files = [
        Binary(install_name="@rpath/a", libraries=[("@rpath/b", "reexport")], exports=exports).build(),
        Binary(install_name="@rpath/b", libraries=[("@rpath/a", "reexport")], exports=exports).build(),
        plugin_for("@rpath/a"),
    ]
    hurt = bytearray(files[which])
    for offset, byte in damage:
        hurt[offset % len(hurt)] = byte
    files[which] = bytes(hurt)

    with limits(calls=CALLS, memory=MEMORY), contextlib.suppress(TfcompatError):
        prove(files[2], files[:2], "arm64")


def for_ever():
    while True:
        len("")


def test_the_limits_themselves_hold():
    with pytest.raises(Endless), limits(calls=100, memory=MEMORY):
        for_ever()
    with pytest.raises(AssertionError, match="bytes at once"), limits(calls=100, memory=1000):
        bytes(100_000)
