"""Why somebody changes something, as they say themselves: it stands in the trail beside what they changed."""

from urllib.parse import unquote

from wire.audit_context import MAX_TEXT_CHARS
from wire.errors import ValidationError
from wire.input_gate import text_fault

HEADER, FIELD = "Change-Reason", "change_reason"  # of any request that changes something; of forms of the dashboard


def read_header(value: str) -> str:
    """A header holds ASCII: what is more is percent-encoded UTF-8. Raises ValidationError."""
    try:
        text = unquote(value, errors="strict")
    except UnicodeDecodeError:
        raise ValidationError(fields={HEADER: ["It is no percent-encoded UTF-8."]}) from None
    return read_reason(text, name=HEADER)


def read_reason(text: str, *, name: str = FIELD) -> str:
    """One line of up to 100 characters. Raises ValidationError, which names where it was said."""
    reason = text.strip()
    if fault := text_fault(reason, multiline=False):
        raise ValidationError(fields={name: [fault]})
    if len(reason) > MAX_TEXT_CHARS:
        raise ValidationError(fields={name: [f"Ensure this field has no more than {MAX_TEXT_CHARS} characters."]})
    return reason
