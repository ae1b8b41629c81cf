"""ABIF (AB1, FSA): traces of capillary sequencers, their base calls and the facts of the run."""

from collections.abc import Mapping
from typing import Any

from Bio import SeqIO

from processing.facts import Facts
from processing.local_times import as_utc, describe_zone, parse_local_time
from processing.processors.sequencing.traces import (
    BaseCalls,
    Trace,
    describe_calls,
    describe_traces,
    draw_stretches,
    draw_traces,
    list_doubts,
    tabulate_calls,
)
from processing.readings import Artefact, Input, Output, Unreadable

ANALYSED_NUMBERS = (9, 10, 11, 12)
RAW_NUMBERS = (1, 2, 3, 4, 105, 106, 205, 206)
RUN_TAGS = {
    "instrument_model": "MODL1",
    "device_identifier": "MCHN1",
    "sample_id": "SMPL1",
    "well": "TUBE1",
    "plate_id": "CTNM1",
    "analyst": "User1",
    "run_name": "RunN1",
    "method": "MODF1",
    "software_version": "SVER1",
    "polymer": "GTyp1",
    "dye_set": "DySN1",
    "mobility_file": "PDMF1",
}
CHANGED_CALLS, ORIGINAL_CALLS = ("PBAS1", "PCON1", "PLOC1"), ("PBAS2", "PCON2", "PLOC2")
Tags = Mapping[str, Any]


def read(given: Input) -> Output:
    """Facts, traces and base calls. Unreadable: it holds neither."""
    tags: Tags = SeqIO.read(given.path, "abi").annotations["abif_raw"]
    analysed, raw = list_analysed_traces(tags), list_raw_traces(tags)
    calls = find_calls(tags)
    if not (analysed or raw or calls):
        raise Unreadable("It holds neither traces nor bases.")
    started, ended = (
        parse_local_time(f"{tags.get(f'RUND{n}')} {tags.get(f'RUNT{n}')}", "%Y-%m-%d %H:%M:%S", given=given)
        for n in (1, 2)
    )
    facts = Facts()
    facts.add("technique", "Sanger sequencing" if calls else "capillary electrophoresis")
    facts.add("format", "ABIF")
    for key, tag in RUN_TAGS.items():
        facts.add(key, text_of(tags, tag))
    if started:
        facts.add_times([started, max(started, ended or started)])
    facts.add("bases", len(calls.bases))
    return Output(
        run=facts.as_json(),
        file={
            **({"run_start": f"{started:%Y-%m-%d %H:%M:%S}"} if started else {}),
            **describe_calls(calls),
            **describe_traces([*analysed, *raw]),
            **describe_zone(started, given),
        },
        acquired_at=as_utc(started),
        artefacts=build_artefacts(analysed, raw, calls),
        warnings=list(list_doubts([*analysed, *raw])),
    )


def build_artefacts(analysed: list[Trace], raw: list[Trace], calls: BaseCalls) -> list[Artefact]:
    made: list[Artefact] = []
    made += draw_stretches(analysed, calls)
    if analysed:
        made.append(draw_traces("Chromatogram", analysed).artefact("chromatogram.json"))
    if raw:
        made.append(draw_traces("Raw signal", raw).artefact("raw-signal.json"))
    if calls:
        made.append(tabulate_calls(calls).artefact("bases.json"))
    return made


def list_analysed_traces(tags: Tags) -> list[Trace]:
    """Named by the base whose dye each is."""
    order = text_of(tags, "FWO_1") or "????"
    return [
        Trace(order[place : place + 1] or str(number), f"DATA{number}", numbers_of(tags, f"DATA{number}"))
        for place, number in enumerate(ANALYSED_NUMBERS)
        if f"DATA{number}" in tags
    ]


def list_raw_traces(tags: Tags) -> list[Trace]:
    """As the detector saw them, named by their dyes."""
    present = [number for number in RAW_NUMBERS if tags.get(f"DATA{number}") is not None]
    names = [text_of(tags, f"DyeN{place}") or f"Dye {place}" for place in range(1, len(present) + 1)]
    return [
        Trace(name, f"DATA{number}", numbers_of(tags, f"DATA{number}"))
        for name, number in zip(names, present, strict=True)
    ]


def find_calls(tags: Tags) -> BaseCalls:
    """The calls as somebody edited them, else as the base caller made them."""
    bases, qualities, peaks = CHANGED_CALLS if tags.get("PBAS1") else ORIGINAL_CALLS
    called = text_of(tags, bases)
    places = numbers_of(tags, peaks)
    if places and len(places) != len(called):
        raise Unreadable(f"It has {len(called)} bases, but {len(places)} peaks of them.")
    return BaseCalls(called, bytes_of(tags, qualities), places)


def numbers_of(tags: Tags, tag: str) -> list[float]:
    stored = tags.get(tag)
    if stored is None or isinstance(stored, bytes):
        return []
    return list(stored) if isinstance(stored, tuple) else [stored]


def bytes_of(tags: Tags, tag: str) -> bytes:
    stored = tags.get(tag)
    return stored if isinstance(stored, bytes) else b""


def text_of(tags: Tags, tag: str) -> str:
    stored = tags.get(tag)
    return stored.decode("utf-8", "replace").strip("\0 ") if isinstance(stored, bytes) else str(stored or "")
