"""Whether symbolic links can be made here: on Windows it needs a privilege, and wine only pretends."""

import tempfile
from pathlib import Path

import pytest


def can_link() -> bool:
    with tempfile.TemporaryDirectory() as folder:
        try:
            (Path(folder) / "link").symlink_to("there")
        except OSError:
            return False
        return (Path(folder) / "link").is_symlink()


needs_links = pytest.mark.skipif(not can_link(), reason="symbolic links cannot be made here")
