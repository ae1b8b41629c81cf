"""What `./ids manage doctor` says of nginx where it is to send stored files: whether its user can read them."""

import grp
import stat
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from django.conf import settings

from files.storage import object_store
from files.storage.layout import DATA_FILE, Layout
from files.storage.local import LocalStore
from operations.findings import Finding

SUBJECT = "files sent by nginx"
MAX_LOOKED_AT = 10_000
SEARCHED_BY_ANOTHER = stat.S_IXGRP | stat.S_IXOTH
READ_BY_ANOTHER = stat.S_IRGRP | stat.S_IROTH


def check_proxy_reading() -> Iterator[Finding]:
    """Nothing is lost where nginx cannot read a file: the service sends it, at its own speed."""
    if not settings.ACCEL_REDIRECT_PREFIX:
        return
    store = object_store()
    if not isinstance(store, LocalStore):
        yield Finding(SUBJECT, "none: callers fetch from S3 itself, ACCEL_REDIRECT_PREFIX has no effect")
    else:
        yield judge_reading(store.layout)


def judge_reading(layout: Layout) -> Finding:
    root = layout.root
    if not root.exists():
        return Finding(SUBJECT, "none stored yet")
    group = name_group(root.stat().st_gid)
    if closed := [place for place in reversed(root.parents) if not place.stat().st_mode & SEARCHED_BY_ANOTHER]:
        return Finding(SUBJECT, f"{closed[0]} lets nobody else in", f"chgrp {group} {closed[0]}; chmod g+x {closed[0]}")
    if unread := find_unread(layout):
        state = f"not all: the group {group} cannot read {unread.relative_to(root.parent)}, so the service sends it"
        return Finding(SUBJECT, state, f"chmod -R g+rX {root}")
    return Finding(SUBJECT, f"the group {group} reads them; nginx's user has to be in it")


def find_unread(layout: Layout) -> Path | None:
    """The first place among ten thousand objects that only the service's user reads; None: each is read by others."""
    return next((place for place in list_places(layout) if not is_read_by_others(place)), None)


def list_places(layout: Layout) -> Iterator[Path]:
    yield layout.root
    for key in islice(layout.keys(""), MAX_LOOKED_AT):
        folder = layout.object_directory(key)
        yield from (place for place in reversed(folder.parents) if layout.root in place.parents)
        yield from (folder, folder / DATA_FILE)


def is_read_by_others(place: Path) -> bool:
    """So is what went away meanwhile."""
    try:
        mode = place.stat().st_mode
    except FileNotFoundError:
        return True
    return bool(mode & (SEARCHED_BY_ANOTHER if stat.S_ISDIR(mode) else READ_BY_ANOTHER))


def name_group(number: int) -> str:
    try:
        return grp.getgrgid(number).gr_name
    except KeyError:
        return str(number)
