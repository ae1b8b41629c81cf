"""What an RO-Crate says of itself: `ro-crate-metadata.json` for everybody, `manifest.json` to import it again.

https://www.researchobject.org/ro-crate/specification/1.2/: one flat JSON-LD graph, every stored file a data entity.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote

from django.conf import settings

from archives.members import Member, build_manifest_document
from archives.models import ArchiveJob
from archives.naming import CRATE_METADATA, MANIFEST
from files.models import File
from runs.addresses import run_address
from runs.models import Run
from wire.clock import format_timestamp

CRATE_FORMAT = "ids-crate/1"
CONTEXT = ["https://w3id.org/ro/crate/1.2/context", {"sha256": "http://schema.org/sha256"}]
SPECIFICATION = "https://w3id.org/ro/crate/1.2"
LICENSE = "The service knows of no licence: ask the people named here before using these data elsewhere."
Entity = dict[str, Any]


def derive_crate_key(files_key: str, run: Run) -> str:
    """The cache key: of the same files, described alike. SHA-256 as 64 hex digits."""
    project = run.project and (run.project.name, run.project.description)
    told = (run.caller_metadata, run.metadata, run.tags, run.acquired_at, run.updated_at, run.instrument.display_name)
    state = [CRATE_FORMAT, files_key, *told, project, vars(run)["claimants"]]
    return hashlib.sha256(json.dumps(state, sort_keys=True, default=str).encode()).hexdigest()


def describe_crate(job: ArchiveJob, packed: Sequence[Member]) -> Iterator[tuple[str, bytes]]:
    """The names and contents of the last two entries."""
    run = Run.objects.with_details("caller_metadata").select_related("project").get(pk=job.run_id)
    files = {file.pk: file for file in File.objects.filter(pk__in=job.file_ids).select_related("dataset")}
    pairs = [(member, files[member.file_id]) for member in packed]
    yield CRATE_METADATA, build_metadata(job, run, pairs)
    yield MANIFEST, _dump(_build_crate_manifest(job, run, pairs))


def build_metadata(job: ArchiveJob, run: Run, pairs: Sequence[tuple[Member, File]]) -> bytes:
    people = [{"@id": f"#person-{one.id}", "@type": "Person", "name": one.display_name} for one in run.attributions]
    facts = [_build_fact(key, value) for key, value in sorted(run.metadata.items())]
    paths = {file.pk: member.path for member, file in pairs}
    graph = [
        _build_descriptor(),
        _build_root(job, run, people=people, facts=facts, paths=[member.path for member, _ in pairs]),
        _build_measurement(run, people=people, paths=[m.path for m, file in pairs if file.category == "raw"]),
        {"@id": _instrument_id(run), "@type": "IndividualProduct", "name": run.instrument.display_name},
        *people,
        *facts,
        *([_build_project(run)] if run.project else []),
        {
            **_file_entity(MANIFEST, "application/json"),
            "name": MANIFEST,
            "description": "What an Instrument Data Service needs to import this crate.",
        },
        *(entity for member, file in pairs for entity in _describe_file(member, file, paths)),
    ]
    return _dump({"@context": CONTEXT, "@graph": graph})


def _build_descriptor() -> Entity:
    return {
        "@id": CRATE_METADATA,
        "@type": "CreativeWork",
        "conformsTo": {"@id": SPECIFICATION},
        "about": {"@id": "./"},
    }


def _build_root(
    job: ArchiveJob, run: Run, *, people: Sequence[Entity], facts: Sequence[Entity], paths: Sequence[str]
) -> Entity:
    root: Entity = {
        "@id": "./",
        "@type": "Dataset",
        "name": run.run_id,
        "description": f"Run {run.run_id} of {run.instrument.display_name} ({run.instrument_id}), with its files.",
        "identifier": str(run.pk),
        "url": f"{settings.PUBLIC_URL}{run_address(run)}",
        "datePublished": format_timestamp(job.created_at),
        "dateCreated": format_timestamp(run.acquired_at or run.created_at),
        "license": LICENSE,
        "hasPart": [{"@id": entity_id(path)} for path in (*paths, MANIFEST)],
        "mentions": {"@id": "#measurement"},
    }
    several = {"creator": people, "additionalProperty": facts}
    root |= {name: _refer(entities) for name, entities in several.items() if entities}
    if run.tags:
        root["keywords"] = list(run.tags)
    return root | ({"isPartOf": {"@id": f"#project-{run.project_id}"}} if run.project else {})


def _build_measurement(run: Run, *, people: Sequence[Entity], paths: Sequence[str]) -> Entity:
    action: Entity = {
        "@id": "#measurement",
        "@type": "CreateAction",
        "name": f"Measurement of {run.run_id}",
        "instrument": {"@id": _instrument_id(run)},
        "result": [{"@id": entity_id(path)} for path in paths],
    }
    if people:
        action["agent"] = _refer(people)
    return action | ({"endTime": format_timestamp(run.acquired_at)} if run.acquired_at else {})


def _build_project(run: Run) -> Entity:
    assert run.project is not None
    entity = {"@id": f"#project-{run.project_id}", "@type": "Project", "name": run.project.name}
    more = {"description": run.project.description, "url": run.project.link}
    return entity | {name: value for name, value in more.items() if value}


def _build_fact(key: str, value: Any) -> Entity:
    """One key of the run's metadata; what is no number, text or truth value stands as its JSON."""
    plain = value if isinstance(value, str | int | float | bool) else json.dumps(value, ensure_ascii=False)
    return {
        "@id": f"#metadata-{quote(key, safe='')}",
        "@type": "PropertyValue",
        "name": key,
        "propertyID": key,
        "value": plain,
    }


