"""The link from a run to its page in the electronic lab notebook, by a template such as `https://eln.example/{sample}`.

In braces stands a key of the run's metadata, `run_id` or `instrument`. A run that lacks one of them has no link.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote, urlsplit

from accounts.callers import Caller
from runs.eln.models import MAX_TEMPLATE_CHARS, ElnTemplate
from runs.models import Run
from wire.errors import ValidationError

TITLE = "Open in ELN"
PLACE = re.compile(r"\{([^{}]*)\}")
KEY = re.compile(r"[A-Za-z0-9_.-]{1,64}")
ADDRESS = re.compile(r"(https?://[^/?#]+)(/.*)", re.DOTALL)
MAX_VALUE_CHARS = 500
FORM = "An address such as https://eln.example/{sample} is needed"


@dataclass(frozen=True)
class RunLink:
    title: str
    url: str


def find_template_fault(template: str) -> str | None:
    """What is wrong with it. The host is written out, so that no run's metadata leads elsewhere."""
    parts = ADDRESS.fullmatch(template)
    if parts is None or not template.isprintable() or any(sign.isspace() for sign in template):
        return f"{FORM}: https or http, a host and a path, without spaces."
    if len(template) > MAX_TEMPLATE_CHARS:
        return f"It has more than {MAX_TEMPLATE_CHARS:,} characters."
    if not _is_plain_origin(parts[1]):
        return f"{FORM}: the host is written out, without a name or a password before it."
    keys = PLACE.findall(parts[2])
    if not keys or not all(KEY.fullmatch(key) for key in keys) or set("{}") & set(PLACE.sub("", parts[2])):
        return f"{FORM}: with at least one key of the metadata, run_id or instrument, each in braces."
    return None


def list_links(run: Run) -> list[RunLink]:
    """Of a described run: one where a template is set, of its project or of all, and it has all that this names."""
    template = vars(run)["eln_template"]
    url = fill_template(template, run) if template else None
    return [RunLink(TITLE, url)] if url else []


def fill_template(template: str, run: Run) -> str | None:
    """The address, every value escaped, or None where a value is missing or cannot be part of one."""
    values = {**run.metadata, "run_id": run.run_id, "instrument": run.instrument_id}
    texts = {key: _as_text(values, key) for key in PLACE.findall(template)}
    if not all(texts.values()):
        return None
    return PLACE.sub(lambda place: quote(texts[place[1]] or "", safe=""), template)


def read_template() -> str:
    """Of the installation; empty where none is set."""
    return ElnTemplate.objects.values_list("template", flat=True).first() or ""


def write_template(template: str, *, by: Caller, at: datetime) -> None:
    """Set it, or with an empty one take it away. Raises ValidationError."""
    if not template:
        ElnTemplate.objects.all().delete()
        return
    if fault := find_template_fault(template):
        raise ValidationError(fields={"template": [fault]})
    values = {"template": template, "changed_by": by.user, "changed_at": at}
    ElnTemplate.objects.update_or_create(pk=1, defaults=values)


def _is_plain_origin(origin: str) -> bool:
    try:
        parts = urlsplit(origin)
        return bool(parts.hostname) and parts.port != 0 and not set("{}@\\") & set(origin)
    except ValueError:
        return False


def _as_text(values: Mapping[str, object], key: str) -> str | None:
    """Words and numbers; a value that would lead up the path is none."""
    value = values.get(key)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    text = str(value).strip()
    return text if text not in ("", ".", "..") and len(text) <= MAX_VALUE_CHARS else None
