"""The table of ways of speaking: words as a text's words are kept, and more than one of them needed."""

from compat.verdict.diagnose.symptoms_spoken import WAYS


def test_words_are_small_letters_without_anything_else():
    words = {word for way in WAYS for group in way.groups for word in group}

    assert [word for word in words if not (word.replace("_", "").isalpha() and word == word.lower())] == []


def test_no_single_word_means_a_fault():
    assert [way for way in WAYS if len(way.groups) < 2] == []


def test_each_way_is_there_once():
    groups = [way.groups for way in WAYS]

    assert len(groups) == len(set(groups))


def test_what_restates_its_symptom_is_never_likely():
    assert [way.most for way in WAYS if way.otherwise == "ISS067"] == ["low"]


def test_the_plural_of_dtype_is_but_a_guess_at_the_package():
    ways = [way for way in WAYS if way.otherwise == "ISS031" and not any("ml_dtypes" in group for group in way.groups)]

    assert [way.most for way in ways] == ["low"]
