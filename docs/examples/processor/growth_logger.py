"""Says that there is a growth logger. Web processes import this, so it stays light; the reading is elsewhere."""

from processing.readings import MIB, Fact, InstrumentType, Kind, Limits, Viewer


def is_growth_log(head: bytes) -> bool:
    return head.startswith(b"GROWTH-LOGGER ")


GROWTH_LOGGER = InstrumentType(
    name="growth-logger",
    title="Growth logger",
    extensions=("gro",),
    process="growth_logger_reading:read",
    signature=is_growth_log,
    limits=Limits(input_bytes=8 * MIB),
    facts=(Fact("strain"), Fact("greatest_od600", "AU"), Fact("duration_min", "min")),
    viewers=(Viewer(Kind.PLATE, "Growth plates", "growth plate"), Viewer(Kind.CURVE, "Growth curves", "growth curve")),
)
