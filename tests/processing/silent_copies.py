"""`python -m tests.processing.silent_copies [PART OF A NAME …]`: damaged copies that are read without a word."""

import argparse
import os
import sys
from pathlib import Path

import django

from tests.processing.damage import DAMAGES, Copy, damaged_copies


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from processing.confined.fork_server_client import fork_server_pool
    from tests.processing.damaged_copies import LARGEST, find_silent, list_files

    asked = argparse.ArgumentParser(description="List damaged copies of real files that are read without a word.")
    asked.add_argument("parts", nargs="*", help="of the names of files; without any all files")
    asked.add_argument("--damage", action="append", choices=DAMAGES, default=[])
    asked.add_argument("--seed", default="", help="another word damages other places")
    asked.add_argument("--largest", type=int, default=LARGEST, help="bytes of a file")
    asked.add_argument("--keep", type=Path, metavar="DIR", help="where to put these copies")
    given = asked.parse_args()
    names = [name for name in list_files(given.largest) if not given.parts or any(part in name for part in given.parts)]

    def choose(name: str, data: bytes) -> list[Copy]:
        return list(damaged_copies(name, data, given.damage, seed=given.seed))

    total, silent = 0, 0
    for made, found in find_silent(names, choose):
        total, silent = total + made, silent + len(found)
        for one in found:
            sys.stdout.write(f"{one}\n")
            sys.stdout.flush()
            if given.keep:
                path = given.keep / one.copy.damage / one.name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(one.copy.data)
    sys.stdout.write(f"{total:,} copies of {len(names):,} files, {silent:,} of them silent.\n")
    fork_server_pool.close()


if __name__ == "__main__":
    main()
