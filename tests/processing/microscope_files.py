"""Small ND2, CZI and LIF files, made as the public descriptions of these formats say: no real ones could be had."""

import struct
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

Clx = bool | int | float | str | Mapping[str, Any] | list[Any]
ND2_MARK = 0x0ABECEDA
EMISSION = {"uiCount": 1, "pPoint": {"Point0": {"dTValue": 1.0, "dWavelength": 461.0}}}
DYE = {"pFluorescentProbe": {"m_EmissionSpectrum": EMISSION}}
ND2_FRAME_NAME_BYTES = 4072  # so that the numbers begin 4,096 bytes behind the beginning of a frame


def make_nd2(
    frames: Sequence[np.ndarray],
    *,
    loops: Sequence[tuple[int, Mapping[str, Any]]] = (),
    channels: Sequence[tuple[str, int]] = (("DAPI", 0xFF0000), ("GFP", 0x00FF00)),
    text: Mapping[str, str] | None = None,
    planned: int | None = None,
    samples: int = 1,
    has_dyes: bool = True,
) -> bytes:
    """Frames of rows, columns and channels; loops as (type, parameters), the outermost first; colours as BGR."""
    height, width, components = frames[0].shape
    planes = {
        f"a{number}": {
            "uiCompCount": samples,
            "uiSampleIndex": number,
            "sDescription": name,
            "uiColor": color,
        }
        | (DYE if has_dyes else {})
        for number, (name, color) in enumerate(channels)
    }
    attributes = {
        "uiWidth": width,
        "uiWidthBytes": width * components * frames[0].dtype.itemsize,
        "uiHeight": height,
        "uiComp": components,
        "uiBpcInMemory": 8 * frames[0].dtype.itemsize,
        "uiBpcSignificant": 8 * frames[0].dtype.itemsize,
        "uiSequenceCount": planned or len(frames),
        "eCompression": 2,
    }
    picture = {
        "dTimeMSec": 0.0,
        "dTimeAbsolute": 2460000.25,  # 2023-02-24 18:00 UTC
        "bCalibrated": True,
        "dCalibration": 0.325,
        "wsObjectiveName": "Plan Apo 20x",
        "dObjectiveMag": 20.0,
        "dObjectiveNA": 0.75,
        "sPicturePlanes": {"uiCount": len(channels), "sPlaneNew": planes},
    }
    file = Nd2File()
    file.put("ImageAttributesLV!", clx({"SLxImageAttributes": attributes}))
    file.put("ImageMetadataSeqLV|0!", clx({"SLxPictureMetadata": picture}))
    if loops:
        file.put("ImageMetadataLV!", clx({"SLxExperiment": nest_loops(loops)}))
    if text:
        file.put("ImageTextInfoLV!", clx({"SLxImageTextInfo": text}))
    for number, frame in enumerate(frames):
        file.put(f"ImageDataSeq|{number}!", bytes(8) + frame.tobytes(), name_bytes=ND2_FRAME_NAME_BYTES)
    return file.finish()


def nest_loops(loops: Sequence[tuple[int, Mapping[str, Any]]]) -> dict[str, Any]:
    (kind, parameters), *inner = loops
    return {"eType": kind, "uLoopPars": parameters} | ({"ppNextLevelEx": [nest_loops(inner)]} if inner else {})


def time_loop(count: int, *, period_ms: float = 2000.0) -> tuple[int, dict[str, Any]]:
    return 1, {"uiCount": count, "dStart": 0.0, "dPeriod": period_ms, "dDuration": period_ms * count}


def position_loop(*names: str) -> tuple[int, dict[str, Any]]:
    points = [{"dPosX": 1.0 * number, "dPosY": 0.0, "dPosName": name} for number, name in enumerate(names)]
    return 2, {"Points": points if len(points) > 1 else {"i0000000000": points[0]}}


def depth_loop(count: int, *, step_um: float = 0.5) -> tuple[int, dict[str, Any]]:
    return 4, {"uiCount": count, "dZStep": step_um, "dZLow": 0.0, "dZHigh": step_um * (count - 1)}


