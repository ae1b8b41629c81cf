"""Why somebody changes something, as they say themselves: it stands in the trail beside what they changed."""

from urllib.parse import unquote_to_bytes

from wire.audit_context import MAX_TEXT_CHARS
from wire.errors import ValidationError
from wire.input_gate import text_fault

HEADER, FIELD = "Change-Reason", "change_reason"  # of any request that changes something; of forms of the dashboard


def read_header(value: str) -> str:
    """Beyond ASCII it is percent-encoded UTF-8, or UTF-8 as curl sends what is typed. Raises ValidationError.

    `value` has a character for each byte, as WSGI hands headers over.
    """
    try:
        text = unquote_to_bytes(value.encode("latin-1")).decode()
    except UnicodeError:
        raise ValidationError(fields={HEADER: ["It is no UTF-8."]}) from None
    return read_reason(text, name=HEADER)


def read_reason(text: str, *, name: str = FIELD) -> str:
    """One line of up to 100 characters. Raises ValidationError, which names where it was said."""
    reason = text.strip()
    if fault := text_fault(reason, multiline=False):
        raise ValidationError(fields={name: [fault]})
    if len(reason) > MAX_TEXT_CHARS:
        raise ValidationError(fields={name: [f"Ensure this field has no more than {MAX_TEXT_CHARS} characters."]})
    return reason
