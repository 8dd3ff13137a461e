"""Which package indexes are PyPI under another name."""

from __future__ import annotations

import re

_PYPI = re.compile(
    r"https?://(?:[^/@]*@)?(?:"
    r"(?:[\w-]+\.)?pypi\.(?:org|python\.org)"
    # Public mirrors of all of PyPI, as they list themselves: https://mirrorz.org/list/PyPI
    r"|pypi\.tuna\.tsinghua\.edu\.cn|mirrors?(?:s?\.[\w-]+)*\.(?:edu\.cn|aliyun\.com|cloud\.tencent\.com|huaweicloud\.com|163\.com)"
    r"|(?:repo|mirrors)\.huaweicloud\.com|pypi\.(?:doubanio?|mirrors\.ustc\.edu)\.(?:com|cn)"
    r")(?:[:/]|$)",
    re.IGNORECASE,
)


def is_pypi(url: str) -> bool:
    """Return whether an index offers what PyPI does: PyPI itself, or a public mirror of all of it."""
    return _PYPI.match(url) is not None
