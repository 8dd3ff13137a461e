"""One refresh: every page and every METADATA first, then every file. What fails, fails before the first write."""

from __future__ import annotations

import concurrent.futures
import contextlib
from typing import TYPE_CHECKING

from refreshing.choosing import kept_files
from refreshing.failure import RefreshError
from refreshing.index import files_of, page_url
from refreshing.releases import releases_of
from refreshing.remote_metadata import metadata_of
from refreshing.toml_text import toml_of
from refreshing.web import CONNECTIONS

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Iterable, Iterator

    from refreshing.cache import Cache
    from refreshing.choosing import Kept
    from refreshing.distributions import Followed
    from refreshing.web import Web


def refreshed(
    web: Web,
    followed: Iterable[Followed],
    *,
    index: str,
    as_of: dt.date,
    cache: Cache,
    tell: Callable[[str], None],
) -> dict[str, str]:
    """File name -> TOML of every distribution asked for. RefreshError when one of them cannot be had."""
    texts = {}
    for one in followed:
        kept = kept_files(one, files_of(web, index, one.name, cache), as_of)
        if not kept:
            raise RefreshError(f"{page_url(index, one.name)}: no release up to {as_of} worth keeping")
        wheels = tuple(each for each in kept if each.tag is not None)
        releases = releases_of(kept, _metadata(web, (*wheels, *_alone(kept)), cache) if one.in_full else {})
        tell(f"{one.name}: {len(releases)} releases, {len(wheels)} wheels")
        texts[f"{one.name}.toml"] = toml_of(one.name, page_url(index, one.name), as_of, releases, in_full=one.in_full)
    return texts


def _alone(kept: tuple[Kept, ...]) -> tuple[Kept, ...]:
    """Sdists of releases without a wheel: only their PKG-INFO can say what such a release requires."""
    with_wheels = {each.version for each in kept if each.tag is not None}
    return tuple(
        each for each in kept if each.version not in with_wheels and each.file.filename.endswith((".tar.gz", ".tgz"))
    )


def _metadata(web: Web, files: tuple[Kept, ...], cache: Cache) -> dict[str, bytes]:
    """By sha256 of the file. Every wheel is read: even wheels of one version and platform may differ in it.

    (TensorFlow 2.22.0rc0 asks for another h5py on Python 3.14 than on 3.13, and says so without a marker.)
    """
    with _pool(web) as pool:
        contents = pool.map(lambda each: metadata_of(web, each.file, cache), files)
        return {each.file.sha256: content for each, content in zip(files, contents, strict=True)}


@contextlib.contextmanager
def _pool(web: Web) -> Iterator[concurrent.futures.ThreadPoolExecutor]:
    """Four at a time; after the first failure, or Ctrl-C, nothing more is begun."""
    pool = concurrent.futures.ThreadPoolExecutor(max_workers=CONNECTIONS)
    try:
        yield pool
    except BaseException:
        web.stop.set()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
