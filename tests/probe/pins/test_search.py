"""Folders: which of their files are dependency files."""

import pytest

from compat.probe.pins import search


def put(root, *names):
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("tensorflow\n", "utf-8")


def found(root, **rest):
    return [path.relative_to(root).as_posix() for path in search.files(root, **rest)]


def test_known_names_are_found_in_their_order(tmp_path):
    put(
        tmp_path, "requirements.txt", "pyproject.toml", "sub/uv.lock", "Dockerfile", "a.ipynb", "photo.png", "README.md"
    )

    assert found(tmp_path) == ["Dockerfile", "a.ipynb", "pyproject.toml", "requirements.txt", "sub/uv.lock"]
    assert found(tmp_path, markdown=True)[1] == "README.md"


def test_what_is_installed_or_kept_by_git_is_no_file_of_the_project(tmp_path):
    put(tmp_path, ".git/requirements.txt", "node_modules/a/requirements.txt", "x/site-packages/requirements.txt")
    put(tmp_path, "my-env/requirements.txt", "my-env/pyvenv.cfg", ".github/workflows/ci.yml")

    assert found(tmp_path) == [".github/workflows/ci.yml"]


@pytest.mark.parametrize(
    "name, text, is_found",
    [
        ("notes.txt", b"buy milk\n", False),
        ("notes.txt", b"tensorflow==2.15\n", True),
        ("notes.txt", "tensorflow==2.15\n".encode("utf-16"), True),
        ("dev-requirements.txt", b"milk\n", True),
        ("constraints-mac.txt", b"milk\n", True),
    ],
)
def test_a_text_of_any_name_is_one_only_if_it_names_tensorflow(tmp_path, name, text, is_found):
    (tmp_path / name).write_bytes(text)

    assert found(tmp_path) == ([name] if is_found else [])


def test_a_loop_of_links_is_walked_once(tmp_path):
    put(tmp_path, "a/requirements.txt")
    (tmp_path / "a" / "again").symlink_to(tmp_path)

    assert found(tmp_path) == ["a/requirements.txt"]
