"""The elements of an mzML document one after the other, each forgotten as soon as it was looked at."""

import gzip
import io
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast
from xml.etree.ElementTree import Element

from defusedxml.ElementTree import iterparse

from processing.processors.mzml.arrays import local
from processing.readings import GIB, Unrecognised

MOST_UNPACKED_BYTES = 4 * GIB
GZIP = b"\x1f\x8b"
BEGINNINGS = {"mzML", "run", "spectrumList", "chromatogramList"}  # told where they begin, with nothing in them yet
WHOLE = {"spectrum", "chromatogram", "referenceableParamGroup", "instrumentConfiguration", "software"}


def opened(path: Path) -> IO[bytes]:
    """Repositories keep mzML packed."""
    with path.open("rb") as file:
        is_packed = file.read(2) == GZIP
    return cast(IO[bytes], Bounded(gzip.open(path))) if is_packed else path.open("rb")


class Bounded(io.BufferedReader):
    """What unpacks to more than the most is refused."""

    def read(self, size: int | None = -1, /) -> bytes:
        if self.tell() > MOST_UNPACKED_BYTES:
            raise Unrecognised(f"It is kept, and not read: it unpacks to more than {MOST_UNPACKED_BYTES // GIB} GiB.")
        return super().read(size)


def iterate_elements(file: IO[bytes]) -> Iterator[tuple[str, Element]]:
    """Names and elements, of BEGINNINGS and WHOLE, in the order of the file."""
    path: list[Element] = []
    for event, element in iterparse(file, events=("start", "end"), forbid_dtd=True):
        name = local(element)
        if event == "start":
            path.append(element)
            if name in BEGINNINGS:
                yield name, element
            continue
        path.pop()
        if name in WHOLE:
            yield name, element
            if path and name != "referenceableParamGroup":
                path[-1].remove(element)


def list_parameters(element: Element) -> list[Element]:
    """Of a group of parameters that others refer to."""
    return [child for child in element if local(child) == "cvParam"]
