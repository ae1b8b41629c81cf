"""Pieces of a file of tiles, which pages draw planes of: a bounded range of bytes that never change."""

from accounts.callers import Caller
from files.choices import FileCategory
from files.downloads import find_stored_file
from files.storage import object_store
from files.storage.interface import MIB
from wire.errors import NotFound

MAX_TILE_BYTES = 4 * MIB
TILES_KIND = "tiles"


class NoTile(NotFound):
    def __init__(self) -> None:
        super().__init__("There is no tile in that place of the file.")


def read_tile(file_id: int, *, start: int, length: int, by: Caller) -> bytes:
    """These bytes of a processed file of the kind `tiles`. Raises FileMissing, FileNotStored, FilePurged, NoTile."""
    file = find_stored_file(file_id, by=by)
    if file.category != FileCategory.PROCESSED or file.metadata.get("kind") != TILES_KIND:
        raise NoTile
    if not 0 < length <= MAX_TILE_BYTES or start + length > (file.size_bytes or 0):
        raise NoTile
    with object_store().open_range(file.storage_key or "", start=start, end=start + length) as source:
        return source.read()
