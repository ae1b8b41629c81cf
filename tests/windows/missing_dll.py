"""bcryptprimitives.dll, which Windows has and wine 8.0 has not: without it nothing loads that Rust compiled,
such as the package cryptography.

Made here by "PE Format" (Microsoft Learn): one export and no code. ProcessPrng(buffer, length) is forwarded to what
advapi32 calls RtlGenRandom, which takes the same and answers the same.
"""

import struct
from pathlib import Path

NAME, EXPORT, TARGET = b"bcryptprimitives.dll\0", b"ProcessPrng\0", b"ADVAPI32.SystemFunction036\0"
X86_64, DLL, EXECUTABLE, LARGE_ADDRESSES = 0x8664, 0x2000, 0x0002, 0x0020
PE32_PLUS, CONSOLE, NX_COMPATIBLE = 0x020B, 3, 0x0100
IMAGE_BASE, PAGE, FILE_BLOCK, DIRECTORIES = 0x1_8000_0000, 0x1000, 0x200, 16
READABLE_DATA = 0x4000_0040
OPTIONAL_HEADER_BYTES = 112 + 8 * DIRECTORIES


def add_missing_dll(system_folder: Path) -> None:
    """Where wine has none of its own."""
    place = system_folder / NAME.rstrip(b"\0").decode()
    if not place.exists():
        place.write_bytes(_headers() + _exports().ljust(FILE_BLOCK, b"\0"))


def _headers() -> bytes:
    dos = b"MZ".ljust(60, b"\0") + struct.pack("<I", 64)  # the new header is right behind
    file = b"PE\0\0" + struct.pack(
        "<HHIIIHH", X86_64, 1, 0, 0, 0, OPTIONAL_HEADER_BYTES, DLL | EXECUTABLE | LARGE_ADDRESSES
    )
    standard = struct.pack("<HBBIIIII", PE32_PLUS, 0, 0, 0, FILE_BLOCK, 0, 0, PAGE)
    places = struct.pack("<QIIHHHHHHI", IMAGE_BASE, PAGE, FILE_BLOCK, 6, 0, 0, 0, 6, 0, 0)
    sizes = struct.pack("<IIIHH", 2 * PAGE, FILE_BLOCK, 0, CONSOLE, NX_COMPATIBLE)
    memory = struct.pack("<QQQQII", 1 << 20, 1 << 12, 1 << 20, 1 << 12, 0, DIRECTORIES)
    exported = struct.pack("<II", PAGE, len(_exports())).ljust(8 * DIRECTORIES, b"\0")
    section = b".rdata\0\0" + struct.pack(
        "<IIIIIIHHI", FILE_BLOCK, PAGE, FILE_BLOCK, FILE_BLOCK, 0, 0, 0, 0, READABLE_DATA
    )
    return (dos + file + standard + places + sizes + memory + exported + section).ljust(FILE_BLOCK, b"\0")


def _exports() -> bytes:
    """The export directory, and behind it what it points to. An address that lies in it is a forwarder's."""
    functions = PAGE + 40
    names, ordinals, texts = functions + 4, functions + 8, functions + 12
    name, export, target = texts, texts + len(NAME), texts + len(NAME) + len(EXPORT)
    directory = struct.pack("<IIHHIIIIIII", 0, 0, 0, 0, name, 1, 1, 1, functions, names, ordinals)
    tables = struct.pack("<IIHH", target, export, 0, 0)
    return directory + tables + NAME + EXPORT + TARGET
