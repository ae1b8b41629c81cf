"""Which of several vendors wrote a file: asked on the run's page, and remembered as the type of the instrument."""

import re
from collections.abc import Sequence

from django.http import HttpRequest

from accounts.authentication import caller_of_page
from accounts.callers import Caller
from dashboard.notices import Notice, add_notice
from files.models import File
from instruments import access
from instruments.catalogue import InstrumentChange, change_instrument
from instruments.instrument_types import list_types
from processing.access import REPROCESS_FILE
from processing.requests import reprocess_file
from runs.lifecycle import find_run
from wire.clock import now
from wire.errors import Forbidden, ServiceError, ValidationError

READ_AS = re.compile(r"read-as (?P<file>[0-9]{1,18}) (?P<type>[a-z0-9-]{1,64})")


def may_choose_type(by: Caller) -> bool:
    try:
        access.CHANGE.check(by)
    except Forbidden:
        return False
    return True


def list_candidates(file: File) -> Sequence[tuple[str, str]]:
    """Names and titles of the types that claim the file, where several do."""
    said = file.metadata.get("vendor_candidates", [])
    titles = list_types()
    names = [name for name in said if name in titles] if isinstance(said, list) else []
    return [(name, titles[name]) for name in names] if len(names) > 1 else []


def read_as_chosen(request: HttpRequest, instrument_id: str, run_id: str, file_id: int, chosen: str) -> None:
    """From now on the instrument is of that type, and the file is read again. Raises Forbidden for all but admins."""
    by, at = caller_of_page(request), now()
    access.CHANGE.check(by)
    REPROCESS_FILE.check(by)
    run = find_run(instrument=instrument_id, run_id=run_id, by=by)
    file = File.objects.filter(run=run, pk=file_id).first()
    names = dict(list_candidates(file)) if file is not None else {}
    if chosen not in names:
        raise ValidationError(fields={"do": ["No such vendor claims this file."]})
    try:
        change_instrument(instrument_id, change=InstrumentChange(instrument_type=chosen), by=by, at=at)
        reprocess_file(file_id, by=by, at=at)
    except ServiceError as error:
        add_notice(request, Notice(error.message, is_bad=True))
        return
    add_notice(
        request, Notice(f"The instrument's files are read as {names[chosen]} from now on; this one is read again.")
    )
