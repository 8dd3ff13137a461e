"""Where a matrix may lie: TOML, compiled, or the compiled folder itself."""

from __future__ import annotations

import pytest

from compat.errors import BadMatrix
from compat.matrix.compiled import texts
from compat.matrix.files import read_toml
from compat.matrix.trees import remembering, tree
from tests.matrix.trees import GOOD, good, write


def compiled(root):
    return write(root, {f"compiled/{name}.json": text for name, text in texts(root).items()})


def title(matrix):
    return matrix.issues()[0].title


def test_the_written_files_come_before_their_compiled_form(tmp_path):
    root = compiled(good(tmp_path))
    name = "issues/load.toml"
    write(root, {name: GOOD[name].replace("A plugin beside", "Another plugin beside")})

    assert title(tree(root)) == "Another plugin beside the wrong TensorFlow"
    assert title(tree(root / "compiled")) == "A plugin beside the wrong TensorFlow"


def test_a_tree_without_the_written_files_is_read_from_its_compiled_form(tmp_path):
    root = compiled(good(tmp_path))
    for path in [*root.glob("releases/*.toml"), *root.glob("issues/*.toml")]:
        path.unlink()

    assert title(tree(root)) == "A plugin beside the wrong TensorFlow"
    assert tree(root).releases("tensorflow")[0].version == "2.18.1"


def test_files_of_the_same_bytes_are_parsed_once_and_a_changed_one_again(tmp_path, monkeypatch):
    parsed = []
    monkeypatch.setattr("compat.matrix.trees.read_toml", lambda path: parsed.append(path) or read_toml(path))
    old, new, read = good(tmp_path / "old"), good(tmp_path / "new"), remembering()

    assert title(tree(old, read)) == title(tree(new, read))
    assert parsed
    assert not [path for path in parsed if new in path.parents]

    name = "issues/load.toml"
    write(new, {name: GOOD[name].replace("A plugin beside", "Another plugin beside")})
    assert title(tree(new, read)) == "Another plugin beside the wrong TensorFlow"
    assert [path for path in parsed if new in path.parents] == [new / name]


@pytest.mark.parametrize("make", [lambda path: None, lambda path: path.mkdir(), lambda path: path.write_text("x")])
def test_what_is_no_matrix_is_refused(tmp_path, make):
    make(tmp_path / "it")

    with pytest.raises(BadMatrix, match="it"):
        tree(tmp_path / "it")