def _describe_file(member: Member, file: File, paths: dict[int, str]) -> Iterator[Entity]:
    """The file itself, and the columns of the dataset that it holds."""
    entity = _file_entity(member.path, file.content_type or "application/octet-stream")
    entity |= {"name": file.filename, "alternateName": file.relative_path, "contentSize": str(member.size_bytes)}
    if member.sha256:
        entity["sha256"] = member.sha256
    if file.file_created_at:
        entity["dateCreated"] = format_timestamp(file.file_created_at)
    if file.source_file_id in paths:
        entity["isBasedOn"] = {"@id": entity_id(paths[file.source_file_id])}
    dataset = getattr(file, "dataset", None)
    columns = [] if dataset is None else [_build_column(file, column) for column in dataset.columns]
    if dataset is not None:
        told = dataset.title or dataset.name
        entity |= {
            "description": f"{told}: {dataset.kind}, {dataset.row_count} rows",
            "variableMeasured": _refer(columns),
        }
    yield entity
    yield from columns


def _build_column(file: File, column: dict[str, Any]) -> Entity:
    entity = {"@id": f"#column-{file.pk}-{quote(column['name'], safe='')}", "@type": "PropertyValue"}
    more = {"name": column.get("title") or column["name"], "propertyID": column["name"], "unitText": column.get("unit")}
    return entity | {name: value for name, value in more.items() if value}


def _build_crate_manifest(job: ArchiveJob, run: Run, pairs: Sequence[tuple[Member, File]]) -> Entity:
    document = build_manifest_document(job, run, [member for member, _ in pairs])
    for entry, (_, file) in zip(document["files"], pairs, strict=True):
        entry |= {"relative_path": file.relative_path, "category": file.category, "content_type": file.content_type}
    told = {"metadata": run.metadata, "own_metadata": run.caller_metadata, "tags": list(run.tags)}
    acquired_at = run.acquired_at and format_timestamp(run.acquired_at)
    return {**document, "format": CRATE_FORMAT, "run": {"acquired_at": acquired_at, **told}}


def entity_id(path: str) -> str:
    """The path in the crate as the relative URI that names it."""
    return quote(path, safe="/()-._~")


def _file_entity(path: str, content_type: str) -> Entity:
    return {"@id": entity_id(path), "@type": "File", "encodingFormat": content_type}


def _instrument_id(run: Run) -> str:
    return f"#instrument-{run.instrument_id}"


def _refer(entities: Sequence[Entity]) -> list[Entity]:
    return [{"@id": entity["@id"]} for entity in entities]


def _dump(document: Entity) -> bytes:
    return json.dumps(document, ensure_ascii=False, indent=1).encode()
