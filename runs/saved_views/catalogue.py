"""Saved views: finding, saving and changing them."""

from dataclasses import dataclass
from datetime import datetime
from urllib.parse import parse_qs
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Case, Value, When
from django.db.models.functions import Lower

from accounts.callers import Caller
from instruments.access import CHANGE as CHANGE_INSTRUMENT
from instruments.catalogue import InstrumentMissing
from instruments.models import Instrument
from runs.saved_views.models import SavedView, SavedViewQuerySet
from wire.errors import Conflict, Forbidden, NotFound, ValidationError

MAX_VIEWS_PER_OWNER, MAX_OFFERED_VIEWS = 100, 200


class ViewMissing(NotFound):
    def __init__(self) -> None:
        super().__init__("There is no such view.")


class ViewExists(Conflict):
    def __init__(self, name: str) -> None:
        super().__init__(f"You have a view named {name} already.", name=name)


class TooManyViews(Conflict):
    def __init__(self) -> None:
        super().__init__(f"A person has at most {MAX_VIEWS_PER_OWNER} views.", max_views=MAX_VIEWS_PER_OWNER)


class ViewOfSomebodyElse(Forbidden):
    def __init__(self, view: SavedView) -> None:
        super().__init__(f"Only {view.owner.name} may change this view.")


@dataclass(frozen=True)
class ViewContent:
    """What a view is to be. `query` in the one spelling of /runs; `instrument`: whose page begins with it."""

    name: str
    query: str
    is_shared: bool
    instrument: str | None = None


def list_offered_views(*, by: Caller) -> SavedViewQuerySet:
    """One's own, then those that others share, each by name; as many as a menu holds."""
    mine = Case(When(owner=by.user, then=Value(0)), default=Value(1))
    rows = SavedView.objects.visible_to(by).select_related("owner")
    return rows.order_by(mine, Lower("name"), "id")[:MAX_OFFERED_VIEWS]


def find_view(view_id: UUID, *, by: Caller) -> SavedView:
    """Raises ViewMissing, also where it is somebody else's and not shared."""
    found = SavedView.objects.visible_to(by).select_related("owner").filter(pk=view_id).first()
    if found is None:
        raise ViewMissing
    return found


def find_default_view(instrument: str, *, by: Caller) -> SavedView | None:
    """The view with which the page of this instrument begins."""
    return SavedView.objects.visible_to(by).filter(instrument_id=instrument).first()


def save_view(content: ViewContent, *, by: Caller, at: datetime) -> SavedView:
    """Keep a view under a name. Raises ViewExists, TooManyViews, ValidationError, Forbidden."""
    if SavedView.objects.filter(owner=by.user).count() >= MAX_VIEWS_PER_OWNER:
        raise TooManyViews
    return _write_view(SavedView(owner=by.user, created_at=at), content, by=by)


def change_view(view_id: UUID, content: ViewContent, *, by: Caller) -> SavedView:
    """Rename, share or replace one's own view. Raises ViewMissing, ViewOfSomebodyElse and what `save_view` raises."""
    view = find_view(view_id, by=by)
    if by.user is None or view.owner_id != by.user.pk:
        raise ViewOfSomebodyElse(view)
    return _write_view(view, content, by=by)


def delete_view(view_id: UUID, *, by: Caller) -> SavedView:
    """Take away one's own view, or as an admin a shared one. Raises ViewMissing, ViewOfSomebodyElse."""
    view = find_view(view_id, by=by)
    if not may_delete(view, by=by):
        raise ViewOfSomebodyElse(view)
    SavedView.objects.filter(pk=view.pk).delete()
    return view


def may_delete(view: SavedView, *, by: Caller) -> bool:
    return by.user is not None and (view.owner_id == by.user.pk or (view.is_shared and by.is_admin))


def _write_view(view: SavedView, content: ViewContent, *, by: Caller) -> SavedView:
    """A default is everybody's: who makes, changes or ends one may change the instrument."""
    changes_default = content.instrument != view.instrument_id or (
        content.instrument is not None and (content.query, content.is_shared) != (view.query, view.is_shared)
    )
    if changes_default:
        CHANGE_INSTRUMENT.check(by)
    _check_default(content)
    view.name, view.query, view.is_shared = content.name, content.query, content.is_shared
    try:
        with transaction.atomic():
            if changes_default:
                _replace_default(view, content.instrument, by=by)
            view.save()
    except IntegrityError:
        raise ViewExists(content.name) from None
    return view


def _check_default(content: ViewContent) -> None:
    if content.instrument is None:
        return
    if not content.is_shared:
        raise ValidationError(fields={"is_shared": ["The default of an instrument is shared with everybody."]})
    if parse_qs(content.query).get("instrument_id") != [content.instrument]:
        raise ValidationError(fields={"is_default": ["The default of an instrument shows its runs and no others."]})


def _replace_default(view: SavedView, instrument: str | None, *, by: Caller) -> None:
    """The instrument is locked: two may choose its default at once."""
    if instrument is not None:
        home = Instrument.objects.visible_to(by).select_for_update(no_key=True).filter(pk=instrument).first()
        if home is None:
            raise InstrumentMissing
        SavedView.objects.filter(instrument=home).exclude(pk=view.pk).update(instrument=None)
    view.instrument_id = instrument
