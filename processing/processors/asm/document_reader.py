"""Allotrope Simple Model documents as files: drawn as they stand, units and identifiers included."""

import json
from collections.abc import Iterator
from datetime import UTC

from allotropy.exceptions import AllotropeValidationError

from processing.processors.asm.document import Node, aggregate_of, walk_nodes
from processing.processors.asm.facts import facts_of, list_measurement_times
from processing.processors.asm.reader import build_artefacts, document_artefact
from processing.processors.asm.repairs import drop_missing_values
from processing.processors.asm.schema import validate_document
from processing.readings import MAX_ARTEFACTS, Input, Output, Unreadable
from processing.text_encoding import decode_text

MANIFEST_KEY = "$asm.manifest"
IDENTIFIER_KEYS = {"measurement identifier", "calculated data identifier", "data source identifier"}


def read(given: Input) -> Output:
    document = parse_document(decode_text(given.path.read_bytes()).text)
    technique, aggregate = aggregate_of(document)
    differences = list(describe_schema_differences(document))
    warnings = drop_missing_values(aggregate, technique=technique)
    measured = sorted(list_measurement_times(aggregate))
    facts = facts_of(technique, aggregate)
    facts.add("format", "ASM JSON")
    facts.add("manifest", str(document.get(MANIFEST_KEY, "")))
    asm, excuse = document_artefact(document, set())
    identifiers = set(list_identifiers(aggregate))
    return Output(
        run=facts.as_json(),
        acquired_at=measured[0].astimezone(UTC) if measured else None,
        artefacts=[*build_artefacts(technique, aggregate, identifiers)][: MAX_ARTEFACTS - len(asm)] + asm,
        warnings=[*differences, *warnings, *excuse],
    )


def parse_document(text: str) -> Node:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Unreadable("The JSON is damaged, or ends too early.") from error
    if not isinstance(document, dict):
        raise Unreadable("It is JSON, but no Allotrope document.")
    return document


def describe_schema_differences(document: Node) -> Iterator[str]:
    """What a person should know where the document is none of a known schema, or breaks its own."""
    try:
        validate_document(document)
    except AllotropeValidationError as error:
        yield f"The document does not keep to its Allotrope schema: {error}"[:300]
    except Exception:  # its schema is not among those that the library brings
        yield "The document's Allotrope schema is not known here: its numbers were not checked against it."


def list_identifiers(aggregate: Node) -> Iterator[str]:
    """What ties calculated values to measurements; nothing that a person reads."""
    for _, node in walk_nodes(aggregate):
        for key in IDENTIFIER_KEYS & node.keys():
            if isinstance(node[key], str):
                yield node[key]
