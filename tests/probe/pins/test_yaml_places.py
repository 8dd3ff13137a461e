import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from compat.probe.pins import yaml_places
from tests.probe.pins.reading import source

TEXT = """\
name: é😀 # why
plain: [1, 'x y', "z"]
block:
  - foo
  - |
    one
      two
  - k: 3.10
"""


def root(text):
    return yaml_places.compose(source("a.yml", text))[0]


def problem(text):
    return yaml_places.compose(source("a.yml", text))[1:]


def test_a_scalars_span_is_its_content_without_quotes():
    read = source("a.yml", TEXT)
    node = root(TEXT)
    scalars = [*yaml_places.items(yaml_places.get(node, "plain")), yaml_places.get(node, "name")]

    spans = [yaml_places.span(one, read) for one in scalars]

    assert [read.text[one.start : one.end] for one in spans] == ["1", "x y", "z", "é😀"]


def test_a_place_counts_characters_not_bytes():
    read = source("a.yml", "é: [😀, x]\n")
    node = root(read.text)

    assert [yaml_places.place(one, read) for one in yaml_places.items(yaml_places.get(node, "é"))] == [(1, 5), (1, 8)]


def test_a_block_scalars_lines_know_their_offsets():
    read = source("a.yml", TEXT)
    node = list(yaml_places.items(yaml_places.get(root(TEXT), "block")))[1]

    lines = yaml_places.lines(node, read)

    assert [line for line, _ in lines] == ["one", "  two"]
    assert [read.text[at : at + len(line)] for line, at in lines] == ["one", "  two"]


def test_text_is_what_is_written_not_what_yaml_makes_of_it():
    node = list(yaml_places.items(yaml_places.get(root(TEXT), "block")))[2]

    assert yaml_places.text(yaml_places.get(node, "k")) == "3.10"
    assert yaml_places.text(yaml_places.get(root("a: ~\n"), "a")) is None


def test_only_the_first_document_is_read():
    assert yaml_places.text(yaml_places.get(root("a: 1\n---\na: [\n"), "a")) == "1"


def test_an_empty_document_is_neither_a_node_nor_a_problem():
    assert yaml_places.compose(source("a.yml", "# nothing\n")) == (None, None, 1, 1)


@pytest.mark.parametrize(
    ("text", "said", "line", "column"),
    [
        ("a: [1\nb: 2\n", "not YAML", 2, 2),
        ("a: *x\n", "the alias *x has no anchor before it", 1, 4),
        ("a: &a [*a]\n", "the alias *a has no anchor before it", 1, 8),
        ("- " * 200, "nested more than 100 deep", 1, 201),
        ("a: &a x\nb: [" + "*a, " * 1001 + "]", "more than 1,000 aliases", 2, 4005),
        ("[" * 100_000, "", 1, 1001),
        ("- a\n" * 400_001, "more than 400,000 pieces", 399_998, 3),
    ],
    ids=["broken", "no anchor", "inside itself", "deep", "aliases", "brackets", "many"],
)
def test_what_is_broken_or_a_bomb_is_one_problem_with_a_place(text, said, line, column):
    told, *where = problem(text)

    assert said in told
    assert "\n" not in told
    assert where[0] == line or said == ""
    assert where[1] == column or said in {"", "not YAML", "more than 400,000 pieces", "more than 1,000 aliases"}


def test_an_alias_is_the_anchors_own_node_and_is_walked_once():
    node = root("a: &a [x]\nb: [*a, *a, y, y]\n")

    items = list(yaml_places.items(yaml_places.get(node, "b")))

    assert items[0] is yaml_places.get(node, "a")
    assert len(items) == 3


@given(st.text(alphabet="ab:- \n[]{},'\"#|&*!?\té", max_size=80))
def test_the_nodes_are_pyyamls_own(text):
    """PyYAML's composer is the oracle: same structure where it reads a text, a problem where it does not."""
    try:
        documents = list(yaml.compose_all(text, Loader=yaml.CSafeLoader))
        wanted = documents[0] if documents else None
    except yaml.YAMLError:
        return  # this reader stops behind the first document and may see less of the text

    found, told, _, _ = yaml_places.compose(source("a.yml", text))

    if told is None:
        assert shape(found) == shape(wanted)
    else:
        assert "*" in text


def shape(node):
    if isinstance(node, yaml.ScalarNode):
        return (node.tag, node.value, node.start_mark.index, node.end_mark.index)
    if isinstance(node, yaml.SequenceNode):
        return (node.start_mark.index, [shape(one) for one in node.value])
    if isinstance(node, yaml.MappingNode):
        return (node.start_mark.index, [(shape(key), shape(value)) for key, value in node.value])
    return node
