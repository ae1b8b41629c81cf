"""The binary arrays of mzML, and the controlled vocabulary (PSI-MS) by which they are told apart."""

import base64
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import NDArray

from processing.processors.mzml import numpress
from processing.readings import MIB, Unreadable

MZ, INTENSITY, TIME = "MS:1000514", "MS:1000515", "MS:1000595"
NUMBER_TYPES = {"MS:1000519": "<i4", "MS:1000521": "<f4", "MS:1000522": "<i8", "MS:1000523": "<f8"}
ZLIB = "MS:1000574"
NUMPRESS = {  # and whether zlib comes on top
    "MS:1002312": (numpress.linear, False),
    "MS:1002313": (numpress.whole, False),
    "MS:1002314": (numpress.logarithms, False),
    "MS:1002746": (numpress.linear, True),
    "MS:1002747": (numpress.whole, True),
    "MS:1002748": (numpress.logarithms, True),
}
UNREAD = {"MS:1003088", "MS:1003089", "MS:1003090"}  # packings that nobody writes yet
MOST_BYTES = 256 * MIB
MINUTES = {"UO:0000031": "min", "UO:0000010": "s", "UO:0000028": "ms", "MS:1000038": "min", "MS:1000039": "s"}

Parameters = dict[str, Element]


@dataclass(frozen=True)
class Encoded:
    """One array as it stands in the file, decoded only if it is needed."""

    kind: str
    unit: str | None
    number_type: str
    is_compressed: bool
    text: str
    unpack: Callable[[bytes], NDArray[np.float64]] | None = None
    stated_length: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether it has as many characters as are announced; blanks are none."""
        return not self.stated_length.isdecimal() or len("".join(self.text.split())) == int(self.stated_length)

    @property
    def stored_type(self) -> str:
        """Of the numbers that `decode_stored` gives: `<f4`."""
        return "<f8" if self.unpack is not None else self.number_type

    def decode(self) -> NDArray[np.float64]:
        return self.decode_stored().astype(np.float64)

    def decode_stored(self) -> NDArray[Any]:
        """The numbers in the type in which they are stored."""
        content = base64.b64decode(self.text)
        if self.is_compressed:
            content = unpacked(content)
        if self.unpack is not None:
            return self.unpack(content) if content else np.array([])
        return np.frombuffer(content[: len(content) - len(content) % int(self.number_type[2])], self.number_type)


def unpacked(content: bytes) -> bytes:
    decompressor = zlib.decompressobj()
    plain = decompressor.decompress(content, MOST_BYTES)
    if decompressor.unconsumed_tail:
        raise Unreadable(f"An array unpacks to more than {MOST_BYTES // MIB} MiB.")
    return plain


def local(element: Element) -> str:
    return element.tag.rpartition("}")[2]


def parameters_of(element: Element, groups: dict[str, list[Element]]) -> Parameters:
    """The element's own parameters by accession, and those of the groups that it refers to."""
    found: Parameters = {}
    for child in element:
        if local(child) == "referenceableParamGroupRef":
            found |= {parameter.get("accession", ""): parameter for parameter in groups.get(child.get("ref", ""), [])}
        elif local(child) == "cvParam":
            found[child.get("accession", "")] = child
    return found


def arrays_of(element: Element, groups: dict[str, list[Element]]) -> dict[str, Encoded]:
    """Encoded arrays by kind (m/z, intensity, time)."""
    arrays = {}
    for holder in element.iter():
        if local(holder) != "binaryDataArray":
            continue
        parameters = parameters_of(holder, groups)
        kind = next((kind for kind in (MZ, INTENSITY, TIME) if kind in parameters), None)
        if kind is None:
            continue
        if UNREAD & parameters.keys():
            continue
        unpack, is_doubly = next((NUMPRESS[name] for name in parameters if name in NUMPRESS), (None, False))
        number_type = next((NUMBER_TYPES[name] for name in parameters if name in NUMBER_TYPES), "<f8")
        text = next((child.text or "" for child in holder if local(child) == "binary"), "")
        unit = parameters[kind].get("unitAccession")
        is_compressed = is_doubly or ZLIB in parameters
        length = holder.get("encodedLength", "")
        arrays[kind] = Encoded(kind, MINUTES.get(unit or ""), number_type, is_compressed, text, unpack, length)
    return arrays


def number(parameters: Parameters, accession: str) -> float | None:
    try:
        return float(parameters[accession].get("value", ""))
    except (KeyError, ValueError):
        return None
