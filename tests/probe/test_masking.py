"""What leaves the machine carries neither the home folder nor a secret, and stays readable."""

import pytest

from compat.probe.masking import mask_text, mask_tree, mask_variable


@pytest.mark.parametrize(
    "text, masked",
    [
        ("/Users/ada/env/bin/python", "~/env/bin/python"),
        ("/Users/ada", "~"),
        ("a:/Users/ada:/Users/ada/x", "a:~:~/x"),
        ("/Users/adam/env", "/Users/adam/env"),
        ("/Users/ada.old/env", "/Users/ada.old/env"),
        ("/private/Users/ada/env", "/private~/env"),
        ("https://user:pass@host/simple", "https://***@host/simple"),
        ("git+ssh://git@github.com/x.git", "git+ssh://***@github.com/x.git"),
        ("https://host/a@b", "https://host/a@b"),
        ("https://host/x?token=abc&page=2", "https://host/x?token=***&page=2"),
        ("--index-password=abc next", "--index-password=*** next"),
        ("tokenizers==0.15", "tokenizers==0.15"),
        ("tokenizer: bert", "tokenizer: bert"),
        ("some-token==1.0", "some-token==1.0"),
        ("UV_INDEX_TOKEN=abc", "UV_INDEX_TOKEN=***"),
        ("PASSWORD: hunter2", "PASSWORD: ***"),
    ],
)
def test_homes_and_secrets_are_hidden_and_nothing_else(text, masked):
    assert mask_text(text, "/Users/ada") == masked


@pytest.mark.parametrize(
    "name, value, masked",
    [
        ("TF_TOKEN_X", "abc", "***"),
        ("MY_API_KEY", "abc", "***"),
        ("KERAS_BACKEND", "jax", "jax"),
        ("PYTHONPATH", "/h/x", "~/x"),
    ],
)
def test_a_variable_with_a_secret_name_is_hidden_whole(name, value, masked):
    assert mask_variable(name, value, "/h") == masked


def test_a_tree_keeps_its_shape_and_its_keys():
    tree = {"/h/key": ["/h/a", 7, None, True, {"b": ("https://u@x", 1.5)}]}

    assert mask_tree(tree, "/h") == {"/h/key": ["~/a", 7, None, True, {"b": ["https://***@x", 1.5]}]}


def test_the_current_home_is_meant_where_none_is_given(monkeypatch, tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    monkeypatch.setenv("HOME", str(tmp_path / "link"))

    assert mask_text(f"{tmp_path}/link/x {tmp_path}/real/y") == "~/x ~/y"


def test_a_home_of_the_root_folder_masks_nothing():
    assert mask_text("/usr/bin/python", "/") == "/usr/bin/python"