class Nd2File:
    def __init__(self) -> None:
        self.content = b""
        self.map: list[tuple[bytes, int, int]] = []
        self.put("ND2 FILE SIGNATURE CHUNK NAME01!", b"Ver3.0".ljust(64, b"\0"), name_bytes=32)

    def put(self, name: str, data: bytes, *, name_bytes: int = 0) -> None:
        self.map.append((name.encode(), len(self.content), len(data)))
        padded = name.encode().ljust(name_bytes or len(name) + 20, b"\0")
        self.content += struct.pack("<IIQ", ND2_MARK, len(padded), len(data)) + padded + data

    def finish(self) -> bytes:
        place = len(self.content)
        entries = b"".join(name + struct.pack("<QQ", at, size) for name, at, size in self.map[1:])
        end = b"ND2 CHUNK MAP SIGNATURE 0000001!" + struct.pack("<Q", place)
        self.put("ND2 FILEMAP SIGNATURE NAME 0001!", entries + end, name_bytes=32)
        return self.content


def clx(values: Mapping[str, Any]) -> bytes:
    """The notation in which NIS-Elements keeps what it knows: type, name and value, levels within levels."""
    return b"".join(clx_entry(name, value) for name, value in values.items())


def clx_entry(name: str, value: Clx) -> bytes:
    text = name.encode("utf-16-le") + b"\0\0"
    match value:
        case bool():
            return bytes([1, len(name) + 1]) + text + bytes([value])
        case int():
            return bytes([3, len(name) + 1]) + text + struct.pack("<I", value)
        case float():
            return bytes([6, len(name) + 1]) + text + struct.pack("<d", value)
        case str():
            return bytes([8, len(name) + 1]) + text + value.encode("utf-16-le") + b"\0\0"
    items = [("", one) for one in value] if isinstance(value, list) else list(value.items())
    inside = b"".join(clx_entry(key, one) for key, one in items)
    head = bytes([11, len(name) + 1]) + text
    return head + struct.pack("<IQ", len(items), len(head) + 12 + len(inside)) + inside + bytes(8 * len(items))


GRAY8, GRAY16, BGR24 = 0, 1, 3
CZI_XML = """<ImageDocument><Metadata>
<Information>
 <Image><AcquisitionDateAndTime>2024-05-06T07:08:09.1234567Z</AcquisitionDateAndTime><Dimensions>
  <Channels><Channel Id="Channel:0" Name="EGFP"><ExposureTime>25000000</ExposureTime><Fluor>EGFP</Fluor>
   <EmissionWavelength>509</EmissionWavelength></Channel><Channel Id="Channel:1" Name="mCherry"/></Channels>
  <S><Scenes><Scene Index="0" Name="A1"/><Scene Index="1" Name="A2"/></Scenes></S></Dimensions></Image>
 <Instrument><Microscopes><Microscope Name="Axio Observer.Z1 / 7"/></Microscopes>
  <Objectives><Objective Name="Plan-Apochromat 20x/0.8"><LensNA>0.8</LensNA>
   <NominalMagnification>20</NominalMagnification></Objective></Objectives></Instrument>
 <Application><Name>ZEN 3.4 (blue edition)</Name><Version>3.4.91</Version></Application>
</Information>
<Scaling><Items><Distance Id="X"><Value>3.45E-07</Value></Distance>
 <Distance Id="Z"><Value>1E-06</Value></Distance></Items></Scaling>
<DisplaySetting><Channels><Channel Id="Channel:0"><Color>#FF00FF5B</Color></Channel></Channels></DisplaySetting>
</Metadata></ImageDocument>"""


def make_czi(
    tiles: Sequence[tuple[Mapping[str, int], np.ndarray]],
    *,
    compression: int = 0,
    encode: Any = None,
    pixel_type: int | None = None,
    xml: str = CZI_XML,
    pyramid: Sequence[tuple[Mapping[str, int], np.ndarray]] = (),
) -> bytes:
    """Tiles as where they begin (X, Y, C, Z, T, S, M) and their pixels; in a pyramid each stands for four."""
    content, entries = czi_segment(b"ZISRAWFILE", bytes(80), allocated=512), []
    for factor, (starts, pixels) in [*((1, tile) for tile in tiles), *((2, tile) for tile in pyramid)]:
        kind = pixel_type if pixel_type is not None else {1: GRAY8, 2: GRAY16}[pixels.dtype.itemsize]
        plain = pixels[..., ::-1].tobytes() if pixels.ndim == 3 else pixels.tobytes()
        data = encode(plain) if encode else plain
        entry = czi_entry(starts, pixels, kind=kind, place=len(content), compression=compression, factor=factor)
        head = (struct.pack("<iiq", 0, 0, len(data)) + entry).ljust(256, b"\0")
        entries.append(entry)
        content += czi_segment(b"ZISRAWSUBBLOCK", head + data)
    directory = len(content)
    content += czi_segment(b"ZISRAWDIRECTORY", struct.pack("<i", len(entries)) + bytes(124) + b"".join(entries))
    metadata = len(content)
    content += czi_segment(b"ZISRAWMETADATA", struct.pack("<ii", len(xml.encode()), 0) + bytes(248) + xml.encode())
    header = struct.pack("<iiii16s16siqqiq", 1, 0, 0, 0, bytes(16), bytes(16), 0, directory, metadata, 0, 0)
    return content[:32] + header + content[112:]


