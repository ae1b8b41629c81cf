"""The formats of microscopes, each known by its first bytes."""

from processing.readings import GIB, MIB, InstrumentType, Limits

MICROSCOPY = "processing.processors.microscopy"
LIMITS = Limits(input_bytes=512 * MIB, memory_bytes=2 * GIB, streamed_bytes=4 * GIB, seconds_per_gib=60)
ND2_START = b"\xda\xce\xbe\x0a"
CZI_START = b"ZISRAWFILE\0"
LIF_START, LIF_TEXT = b"\x70\0\0\0", 0x2A
LIF_TEXTS = ("<LMSDataContainer".encode("utf-16-le"), "LMS_Object_File".encode("utf-16-le"))


def is_nd2(head: bytes) -> bool:
    """Files of before 2008 begin as any JPEG 2000 does: those are known by their names."""
    return head.startswith(ND2_START)


def is_czi(head: bytes) -> bool:
    return head.startswith(CZI_START)


def is_lif(head: bytes) -> bool:
    return head.startswith(LIF_START) and head[8:9] == bytes([LIF_TEXT]) and head[13:].startswith(LIF_TEXTS)


MICROSCOPE_TYPES = (
    InstrumentType("nd2", "Nikon ND2", ("nd2",), f"{MICROSCOPY}.nd2:read", is_nd2, LIMITS, streamed=("nd2",)),
    InstrumentType("czi", "Zeiss CZI", ("czi",), f"{MICROSCOPY}.czi:read", is_czi, LIMITS, streamed=("czi",)),
    InstrumentType(
        "lif", "Leica LIF", ("lif", "lof"), f"{MICROSCOPY}.lif:read", is_lif, LIMITS, streamed=("lif", "lof")
    ),
)
