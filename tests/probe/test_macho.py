"""The Mach-O reader: it says what the file says, and nothing in a file can hang or crash it."""

from __future__ import annotations

import contextlib
import struct
import tracemalloc

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from compat.errors import BadBinary
from compat.facts.image import Library, Need
from compat.probe import macho
from compat.probe.macho import architectures, read_image, read_slice
from compat.probe.trie import Export, exported, find_exports
from tests.limits import limits
from tests.probe.machobuilder import EXECUTABLE, FLAT, SELF, Binary, fat, trie_of, uleb

EVERY_KIND = [("/usr/lib/a", "load"), ("@rpath/b", "weak"), ("c", "reexport"), ("d", "upward"), ("e", "lazy")]


def test_load_commands_become_the_record():
    data = Binary(install_name="@rpath/libme.dylib", libraries=EVERY_KIND, rpaths=["@loader_path/", "/opt/x"]).build()

    image = read_image(data, "arm64", "libme.dylib")

    assert image.path == "libme.dylib"
    assert image.install_name == "@rpath/libme.dylib"
    assert image.libraries == tuple(Library(install_name=name, kind=kind) for name, kind in EVERY_KIND)
    assert image.rpaths == ("@loader_path/", "/opt/x")
    assert (image.minimum_macos, image.sdk) == ("12.1", "15.2")


def test_a_bundle_has_no_install_name():
    assert read_image(Binary(install_name=None).build(), "arm64").install_name is None


@pytest.mark.parametrize("flags, kind", [(0, "load"), (1, "weak"), (2, "reexport"), (4, "upward")])
def test_the_newer_load_command_carries_its_variant_in_its_flags(flags, kind):
    data = Binary(new_style_libraries=[("@rpath/liby.dylib", flags)]).build()

    assert read_image(data, "arm64").libraries == (Library(install_name="@rpath/liby.dylib", kind=kind),)


@pytest.mark.parametrize(
    "version, text", [((11, 3, 0), "11.3"), ((13, 0, 0), "13.0"), ((10, 15, 4), "10.15.4"), ((0, 0, 0), None)]
)
@pytest.mark.parametrize("old", [False, True], ids=["LC_BUILD_VERSION", "LC_VERSION_MIN_MACOSX"])
def test_minimum_macos_is_read_from_either_command(version, text, old):
    assert read_image(Binary(minimum=version, old_version_command=old).build(), "arm64").minimum_macos == text


def test_a_build_for_another_platform_says_nothing_about_macos():
    assert read_image(Binary(platform=6).build(), "arm64").minimum_macos is None  # 6 is Mac Catalyst


def test_needs_carry_the_library_their_ordinal_names():
    libraries = [("/usr/lib/libc++.1.dylib", "load"), ("@rpath/t.so", "load")]
    undefined = [("_z", FLAT, 0), ("_b", 2, 0), ("_a", 1, 0), ("_w", 2, 0x40), ("_s", SELF, 0), ("_e", EXECUTABLE, 0)]

    needs = read_image(Binary(libraries=libraries, undefined=undefined).build(), "arm64").needs

    assert needs == (
        Need(symbol="_a", layer="two-level", library="/usr/lib/libc++.1.dylib"),
        Need(symbol="_b", layer="two-level", library="@rpath/t.so"),
        Need(symbol="_e", layer="two-level"),
        Need(symbol="_s", layer="two-level"),
        Need(symbol="_w", layer="two-level", library="@rpath/t.so", weak=True),
        Need(symbol="_z", layer="flat"),
    )


def test_an_image_without_a_two_level_namespace_needs_everything_flat():
    data = Binary(libraries=[("@rpath/t.so", "load")], undefined=[("_a", 1, 0)], two_level=False).build()

    assert read_image(data, "arm64").needs == (Need(symbol="_a", layer="flat"),)


def test_defined_private_and_debug_symbols_are_no_needs():
    others = [("_defined", 0x0F, 0), ("_local", 0x0E, 0), ("_not_external", 0x00, 0), ("_stab", 0x21, 0)]

    assert read_image(Binary(other_symbols=others).build(), "arm64").needs == ()


