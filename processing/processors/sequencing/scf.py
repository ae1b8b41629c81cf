"""SCF: the traces, bases and comments that sequencers exchanged before and beside ABIF. Versions 1 to 3."""

import struct
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from processing.facts import Facts
from processing.processors.sequencing.traces import (
    BaseCalls,
    Trace,
    describe_calls,
    describe_traces,
    draw_stretches,
    draw_traces,
    tabulate_calls,
)
from processing.readings import Input, Output, Unreadable

HEADER = struct.Struct(">4s8I4s4I")
CHANNELS = "ACGT"
RUN_COMMENTS = {"NAME": "sample_id", "MACH": "instrument_model", "MODL": "instrument_model", "OPER": "analyst"} | {
    "DYEP": "dye_set",
    "PRIM": "primer",
    "LANE": "lane",
    "CONV": "software",
}
DELTA_VERSION = 3.0  # from here on the traces are kept as second differences


@dataclass(frozen=True)
class Header:
    samples: int
    samples_at: int
    bases: int
    bases_at: int
    comment_bytes: int
    comments_at: int
    version: float
    sample_bytes: int


def read(given: Input) -> Output:
    content = given.path.read_bytes()
    header = parse_header(content)
    traces = [
        Trace(label, f"trace_{label}", values.tolist())
        for label, values in zip(CHANNELS, read_samples(content, header), strict=True)
    ]
    calls = read_calls(content, header)
    facts = Facts()
    facts.add("technique", "Sanger sequencing")
    facts.add("format", f"SCF {header.version:.2f}")
    for name, value in read_comments(content, header).items():
        if name in RUN_COMMENTS:
            facts.add(RUN_COMMENTS[name], value)
    facts.add("bases", header.bases)
    tables = [tabulate_calls(calls).artefact("bases.json")] if calls else []
    return Output(
        run=facts.as_json(),
        file={**describe_calls(calls), **describe_traces(traces)},
        artefacts=[
            *draw_stretches(traces, calls),
            draw_traces("Chromatogram", traces).artefact("chromatogram.json"),
            *tables,
        ],
    )


def parse_header(content: bytes) -> Header:
    if len(content) < HEADER.size:
        raise Unreadable("It ends within its header.")
    _, samples, samples_at, bases, _, _, bases_at, comment_bytes, comments_at, version, sample_bytes, *_ = (
        HEADER.unpack_from(content)
    )
    try:
        number = float(version.decode("ascii").strip("\0 "))
    except ValueError as error:
        raise Unreadable("Its header names no version.") from error
    header = Header(samples, samples_at, bases, bases_at, comment_bytes, comments_at, number, max(1, sample_bytes))
    ends = (samples_at + samples * 4 * header.sample_bytes, bases_at + bases * 12, comments_at + comment_bytes)
    if header.sample_bytes > 2 or max(ends) > len(content):
        raise Unreadable("It ends before its header says: a part of the file is missing, or the header is damaged.")
    return header


def read_samples(content: bytes, header: Header) -> NDArray[np.uint16]:
    """Four rows, of A, C, G and T."""
    width = np.dtype(">u2" if header.sample_bytes == 2 else "u1")
    stored = np.frombuffer(content, width, header.samples * 4, header.samples_at).astype(width.newbyteorder("="))
    if header.version < DELTA_VERSION:
        return stored.reshape(-1, 4).T.astype(np.uint16)
    differences = stored.reshape(4, -1)
    restored = np.cumsum(np.cumsum(differences, axis=1, dtype=differences.dtype), axis=1, dtype=differences.dtype)
    return restored.astype(np.uint16)


def read_calls(content: bytes, header: Header) -> BaseCalls:
    """Each base with its scan; its quality is the probability of the base that was called."""
    count, start = header.bases, header.bases_at
    if header.version < DELTA_VERSION:
        record = np.dtype([("peak", ">u4"), ("chance", "u1", 4), ("base", "S1"), ("spare", "u1", 3)])
        rows = np.frombuffer(content, record, count, start)
        peaks, chances, bases = rows["peak"], rows["chance"].T, rows["base"].tobytes()
    else:
        peaks = np.frombuffer(content, ">u4", count, start)
        chances = np.frombuffer(content, "u1", count * 4, start + 4 * count).reshape(4, count)
        bases = content[start + 8 * count : start + 9 * count]
    letters = bases.decode("latin-1").upper()
    called = [CHANNELS.find(letter) for letter in letters]
    qualities = bytes(int(chances[channel, place]) if channel >= 0 else 0 for place, channel in enumerate(called))
    return BaseCalls(bases.decode("latin-1"), qualities, peaks.tolist())


def read_comments(content: bytes, header: Header) -> dict[str, str]:
    text = content[header.comments_at : header.comments_at + header.comment_bytes].decode("latin-1")
    pairs = (line.partition("=") for line in text.strip("\0").splitlines())
    return {name.strip(): value.strip() for name, sign, value in pairs if sign}
