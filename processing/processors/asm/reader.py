"""Vendor formats through allotropy: its document repaired, then facts, tables, curves and plates drawn from it."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC

from allotropy.parser_factory import Vendor

from processing.formats.numbers import encode_document
from processing.processors.asm.calculated import Origins
from processing.processors.asm.curves import curves_of
from processing.processors.asm.document import (
    Node,
    aggregate_of,
    columns_of,
    is_cube,
    values_under,
    walk_nodes,
)
from processing.processors.asm.endings import list_missing_parts
from processing.processors.asm.facts import METHOD_KEY, facts_of, list_measurement_times
from processing.processors.asm.forms import Form, list_forms
from processing.processors.asm.identifiers import drop_identifiers
from processing.processors.asm.missing_values import MissingValues, find_missing_elsewhere, find_missing_results
from processing.processors.asm.parsing import AssumedZone, encoding_of, parse_form
from processing.processors.asm.plates import plates_of
from processing.processors.asm.repairs import repair_document
from processing.processors.asm.tables import calculated_tables, tables_of
from processing.processors.asm.unread import list_unread
from processing.processors.asm.unread_sheets import list_unread_sheets
from processing.processors.asm.workbook_forms import WORKBOOK_EXTENSIONS
from processing.readings import (
    MAX_ARTEFACT_BYTES,
    MAX_ARTEFACTS,
    MAX_CHARACTERS_PER_VALUE,
    MIB,
    Artefact,
    Input,
    Json,
    Kind,
    Output,
)
from processing.recognition.vendor_types import vendor_name

DOCUMENT_NAME = "asm.json"
MAX_COMPARED_BYTES = 2 * MIB  # of a text whose numbers are looked for in the document
MAX_POINTS = 1_000_000  # more of them would not fit into an artefact
DOCUMENT_TOO_LARGE = (
    "The full document is larger than 16 MiB and is not kept; tables and curves were drawn from all of it."
)


def read(given: Input) -> Output:
    """Read the file as the format of its instrument's type. What the first form of it lacks is told, if all fail."""
    vendor = Vendor(vendor_name(given.instrument_type))
    first: Exception | None = None
    with closing(list_forms(given)) as forms:
        for form in forms:
            try:
                return read_as_vendor(vendor, form)
            except MemoryError:
                raise
            except Exception as error:  # another form may be what its parser knows
                first = first or error
    assert first is not None
    raise first


def read_as_vendor(vendor: Vendor, form: Form) -> Output:
    """What its parser finds in one form of the file."""
    given = form.given
    content = given.path.read_bytes()
    encoding = encoding_of(content)
    parsed = parse_form(vendor, form, encoding=encoding)
    document, identifiers, zone = parsed.document, parsed.identifiers, parsed.zone
    if form.original != given.filename:
        restore_name(document, form)
    technique, aggregate = aggregate_of(document)
    results = find_missing_results(Origins(aggregate, identifiers)) if parsed.words else MissingValues()
    others = find_missing_elsewhere(aggregate) if parsed.words else MissingValues()
    warnings = [*repair_document(aggregate, technique=technique), *results.describe(), *others.describe()]
    measured = sorted(list_measurement_times(aggregate))
    asm, excuse = document_artefact(document, identifiers)
    missing = [
        *list_missing_parts(vendor, content, encoding=encoding),
        *find_unread(content, encoding, asm, form, known=parsed.words),
    ]
    shown, omission = limit_artefacts(list(build_artefacts(technique, aggregate, identifiers)), most=MAX_ARTEFACTS - 1)
    return Output(
        run=facts_of(technique, aggregate, missing_results=results.count).as_json(),
        file=file_facts(aggregate, vendor, encoding=encoding, zone=zone if measured else None) | form.facts,
        acquired_at=measured[0].astimezone(UTC) if measured else None,
        artefacts=[*shown, *asm],
        warnings=[*form.warnings, *omission, *warnings, *excuse, *missing],
    )


def find_unread(content: bytes, encoding: str | None, asm: list[Artefact], form: Form, *, known: set[str]) -> list[str]:
    """A word about numbers of a text, or of a workbook's sheets, that the document, where it is kept, does not have."""
    if asm and form.given.path.suffix[1:].lower() in WORKBOOK_EXTENSIONS:
        return list(list_unread_sheets(form.given.path, asm[0].data))
    if encoding is None or not asm or len(content) > MAX_COMPARED_BYTES:
        return []
    text = content.decode(encoding, errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    return list(list_unread("\n" * form.lines_before + text, asm[0].data + "\n".join(known).encode()))


def restore_name(document: Node, form: Form) -> None:
    """The file's own name, where its copy has another ending."""
    for _, node in walk_nodes(document):
        node |= {key: form.original for key, value in node.items() if value == form.given.filename}


def limit_artefacts(artefacts: list[Artefact], *, most: int) -> tuple[list[Artefact], list[str]]:
    """The first of them, and a word about the others; the document itself holds everything."""
    if len(artefacts) <= most:
        return artefacts, []
    return artefacts[:most], [f"The first {most} of {len(artefacts)} tables and curves are shown."]


def build_artefacts(technique: str, aggregate: Node, identifiers: set[str]) -> Iterator[Artefact]:
    entries = aggregate.get(f"{technique} document", [])
    origins = Origins(aggregate, identifiers)
    yield from curves_of(aggregate)
    yield from plates_of(aggregate, origins.well_readings())
    tables = [
        *tables_of(entries if isinstance(entries, list) else [entries], identifiers),
        *calculated_tables(aggregate, place=origins.build_row),
    ]
    for number, table in enumerate(tables, start=1):  # the measurements come first, whatever they are called
        yield replace(table, name=f"table-{number}-{table.name}")


def document_artefact(document: Node, identifiers: set[str]) -> tuple[list[Artefact], list[str]]:
    """The repaired document without what differs at every run; left out, with a word, when it is too large."""
    points = sum(len(column) for _, node in walk_nodes(document) if is_cube(node) for column in columns_of(node))
    data = encode_document(drop_identifiers(document, identifiers)) if points <= MAX_POINTS else None
    if data is None or len(data) > MAX_ARTEFACT_BYTES:
        return [], [DOCUMENT_TOO_LARGE]
    return [Artefact(DOCUMENT_NAME, Kind.TABLE, "application/json", data, "Allotrope document")], []


def file_facts(aggregate: Node, vendor: Vendor, *, encoding: str | None, zone: AssumedZone | None) -> dict[str, Json]:
    facts: dict[str, Json] = {"vendor": vendor.value}
    if encoding:
        facts["encoding"] = encoding.lower().removesuffix("-sig")
    if zone and zone.was_used:
        facts["assumed_time_zone"] = str(zone.zone)
    methods = sorted({str(method) for method in values_under(aggregate, METHOD_KEY)})
    if methods and len(methods[0]) <= MAX_CHARACTERS_PER_VALUE:
        facts["method_path"] = methods[0]
    return facts
