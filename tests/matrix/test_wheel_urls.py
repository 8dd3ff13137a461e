"""Where wheels are, by their file names."""

import pytest

from compat.errors import BadMatrix
from compat.matrix.wheel_urls import wheel_urls


def written(root, text):
    (root / "files").mkdir()
    (root / "files" / "urls.toml").write_text(text)
    return root


def test_an_address_is_base_folders_and_file(tmp_path):
    root = written(tmp_path, 'base = "https://files.example"\n[folders]\n"a-1-py3-none-any.whl" = "00/11/22"\n')

    assert wheel_urls(root) == {"a-1-py3-none-any.whl": "https://files.example/00/11/22/a-1-py3-none-any.whl"}


@pytest.mark.parametrize(
    "text, complaint",
    [
        ("[folders]\n", "no base that begins with https://, or no folders"),
        ('base = "https://files.example"\n', "no base that begins with https://, or no folders"),
        ("base = 1\n[folders]\n", "no base that begins with https://, or no folders"),
        ('base = "http://b"\n[folders]\n', "no base that begins with https://, or no folders"),
        ('base = "https://b"\nfolders = []\n', "no base that begins with https://, or no folders"),
        ('base = "https://b"\n[folders]\n"a.whl" = 1\n', r"folders\.a\.whl is not hexadecimal"),
        ('base = "https://b"\n[folders]\n"a.whl" = "../x"\n', r"folders\.a\.whl is not hexadecimal"),
        ("base = ", "urls.toml"),
    ],
)
def test_a_broken_table_is_told_with_its_name(tmp_path, text, complaint):
    with pytest.raises(BadMatrix, match=complaint):
        wheel_urls(written(tmp_path, text))


def test_a_matrix_without_the_table_says_so(tmp_path):
    with pytest.raises(BadMatrix, match=r"urls\.toml"):
        wheel_urls(tmp_path)