def test_an_ordinal_beyond_the_libraries_is_refused():
    with pytest.raises(BadBinary, match="library 3 of 0"):
        read_image(Binary(undefined=[("_a", 3, 0)]).build(), "arm64")


@pytest.mark.parametrize("wide", [False, True], ids=["fat_arch", "fat_arch_64"])
def test_a_universal_file_gives_the_part_asked_for(wide):
    parts = {name: Binary(architecture=name, rpaths=[name]).build() for name in ("x86_64", "arm64", "arm64e")}

    data = fat(parts, wide=wide)

    assert architectures(data) == ("x86_64", "arm64", "arm64e")
    assert [read_image(data, name).rpaths for name in parts] == [("x86_64",), ("arm64",), ("arm64e",)]


def test_an_architecture_that_is_not_there_is_named_with_those_that_are():
    with pytest.raises(BadBinary, match="no arm64 in this file, only x86_64"):
        read_image(Binary(architecture="x86_64").build(), "arm64")


@pytest.mark.parametrize("major", [45, 52, 65])
def test_a_java_class_is_no_universal_file(major):
    with pytest.raises(BadBinary, match="Java"):
        architectures(struct.pack(">IHH", 0xCAFEBABE, 0, major) + bytes(4000))


@pytest.mark.parametrize("command", [True, False], ids=["LC_DYLD_EXPORTS_TRIE", "LC_DYLD_INFO_ONLY"])
def test_exports_are_found_under_either_command(command):
    part = read_slice(Binary(exports={"_a": None, "_ab": None}, exports_trie_command=command).build(), "arm64")

    assert exported(part.trie, ["_a", "_ab", "_abc", "_", "_b"]) == {"_a", "_ab"}


def test_individual_reexports_are_exports():
    trie = trie_of({"_TF_NewStatus": (2, ""), "_TF_Other": (3, "_TF_Renamed"), "_TF_Own": None})

    assert find_exports(memoryview(trie), ["_TF_NewStatus", "_TF_Other", "_TF_Own", "_TF_No"]) == {
        "_TF_NewStatus": Export(ordinal=2),
        "_TF_Other": Export(ordinal=3, imported="_TF_Renamed"),
        "_TF_Own": Export(),
    }


NAMES = st.text("ab_Z", min_size=1, max_size=12)


@settings(deadline=None)
@given(
    st.dictionaries(NAMES, st.one_of(st.none(), st.tuples(st.integers(1, 300), NAMES))), st.sets(NAMES), st.booleans()
)
def test_the_walk_answers_as_a_dictionary_would(exports, asked, self_edges):
    trie = memoryview(trie_of(exports, self_edges=self_edges))

    for names in (asked, asked | set(exports)):
        found = find_exports(trie, names)
        answers = {name: entry.ordinal and (entry.ordinal, entry.imported) for name, entry in found.items()}
        assert answers == {name: entry for name, entry in exports.items() if name in names}


def test_of_two_equal_edges_the_first_is_taken_as_dyld_does():
    leaf = b"\2\0\1\0"
    root = b"\0\2" + b"a\0\x0c" + b"a\0" + uleb(1 << 30)
    assert len(root) == 0x0C

    assert exported(memoryview(root + leaf), ["a"]) == {"a"}


def test_a_node_longer_than_the_first_window_is_read():
    names = {"_" + chr(97 + index % 26) * 600 + str(index): None for index in range(60)}

    assert exported(memoryview(trie_of(names)), [*names, "_no"]) == set(names)


LOOPS = {
    "returns to its root": (b"\0\1a\0\0", "loops"),
    "stands still": (b"\0\1\0\0" + bytes(99), "in a row"),
    "points outside": (b"\0\1a\0" + uleb(1 << 40), "outside"),
    "endless number": (b"\0\1a\0" + b"\xff" * 30, "64 bits"),
    "edge without an end": (b"\0\1aaaaaaaa", "cut short"),
    "terminal beyond the end": (uleb(1 << 50) + b"\0", "cut short"),
    "more children than there are": (b"\0\xff", "cut short"),
}


