"""Header values of downloads, safe for any file name and any claimed type."""

import re

from django.utils.http import content_disposition_header

OCTET_STREAM = "application/octet-stream"
UNPRINTABLE_CHARACTERS = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
TOKEN = r"[A-Za-z0-9!#$%&'*+.^_`|~-]+"
MEDIA_TYPE = re.compile(rf'{TOKEN}/{TOKEN}(?:; ?{TOKEN}=(?:{TOKEN}|"[ !#-\[\]-~]*"))*')


def format_content_disposition(filename: str, *, inline: bool) -> str:
    """Content-Disposition after RFC 6266, with RFC 5987's `filename*` for what is not ASCII."""
    name = UNPRINTABLE_CHARACTERS.sub("_", filename) or "file"
    return content_disposition_header(not inline, name) or "attachment"


def safe_media_type(claimed: str) -> str:
    """The claimed type where it is well-formed (RFC 9110, 8.3.1), else `application/octet-stream`."""
    return claimed if len(claimed) <= 255 and MEDIA_TYPE.fullmatch(claimed) else OCTET_STREAM
