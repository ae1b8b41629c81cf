"""`python -m tests.processing.lawful_variants [PART OF A NAME …]`: what other laboratories write, read anew.

Each line that is written is a variant whose numbers, vendor, time or warnings are not those of the original.
"""

import argparse
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import django

from tests.processing.variants import ENCODINGS, STYLES, variants_of
from tests.processing.workbook_variants import CHANGES, workbook_variants_of

TEXTS = (".csv", ".txt", ".tsv", ".dat", ".asc", ".log")
WORKBOOKS = (".xlsx", ".xlsm")


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from processing.confined.fork_server_client import fork_server_pool
    from tests.processing.damaged_copies import list_files

    asked = argparse.ArgumentParser(description="Read texts and workbooks as others write them; list what differs.")
    asked.add_argument("parts", nargs="*", help="of the names of files; without any all files")
    asked.add_argument("--variant", action="append", choices=[*STYLES, *ENCODINGS, *CHANGES], default=[])
    asked.add_argument("--largest", type=int, default=25_000, help="bytes of a file")
    given = asked.parse_args()
    names = [
        name
        for name in list_files(given.largest)
        if name.endswith((*TEXTS, *WORKBOOKS)) and (not given.parts or any(part in name for part in given.parts))
    ]
    with ThreadPoolExecutor(2) as pool:
        for lines in pool.map(lambda name: list(compare_variants(name, given.variant)), names):
            sys.stdout.writelines(f"{line}\n" for line in lines)
            sys.stdout.flush()
    fork_server_pool.close()


def compare_variants(name: str, variants: list[str]) -> Iterator[str]:
    """What is other than in the original, in the words of its first difference."""
    from tests.processing.damaged_copies import SHARED, read_copy

    data = (SHARED / name).read_bytes()
    whole = read_copy(Path(name).name, data)
    known, make = (
        (CHANGES, workbook_variants_of) if name.endswith(WORKBOOKS) else ({**STYLES, **ENCODINGS}, variants_of)
    )
    asked = [variant for variant in variants if variant in known]
    for variant in make(data, asked) if whole.is_read and (asked or not variants) else ():
        found = read_copy(Path(name).name, variant.data)
        lost, new = (sum(one.values()) for one in (whole.numbers - found.numbers, found.numbers - whole.numbers))
        said = "; ".join(sorted(found.said - whole.said))
        if lost or new or said:
            word = "told" if said else "NOT TOLD"
            yield f"{name}: {variant.name} (numbers: {lost} lost, {new} new; {word}: {said[:200]})"


if __name__ == "__main__":
    main()