def czi_segment(mark: bytes, data: bytes, *, allocated: int = 0) -> bytes:
    size = max(allocated, -(-len(data) // 32) * 32)
    return mark.ljust(16, b"\0") + struct.pack("<qq", size, len(data)) + data.ljust(size, b"\0")


def czi_entry(
    starts: Mapping[str, int], pixels: np.ndarray, *, kind: int, place: int, compression: int, factor: int
) -> bytes:
    sizes = {"X": pixels.shape[1], "Y": pixels.shape[0]}
    dimensions = b"".join(
        struct.pack("<4siifi", axis.encode(), starts.get(axis, 0), factor * sizes.get(axis, 1), 0.0, sizes.get(axis, 1))
        for axis in dict.fromkeys(["X", "Y", *starts])
    )
    count = len(dimensions) // 20
    return struct.pack("<2siqiiBB4si", b"DV", kind, place, 0, compression, factor - 1, 0, bytes(4), count) + dimensions


def make_lif(images: Sequence[tuple[str, np.ndarray]], *, blocks: int | None = None, attachment: str = "") -> bytes:
    """Images by name, of channels, depths, rows and columns; only the first so many have their data."""
    elements = "".join(lif_element(name, pixels, number, attachment) for number, (name, pixels) in enumerate(images))
    xml = (
        '<LMSDataContainerHeader Version="2"><Element Name="cells.lif" UniqueID="1"><Data><Experiment Path="">'
        '<TimeStamp HighInteger="31000000" LowInteger="0"/></Experiment></Data><Memory Size="0" MemoryBlockID="Mem_0"/>'
        f"<Children>{elements}</Children></Element></LMSDataContainerHeader>"
    )
    content = struct.pack("<IIBI", 0x70, 2 * len(xml) + 5, 0x2A, len(xml)) + xml.encode("utf-16-le")
    for number, (_, pixels) in enumerate(images[: blocks if blocks is not None else len(images)]):
        name = f"Block_{number}"
        content += struct.pack("<IIBQBI", 0x70, 0, 0x2A, pixels.nbytes, 0x2A, len(name)) + name.encode("utf-16-le")
        content += pixels.tobytes()
    return content


def lif_element(name: str, pixels: np.ndarray, number: int, attachment: str) -> str:
    channels, depths, height, width = pixels.shape
    size = pixels.dtype.itemsize
    plane = height * width * size
    described = "".join(
        f'<ChannelDescription DataType="0" ChannelTag="0" Resolution="{8 * size}" NameOfMeasuredQuantity="" '
        f'Min="0" Max="1" Unit="" LUTName="{lut}" IsLUTInverted="0" BytesInc="{place * plane * depths}" BitInc="0"/>'
        for place, lut in enumerate(("Green", "Red", "Blue")[:channels])
    )
    dimensions = "".join(
        f'<DimensionDescription DimID="{kind}" NumberOfElements="{count}" Origin="0" Length="{length}" Unit="m" '
        f'BitInc="0" BytesInc="{step}"/>'
        for kind, count, length, step in (
            (1, width, (width - 1) * 5e-7, size),
            (2, height, (height - 1) * 5e-7, width * size),
            (3, depths, (depths - 1) * 2e-6, plane),
        )
        if count > 1
    )
    return (
        f'<Element Name="{name}" UniqueID="{number + 2}"><Data><Image><ImageDescription>'
        f"<Channels>{described}</Channels><Dimensions>{dimensions}</Dimensions></ImageDescription>{attachment}</Image></Data>"
        f'<Memory Size="{pixels.nbytes}" MemoryBlockID="Block_{number}"/></Element>'
    )
