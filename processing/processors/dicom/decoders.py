"""Compressed pictures of DICOM that Pillow cannot decode or not rightly: JPEG-LS, lossless and 12-bit JPEG, JPEG 2000.

A plug-in of pydicom's decoders, as its documentation asks for one.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import imagecodecs
import numpy as np
from pydicom import uid
from pydicom.pixels.decoders.base import DecodeRunner, get_decoder

LABEL = "imagecodecs"
JPEG_2000 = {uid.JPEG2000, uid.JPEG2000Lossless, uid.HTJ2K, uid.HTJ2KLossless, uid.HTJ2KLosslessRPCL}
CODECS: dict[uid.UID, Callable[[bytes], Any]] = {
    **dict.fromkeys(JPEG_2000, imagecodecs.jpeg2k_decode),
    uid.JPEGLSLossless: imagecodecs.jpegls_decode,
    uid.JPEGLSNearLossless: imagecodecs.jpegls_decode,
    uid.JPEGLossless: imagecodecs.ljpeg_decode,
    uid.JPEGLosslessSV1: imagecodecs.ljpeg_decode,
    uid.JPEGExtended12Bit: partial(imagecodecs.jpeg8_decode, colorspace=0, outcolorspace=0),  # as it is stored
}
DECODER_DEPENDENCIES = dict.fromkeys(CODECS, ("imagecodecs",))


def is_available(syntax: str) -> bool:
    return syntax in CODECS


def decode_frame(src: bytes, runner: DecodeRunner) -> bytearray:
    """The numbers of one frame as the decoder of pydicom wants them: by pixel, little-endian."""
    pixels = np.asarray(CODECS[uid.UID(runner.transfer_syntax)](src))
    if pixels.shape[:2] != (runner.rows, runner.columns):
        raise ValueError("a frame has another size than the file says")
    runner.set_option("bits_allocated", 8 * pixels.dtype.itemsize)
    runner.set_option("planar_configuration", 0)
    if runner.transfer_syntax in JPEG_2000:
        if str(runner.photometric_interpretation) in ("YBR_ICT", "YBR_RCT"):
            runner.set_option("photometric_interpretation", "RGB")
        pixels = correct_sign(pixels, runner)
    return bytearray(np.ascontiguousarray(pixels.astype(pixels.dtype.newbyteorder("<"), copy=False)).tobytes())


def correct_sign(pixels: np.ndarray[Any, Any], runner: DecodeRunner) -> np.ndarray[Any, Any]:
    """As numbers of the kind that the file announces; one that the picture itself has otherwise is taken over later."""
    return (
        pixels.view(f"u{pixels.dtype.itemsize}")
        if runner.pixel_representation == 0
        else pixels.view(f"i{pixels.dtype.itemsize}")
    )


def install_decoders() -> None:
    """Beside what pydicom has; in place of Pillow for JPEG 2000, which it reads as positive numbers only."""
    for syntax in CODECS:
        decoder = get_decoder(syntax)
        if LABEL not in decoder.available_plugins:
            decoder.add_plugin(LABEL, (__name__, "decode_frame"))
        if syntax in JPEG_2000 and "pillow" in decoder.available_plugins:
            decoder.remove_plugin("pillow")
