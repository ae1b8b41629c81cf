"""Events of flow cytometry as artefacts: the format ids-events/1, a bounded sample with the scale of each channel."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from processing.formats.logicle import DECADES, Logicle, choose_logicle
from processing.formats.numbers import encode_document, round_number
from processing.readings import Artefact, Json, Kind

FORMAT = "ids-events/1"
MAX_EVENTS, MAX_CHANNELS, MAX_VALUES = 20_000, 60, 900_000
FEW_EVENTS = 1_000  # of no more, none lies beyond the axes
SHOWN_PERCENTILES = (0.1, 99.0)  # a few large particles would push all cells into a corner
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class EventChannel:
    name: str
    is_logicle: bool  # how it is shown first; scatter and time are linear
    reach: float  # the greatest value that the instrument can write; 0 where it does not say


@dataclass(frozen=True)
class Events:
    """One row for each event, one column for each channel; `total` of the file, of which these may be the first."""

    title: str
    channels: Sequence[EventChannel]
    values: Floats
    total: int

    def document(self) -> dict[str, Json]:
        """Evenly chosen events, the same for the same file, as little-endian 32-bit floats in base64."""
        channels = self.channels[:MAX_CHANNELS]
        most = min(MAX_EVENTS, MAX_VALUES // max(1, len(channels)))
        known = self.values[np.isfinite(self.values[:, : len(channels)]).all(axis=1)]
        chosen = known[np.unique(np.linspace(0, len(known) - 1, min(most, len(known))).astype(np.intp))]
        return {
            "format": FORMAT,
            "title": self.title,
            "total": self.total,
            "count": len(chosen),
            "channels": [describe_channel(one, chosen[:, place]) for place, one in enumerate(channels)],
        }

    def artefact(self, name: str) -> Artefact:
        return Artefact(name, Kind.EVENTS, "application/json", encode_document(self.document()), self.title)


def describe_channel(channel: EventChannel, values: Floats) -> dict[str, Json]:
    spread = np.percentile(values, SHOWN_PERCENTILES) if len(values) > FEW_EVENTS else (values.min(), values.max())
    low, high = (float(edge) for edge in spread)
    scale: Logicle = choose_logicle(values, reach=channel.reach)
    return {
        "name": channel.name,
        "scale": "logicle" if channel.is_logicle else "linear",
        "low": round_number(min(low, 0.0)),
        "high": round_number(high if high > min(low, 0.0) else min(low, 0.0) + 1.0),
        "logicle": {"t": round_number(scale.t), "w": round_number(scale.w), "m": DECADES},
        "data": base64.b64encode(values.astype("<f4").tobytes()).decode(),
    }
