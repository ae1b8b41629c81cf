"""PDF: what the document says about itself, and its pages as pictures."""

import io
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from pathlib import Path

import pypdfium2 as pdfium
from PIL import Image

from processing.facts import Facts
from processing.readings import MIB, Artefact, Input, Kind, Output, Unreadable

PICTURE_WIDTH = 1200
MAX_PIXELS = 12_000_000  # of the picture: a page may be a metre long
MAX_PAGES = 12
MAX_PICTURE_BYTES = 32 * MIB  # of all pictures
MAX_PNG_BYTES = 2 * MIB
MAX_TEXT_CHARACTERS = 200
INFORMATION_KEYS = {"title": "Title", "author": "Author", "subject": "Subject", "software": "Creator"}
DATE = re.compile(r"D:(\d{4})(\d{2})?(\d{2})?(\d{2})?(\d{2})?(\d{2})?(?:([+-])(\d{2})'?(\d{2})?|(Z))?")
ENCRYPTED_WARNING = "The document is encrypted: it is kept, but its pages cannot be shown."


def read(given: Input) -> Output:
    try:
        document = pdfium.PdfDocument(given.path)
    except pdfium.PdfiumError as error:
        return build_encrypted_output(given.path, error)
    facts = Facts()
    facts.add("format", format_pdf_version(document))
    facts.add("pages", len(document))
    for key, name in INFORMATION_KEYS.items():
        facts.add(key, document.get_metadata_value(name))
    created_at = parse_information_date(document.get_metadata_value("CreationDate"), zone=given.time_zone)
    if not len(document):
        raise Unreadable("The document has no pages.")
    page = document[0]
    width, height = page.get_size()
    facts.add("width_pt", round(width, 1))
    facts.add("height_pt", round(height, 1))
    facts.add("first_page_text", read_first_words(page))
    file = {"document_created_at": created_at.astimezone(UTC).isoformat()} if created_at else {}
    pages = list(render_pages(document, title=given.filename))
    more = [f"The first {len(pages)} of {len(document)} pages are shown."] if len(pages) < len(document) else []
    return Output(run=facts.as_json(), file=file, artefacts=pages, warnings=more)


def render_pages(document: pdfium.PdfDocument, *, title: str) -> Iterator[Artefact]:
    """The first pages, as many as a report needs and an output holds. What is scanned takes less room as JPEG."""
    room = MAX_PICTURE_BYTES
    for number in range(1, min(len(document), MAX_PAGES) + 1):
        image = render_page(document[number - 1])
        form, content_type, data = "png", "image/png", encode_image(image, "PNG")
        if len(data) > MAX_PNG_BYTES:
            form, content_type, data = "jpg", "image/jpeg", encode_image(image, "JPEG")
        room -= len(data)
        if room < 0:
            return
        yield Artefact(f"page-{number}.{form}", Kind.IMAGE, content_type, data, f"{title}, page {number}")


def build_encrypted_output(path: Path, error: pdfium.PdfiumError) -> Output:
    """A document that asks for a password is no damaged one."""
    if getattr(error, "err_code", None) == pdfium.raw.FPDF_ERR_PASSWORD:
        return Output(run={"format": "PDF"}, file={"encrypted": True}, warnings=[ENCRYPTED_WARNING])
    raise Unreadable("The document is damaged.") from error


def format_pdf_version(document: pdfium.PdfDocument) -> str:
    version = document.get_version()
    return f"PDF {version // 10}.{version % 10}" if version else "PDF"


def read_first_words(page: pdfium.PdfPage) -> str:
    """The beginning of the first page's text, in one line."""
    text = page.get_textpage().get_text_bounded()
    return " ".join(text[: 10 * MAX_TEXT_CHARACTERS].split())[:MAX_TEXT_CHARACTERS]


def render_page(page: pdfium.PdfPage) -> Image.Image:
    """1,200 pixels wide; less where the page would make too large a picture."""
    width, height = page.get_size()
    if width <= 0 or height <= 0:
        raise Unreadable("A page has no size.")
    scale = min(PICTURE_WIDTH / width, (MAX_PIXELS / (width * height)) ** 0.5)
    return page.render(scale=scale, may_draw_forms=False).to_pil().convert("RGB")


def encode_image(image: Image.Image, form: str) -> bytes:
    written = io.BytesIO()
    image.save(written, form)
    return written.getvalue()


def parse_information_date(stated: str, *, zone: tzinfo) -> datetime | None:
    """D:20260314092653+01'00'"""
    found = DATE.match(stated or "")
    if found is None:
        return None
    numbers = [int(part) if part else least for part, least in zip(found.groups()[:6], (1, 1, 1, 0, 0, 0), strict=True)]
    offset: tzinfo = zone
    if found[10]:
        offset = UTC
    elif found[7]:
        behind = timedelta(hours=int(found[8]), minutes=int(found[9] or 0))
        offset = timezone(behind if found[7] == "+" else -behind)
    try:
        return datetime(*numbers, tzinfo=offset)  # type: ignore[arg-type, misc]
    except ValueError:
        return None
