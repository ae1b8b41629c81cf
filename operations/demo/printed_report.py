"""A page of a report, as an instrument's software prints it."""

from collections.abc import Sequence
from io import BytesIO

from PIL import Image, ImageDraw, ImageFont

from operations.demo.drawings import Json

WIDTH, HEIGHT, MARGIN = 1000, 1414, 90  # an A4 sheet
PLOT_AREA = (160, 330, 910, 830)  # of the plot: left, top, right, bottom
INK, FAINT = "#1c1d1a", "#8a897f"
COLOURS = ("#1d4ed8", "#c2410c", "#15803d", "#7e22ce")
MAX_ABSORBANCE = 2.0  # AU


def draw_page(title: str, curves: Sequence[tuple[str, Json]]) -> Image.Image:
    """Named spectra over each other, and below them what they read at 280 nm."""
    sheet = Image.new("RGB", (WIDTH, HEIGHT), "white")
    draw = ImageDraw.Draw(sheet)
    draw.text((MARGIN, MARGIN), title, INK, ImageFont.load_default(38))
    draw.text((MARGIN, 150), "Cary WinUV Kinetics 5.1    CARY60-BENCH3    Page 1 of 1", FAINT, _load_font())
    draw.line((MARGIN, 200, WIDTH - MARGIN, 200), INK, 2)
    _draw_axes(draw)
    for number, (name, curve) in enumerate(curves):
        trace, top = curve["series"][0], PLOT_AREA[3] + 150 + 48 * number
        draw.line([_to_pixels(x, y) for x, y in zip(trace["x"], trace["y"], strict=True)], COLOURS[number], 3)
        draw.line((MARGIN, top + 14, MARGIN + 50, top + 14), COLOURS[number], 5)
        draw.text((MARGIN + 70, top), name, INK, _load_font())
        draw.text((WIDTH - MARGIN, top), f"{trace['y'][trace['x'].index(280)]:.3f} AU", INK, _load_font(), anchor="ra")
    draw.text((WIDTH - MARGIN, PLOT_AREA[3] + 100), "at 280 nm", FAINT, _load_font(), anchor="ra")
    return sheet


def encode_page(sheet: Image.Image, form: str) -> bytes:
    """`form` is PNG or PDF."""
    written = BytesIO()
    sheet.save(written, form)
    return written.getvalue()


def _draw_axes(draw: ImageDraw.ImageDraw) -> None:
    left, top, right, bottom = PLOT_AREA
    for nm in range(250, 401, 50):
        x, _ = _to_pixels(nm, 0)
        draw.line((x, top, x, bottom), "#e4e3dc", 1)
        draw.text((x, bottom + 12), str(nm), FAINT, _load_font(), anchor="ma")
    for tenths in range(0, 21, 5):
        _, y = _to_pixels(220, tenths / 10)
        draw.line((left, y, right, y), "#e4e3dc", 1)
        draw.text((left - 14, y), f"{tenths / 10:.1f}", FAINT, _load_font(), anchor="rm")
    draw.text((left, top - 45), "Absorbance (AU)", FAINT, _load_font())
    draw.text((right, bottom + 45), "Wavelength (nm)", FAINT, _load_font(), anchor="ra")


def _to_pixels(nm: float, absorbance: float) -> tuple[float, float]:
    left, top, right, bottom = PLOT_AREA
    return left + (nm - 220) / 180 * (right - left), bottom - absorbance / MAX_ABSORBANCE * (bottom - top)


def _load_font() -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(22)
