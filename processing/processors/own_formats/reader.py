"""What vendors' own programs store: openreadout reads it, and what it finds is shown as any other reader's.

Images become OME-TIFF in the folder of this reading, and are read as files of this format are.
"""

import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import openreadout

from processing.facts import Facts, shorten_text
from processing.processors.image import reader as image_reader
from processing.processors.own_formats.description import Description, describe
from processing.processors.own_formats.spectra import draw_spectra
from processing.processors.own_formats.tables import draw_tables
from processing.processors.own_formats.traces import draw_traces
from processing.readings import MAX_ARTEFACTS, MIB, Input, Output, Unreadable, Unrecognised

MOST_CHECKED_BYTES = 256 * MIB  # to look for damage is to read all of a file again
MOST_IMAGE_BYTES = 200 * MIB  # what a reading may write into one file is 256
PIXEL_TYPES = {"float": "float32", "double": "float64"}
OF_THE_COPY = (
    "software",
    "format",
    "instrument",
    "instrument_model",
    "axes",
    "byteorder",
    "dtype",
)  # and no facts of the file
MOST_FINDINGS, MOST_FINDING_CHARACTERS = 10, 300
BY_NAME_ONLY = "only the file extension matched this format"
PREFIX = re.compile(r"(?:[a-z0-9-]+: )?(?:corrupt file: )?")
UNKNOWN = "It is kept, and not read: its first bytes are of no format that is known."
UNVALIDATED = (
    "It is written in a way that the library openreadout could not be checked with: compare it with the program of the "
    "instrument."
)


def read(given: Input) -> Output:
    """Unreadable: it is damaged, or holds what the library does not decode. Unrecognised: it is none of its formats."""
    with explain_errors(), openreadout.File(given.path) as file:
        content = file.info
        description = describe(content, given)
        parts = [read_part() for read_part, is_there in find_parts(file, content, given) if is_there]
        findings = list_findings(file) if content["size_bytes"] <= MOST_CHECKED_BYTES else []
    return join_parts(description, parts, warnings=[*findings, *list_doubts(content)])


@contextmanager
def explain_errors() -> Iterator[None]:
    try:
        yield
    except openreadout.UnknownFormatError as error:
        raise Unrecognised(UNKNOWN) from error
    except openreadout.OpenReadoutError as error:
        raise (Unrecognised(UNKNOWN) if BY_NAME_ONLY in str(error) else Unreadable(explain(error))) from error


def explain(error: openreadout.OpenReadoutError) -> str:
    """Without the name of the format before it, and the hint to those who call the library."""
    said = PREFIX.sub("", str(error).partition(" (hint: ")[0])
    return shorten_text(f"{said[:1].upper()}{said[1:].rstrip('.')}.", MOST_FINDING_CHARACTERS)


def find_parts(file: openreadout.File, content: Any, given: Input) -> list[tuple[Callable[[], Output], bool]]:
    """How each kind of what a file may hold is read, and whether it holds any."""
    return [
        (lambda: draw_traces(file), bool(file.traces)),
        (lambda: draw_tables(file), bool(file.tables)),
        (lambda: draw_spectra(file, given.path), bool(content.get("spectra"))),
        (lambda: read_images(file, content["images"], given), bool(content["images"])),
    ]


def read_images(file: openreadout.File, images: Any, given: Input) -> Output:
    """The library reads back what it wrote and compares it."""
    size = sum(count_bytes(image) for image in images)
    if size > MOST_IMAGE_BYTES:
        return Output(warnings=[f"Its images have {size / MIB:,.0f} MiB: too many to be shown from this format."])
    path = Path(tempfile.mkdtemp()) / f"{given.path.stem}.ome.tiff"
    file.export(path)
    output = image_reader.read(replace(given, path=path, filename=given.filename))
    return replace(output, run={key: value for key, value in output.run.items() if key not in OF_THE_COPY})


def count_bytes(image: Any) -> int:
    pixels = image["plane_count"] * image["size_x"] * image["size_y"] * image["samples_per_pixel"]
    return int(pixels * np.dtype(PIXEL_TYPES.get(image["pixel_type"], image["pixel_type"])).itemsize)


def list_findings(file: openreadout.File) -> list[str]:
    """What is damaged, or not as the format has it."""
    findings = [
        shorten_text(one["message"], MOST_FINDING_CHARACTERS)
        for one in file.check()["findings"]
        if one.get("severity") != "info"
    ]
    left_out = [f"{len(findings) - MOST_FINDINGS} more of the kind."] if len(findings) > MOST_FINDINGS else []
    return findings[:MOST_FINDINGS] + left_out


def list_doubts(content: Any) -> list[str]:
    return [UNVALIDATED] if content.get("assurance", {}).get("level") == "unvalidated" else []


def join_parts(description: Description, parts: list[Output], *, warnings: list[str]) -> Output:
    """What the file says of itself comes first; what its parts add to that does not contradict it."""
    if not any(part.artefacts or part.datasets for part in parts):
        raise Unreadable("It holds nothing that can be shown.")
    artefacts = [artefact for part in parts for artefact in part.artefacts]
    if len(artefacts) > MAX_ARTEFACTS:
        warnings = [*warnings, f"Of {len(artefacts)} pictures and tables the first {MAX_ARTEFACTS} are shown."]
    facts: Facts = description.facts
    run: dict[str, Any] = {key: value for part in parts for key, value in part.run.items()} | facts.as_json()
    return Output(
        run=run,
        file={key: value for part in parts for key, value in part.file.items()} | description.of_file,
        acquired_at=description.started_at,
        artefacts=artefacts[:MAX_ARTEFACTS],
        warnings=[*warnings, *(warning for part in parts for warning in part.warnings)],
        datasets=[dataset for part in parts for dataset in part.datasets],
    )
