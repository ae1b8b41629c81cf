"""Says that there is a growth logger. Web processes import this, so it stays light; the reading is elsewhere."""

from processing.readings import MIB, InstrumentType, Limits


def is_growth_log(head: bytes) -> bool:
    return head.startswith(b"GROWTH-LOGGER ")


GROWTH_LOGGER = InstrumentType(
    name="growth-logger",
    title="Growth logger",
    extensions=("gro",),
    process="growth_logger_reading:read",
    signature=is_growth_log,
    limits=Limits(input_bytes=8 * MIB),
)
