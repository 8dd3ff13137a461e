"""Every key and string of a TOML text is found where it stands, whatever way it is written."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from compat.probe.pins.toml.places import LIMIT_DEPTH, decoded, loads, places, too_deep
from tests.ending import ending


def strings(value, path=()):
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from strings(inner, (*path, key))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from strings(inner, (*path, number))


DOCUMENTS = {
    "tables": '[a.b]\nc = "x"\n[a]\nd = "y"\n',
    "dotted": 'a . "b.c" . \'d\' = "x"\na.e = "y"\n',
    "inline": 't = { a = "x", b.c = "y", d = { e = ["z"] } }\n',
    "arrays of tables": '[[p]]\nn = "a"\n[p.s]\nk = "x"\n[[p]]\nn = "b"\n[[p.q]]\nm = "c"\n[[p.q]]\nm = "d"\n',
    "arrays": 'a = [ # one "quote\n  "x", # two ]\n\n  [\'y\', 3, 1979-05-27 07:32:00],\n  {k = "z"},\n]\n',
    "kinds": 'a = \'x\\\'\nb = """\nl1\nl2"""\nc = \'\'\'it\'\'s\'\'\'\nd = """a ""quoted"""""\n',
    "escapes": 'a = "\\"x\\" \\u00e9"\n"k\\u0065y" = "y"\nb = """a\\\n   b"""\n',
    "scalars": 'a = 1.5\nb = true\nc = 1979-05-27T07:32:00Z\nd = "x"\ne = inf # "no"\n',
    "line ends": 'a = "x"\r\nb = [\r\n  "y",\r\n]\r\n',
    "empty": 'a = ""\nb = \'\'\nc = """"""\nd = [""]\n',
}


@pytest.mark.parametrize("text", DOCUMENTS.values(), ids=DOCUMENTS)
def test_each_string_has_the_place_where_it_stands(text):
    found = places(text).texts

    expected = dict(strings(loads(text)))
    assert {path: decoded(text, place) for path, place in found.items()} == expected
    assert all(
        loads(f"x = {text[place.outer.start : place.outer.end]}")["x"] == expected[path]
        for path, place in found.items()
    )


def test_keys_stand_where_their_names_begin():
    text = '[a."b c"]\nd.e = 1\nf = { g = 2 }\n[[h]]\n[h.i]\n'
    keys = places(text).keys

    def at(*path):
        return text[keys[path].start :][:3], keys[path].form

    assert at("a") == ('a."', "header")
    assert at("a", "b c") == ("b c", "header")
    assert at("a", "b c", "d", "e") == ("e =", "line")
    assert at("a", "b c", "f", "g") == ("g =", "inline")
    assert at("h", 0, "i") == ("i]\n", "header")


def test_a_table_ends_with_its_last_line():
    text = '[a]\nx = "1" # why\n\n[b]\n[a.c]\ny = 2'
    bodies = places(text).bodies

    assert text[: bodies["a",]].endswith("# why")
    assert text[: bodies["b",]].endswith("[b]")
    assert bodies["a", "c"] == len(text)


keys = st.text("ab-_1", min_size=1, max_size=3)
quoted = st.text(max_size=8).map(
    lambda text: (
        '"' + "".join(f"\\U{ord(sign):08x}" if sign in '"\\' or not sign.isprintable() else sign for sign in text) + '"'
    )
)
literal = st.text('ab "#[]{}=,', max_size=8).map(lambda text: f"'{text}'")
long = st.text("ab\n' #[", max_size=8).map(lambda text: f'"""{text}"""')
values = st.recursive(
    quoted | literal | long | st.sampled_from(["1", "true", "1.5", "1979-05-27 07:32:00"]),
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda rows: "[ " + " , # x\n".join(rows) + "\n]")
        | st.dictionaries(keys, inner.filter(lambda row: "\n" not in row), max_size=3).map(
            lambda rows: "{" + ", ".join(f"{key} = {row}" for key, row in rows.items()) + "}"
        )
    ),
    max_leaves=8,
)
lines = st.tuples(st.lists(keys | quoted, min_size=1, max_size=2).map(".".join), values).map(" = ".join)
headers = (
    st.lists(keys, min_size=1, max_size=2)
    .map(".".join)
    .flatmap(lambda key: st.sampled_from([f"[{key}]", f"[[{key}]] # x"]))
)


@given(st.lists(lines | headers, max_size=8).map("\n".join))
def test_whatever_the_parser_reads_is_placed(text):
    try:
        expected = dict(strings(loads(text)))
    except ValueError:
        places(text)
        return

    assert {path: decoded(text, place) for path, place in places(text).texts.items()} == expected


@given(st.text("ab=[]{}\"'.,#\\\n\r ", max_size=60))
@example('a="""\\')
def test_any_text_is_scanned_without_raising(text):
    too_deep(text)
    assert all(0 <= place.start <= place.end <= len(text) for place in places(text).texts.values())


@pytest.mark.parametrize("text", ["[" * 1_000_000, "a=" + "[" * 1_000_000, "a={b=" * 200_000, "a." * 500_000 + "b=1"])
def test_what_nests_without_end_is_refused_before_it_is_parsed(text):
    with ending():
        assert too_deep(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        '"' * 1_000_000,
        "a='''" + "''\\" * 300_000,
        'a="""' + '\\"""' * 250_000,
        'a = "' + "\\" * 1_000_000,
        "a = [" + " # x\n" * 200_000,
    ],
)
def test_time_is_linear(text):
    with ending():
        too_deep(text)
        places(text)


def test_brackets_in_strings_and_comments_do_not_nest():
    text = f'a = "{"[" * 200}"\nb = """\n{"[" * 200}\n""" # {"[" * 200}\n'

    assert too_deep(text) is None
    assert too_deep("a = " + "[" * (LIMIT_DEPTH + 1)) is not None