@pytest.mark.parametrize("trie, why", LOOPS.values(), ids=LOOPS)
def test_a_broken_trie_is_refused(trie, why):
    with pytest.raises(BadBinary, match=why):
        exported(memoryview(trie), ["a" * 200, "ab"])


def test_a_huge_node_visited_again_and_again_costs_no_more_than_the_trie():
    size = 4_000_000
    trie = b"\0\2a\0\0" + b"b" * size + b"\0\0"

    with limits(calls=2000, memory=4 * size), pytest.raises(BadBinary, match="loops"):
        exported(memoryview(trie), ["a" * 5000])


def test_symbols_that_all_name_one_huge_string_are_refused_before_they_fill_memory():
    data = Binary(undefined=[("_" + "x" * 2_000_000, FLAT, 0)] * 50).build()

    with pytest.raises(BadBinary, match="without an end"):
        read_image(data, "arm64")


def test_a_name_longer_than_all_names_may_be_is_not_even_copied(monkeypatch):
    data = Binary(undefined=[("_" + "x" * 4_000_000, FLAT, 0)]).build()
    monkeypatch.setattr(macho, "NAMES_LIMIT", 1000)

    tracemalloc.start()
    with pytest.raises(BadBinary, match="without an end"):
        read_image(data, "arm64")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < 1_000_000


@pytest.mark.parametrize("junk", [b"", b"\xcf", b"\xcf\xfa\xed\xfe", b"MZ" * 500, b"\xca\xfe\xba\xbe", bytes(5000)])
def test_what_is_no_macho_file_is_refused(junk):
    with pytest.raises(BadBinary):
        architectures(junk)


def test_a_load_command_that_does_not_advance_is_refused():
    data = Binary(extra_command=struct.pack("<II", 0x99, 0)).build()

    with pytest.raises(BadBinary, match="load command"):
        read_image(data, "arm64")


SAMPLE = fat(
    {
        "x86_64": Binary(architecture="x86_64", old_version_command=True, exports_trie_command=False).build(),
        "arm64": Binary(
            libraries=EVERY_KIND,
            new_style_libraries=[("@rpath/n", 1)],
            rpaths=["@loader_path/"],
            undefined=[("_TF_a", FLAT, 0), ("_TF_ab", 2, 0x40), ("_objc", 1, 0)],
            exports={"_a": None, "_ab": (1, "_x"), "_abcd": None},
        ).build(),
    }
)


def everything_in(data: bytes) -> None:
    for architecture in architectures(data)[:3]:
        part = read_slice(data, architecture)
        exported(part.trie, ["_a", "_ab", "_abcd", "_abcdefghijklmnop"])
        read_image(data, architecture)


def test_the_sample_is_sound():
    everything_in(SAMPLE)


@pytest.mark.parametrize("length", range(0, len(SAMPLE), 7))
def test_no_truncation_ends_in_anything_but_bad_binary(length):
    with pytest.raises(BadBinary):
        everything_in(SAMPLE[:length])


@settings(max_examples=400, deadline=2000, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.integers(0, len(SAMPLE) - 1), st.integers(0, 255)), min_size=1, max_size=12))
def test_no_damage_ends_in_anything_but_bad_binary(damage):
    data = bytearray(SAMPLE)
    for offset, byte in damage:
        data[offset] = byte

    with contextlib.suppress(BadBinary):
        everything_in(bytes(data))


@settings(max_examples=300, deadline=2000)
@given(st.binary(max_size=300), st.sampled_from([b"", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe\0\0\0\1"]))
def test_no_bytes_end_in_anything_but_bad_binary(data, start):
    with contextlib.suppress(BadBinary):
        everything_in(start + data)


@settings(max_examples=300, deadline=2000)
@given(st.binary(max_size=200))
def test_no_bytes_taken_for_a_trie_end_in_anything_but_bad_binary(data):
    with contextlib.suppress(BadBinary):
        exported(memoryview(data), ["_a", "a", "", "\0\0", "abc"])
