"""`[tool.tfcompat]`: which table holds for a file, and what is said of one that cannot be meant."""

import pytest

from compat.errors import UsageError
from compat.facts.pins import PinSettings
from compat.probe.pins import settings


@pytest.fixture(autouse=True)
def _fresh():
    settings.forget()


def table(folder, text):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "pyproject.toml").write_text(text, "utf-8")
    return folder


def test_every_key_is_read(tmp_path):
    table(
        tmp_path,
        """
        [tool.tfcompat]
        targets = ["macos-arm64", "linux-x86_64"]
        ignore = ["pin504", "PIN56"]
        exclude = ["third_party/"]
        severity = "warning"
        strict = true
        markdown = true
        [tool.tfcompat.per-file-ignores]
        "docs/*" = ["PIN5"]
        """,
    )

    assert settings.of(tmp_path / "requirements.txt") == PinSettings(
        targets=("macos-arm64", "linux-x86_64"),
        ignore=("PIN504", "PIN56"),
        per_file_ignores=(("docs/*", ("PIN5",)),),
        exclude=("third_party/",),
        root=str(tmp_path),
        severity="warning",
        strict=True,
        markdown=True,
    )


def test_the_nearest_table_at_or_above_a_file_holds(tmp_path):
    table(tmp_path, '[tool.tfcompat]\nignore = ["PIN501"]\n')
    table(tmp_path / "a", "[project]\nname = 'tfcompat-user'\n")
    table(tmp_path / "b", "[tool.tfcompat]\n")

    assert settings.of(tmp_path / "a" / "deep" / "requirements.txt").ignore == ("PIN501",)
    assert settings.of(tmp_path / "b" / "requirements.txt").ignore == ()


def test_without_a_table_the_defaults_hold(tmp_path):
    assert settings.of(tmp_path / "requirements.txt") == PinSettings()


@pytest.mark.parametrize(
    "text",
    ["[tool.tfcompat\n", "tfcompat = [" * 3000, "tool = 'tfcompat'\n", "# tfcompat\n"],
    ids=["broken", "nested", "no table", "a comment"],
)
def test_a_file_that_holds_no_settings_is_passed_over(tmp_path, text):
    table(tmp_path, text)

    assert settings.of(tmp_path / "requirements.txt") == PinSettings()


@pytest.mark.parametrize(
    "line, key",
    [
        ("tfcompat = 1", "tool.tfcompat"),
        ("tfcompat = {ignores = []}", "tool.tfcompat.ignores"),
        ("tfcompat = {ignore = 'PIN501'}", "tool.tfcompat.ignore"),
        ("tfcompat = {ignore = ['E501']}", "tool.tfcompat.ignore"),
        ("tfcompat = {ignore = ['']}", "tool.tfcompat.ignore"),
        ("tfcompat = {targets = ['mac']}", "tool.tfcompat.targets"),
        ("tfcompat = {exclude = [1]}", "tool.tfcompat.exclude"),
        ("tfcompat = {severity = 'note'}", "tool.tfcompat.severity"),
        ("tfcompat = {severity = ['error']}", "tool.tfcompat.severity"),
        ("tfcompat = {strict = 1}", "tool.tfcompat.strict"),
        ("tfcompat = {markdown = 'yes'}", "tool.tfcompat.markdown"),
        ("tfcompat = {per-file-ignores = []}", "tool.tfcompat.per-file-ignores"),
        ("tfcompat = {per-file-ignores = {'a.txt' = 'PIN501'}}", "tool.tfcompat.per-file-ignores.a.txt"),
    ],
)
def test_a_table_that_cannot_be_meant_names_file_and_key(tmp_path, line, key):
    path = table(tmp_path, f"[tool]\n{line}\n") / "pyproject.toml"

    with pytest.raises(UsageError) as told:
        settings.of(tmp_path / "requirements.txt")
    assert told.value.message.startswith(f"{path}: {key} ")


def test_a_name_no_file_can_have_has_the_defaults():
    assert settings.of(__import__("pathlib").Path("a\0b/c.txt")) == PinSettings()
