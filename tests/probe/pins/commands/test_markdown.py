"""A page's code installs; its prose does not."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compat.probe.pins.commands.markdown import read
from compat.probe.pins.source import Source

PAGE = """\
Run pip install no, or `pip install tensorflow-metal==1.1.0`, not `pip`.

```bash
(venv) $ pip install tensorflow-macos \\
    numpy
```
~~~
keras==3.1
h5py
~~~
```python
!pip install scipy
x = "pip install no"
```
"""


def of(text, name="README.md"):
    return read(Source(Path("/nowhere") / name, text))


def test_code_is_read_and_prose_is_not():
    assert [(pin.name, pin.specifier, pin.line, pin.column) for pin in of(PAGE).pins] == [
        ("tensorflow-metal", "==1.1.0", 1, 37),
        ("tensorflow-macos", "", 4, 22),
        ("numpy", "", 5, 5),
        ("keras", "==3.1", 8, 1),
        ("h5py", "", 9, 1),
        ("scipy", "", 12, 14),
    ]


@pytest.mark.parametrize(
    "text",
    ["```\nfirst\nsecond\n```\n", "```\na==1\nand some prose here\n```\n", "```yaml\na==1\n```\n", "pip install a\n"],
)
def test_what_is_not_plainly_a_pin(text):
    assert of(text).pins == ()


def test_an_indented_command_of_restructuredtext():
    assert [pin.name for pin in of(".. code-block:: bash\n\n    $ pip install a\n", "a.rst").pins] == ["a"]


@settings(deadline=None)
@given(st.integers(0, len(PAGE)), st.text(alphabet="`~ \n$>a=1", max_size=10))
def test_a_mutilated_page_is_read_without_raising(at, put):
    of(PAGE[:at] + put + PAGE[at:])
