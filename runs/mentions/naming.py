"""Who is named in a comment: `@Name`, `@"Full Name"` or `@"<id>"`, of those who may see its run."""

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from django.db.models import Q, QuerySet

from accounts.models import User
from accounts.people import list_people
from accounts.sight import keep_those_who_see
from runs.markdown import fold_name, list_mentioned_names
from runs.mentions.models import Mention
from runs.models import Comment
from wire.fields import CANONICAL_UUID

MAX_NAMES = 20  # in one text; further ones are text
MAX_CANDIDATES = 500
MAX_SUGGESTIONS = 8
ONE_WORD = re.compile(r"\w+(?:[-.]\w+)*")


def record_mentions(comment: Comment, *, at: datetime) -> set[UUID]:
    """Whom the comment names for the first time, without its author; who cannot see the run is not named.

    The comment's run is locked by the caller, so that two edits do not both find somebody new.
    """
    named = {
        person.pk for person in find_named_people([comment.body], instrument_id=comment.run.instrument_id).values()
    }
    known = set(Mention.objects.filter(comment=comment).values_list("user_id", flat=True)) if named else set()
    fresh = named - known - {comment.user_id}
    Mention.objects.bulk_create([Mention(comment=comment, user_id=one, created_at=at) for one in sorted(fresh)])
    return fresh


def find_named_people(texts: Sequence[str], *, instrument_id: str) -> dict[str, User]:
    """The person behind each name that is written in these texts and is one person's; in two queries, or none.

    A name is the whole one, in any case, else the first word of only one person's; of several it is nobody's.
    """
    names = {name for text in texts for name in list_mentioned_names(text)[:MAX_NAMES]}
    if not names:
        return {}
    people = _list_seeing(names, instrument_id=instrument_id)
    fitting = {name: _list_fitting(name, people) for name in names}
    return {name: found[0] for name, found in fitting.items() if len(found) == 1}


def find_unclear_names(text: str, *, instrument_id: str) -> dict[str, list[str]]:
    """The names in a text that are of several people who see the instrument, so of nobody; with what names each."""
    names = list_mentioned_names(text)[:MAX_NAMES]
    people = _list_seeing(names, instrument_id=instrument_id) if names else []
    fitting = {name: _list_fitting(name, people) for name in names}
    return {
        name: [way for _, way in _write_mentions(found, instrument_id=instrument_id)]
        for name, found in fitting.items()
        if len(found) > 1
    }


def suggest_people(search: str, *, instrument_id: str) -> list[tuple[User, str]]:
    """Those whose name has this part and who see the instrument, each with what is to be written to name them."""
    found = list(list_people(search).filter(is_active=True)[:MAX_CANDIDATES])
    seeing = keep_those_who_see([one.pk for one in found], instrument_id)
    shown = [one for one in found if one.pk in seeing][:MAX_SUGGESTIONS]
    return _write_mentions(shown, instrument_id=instrument_id)


def _write_mentions(people: Sequence[User], *, instrument_id: str) -> list[tuple[User, str]]:
    known = find_named_people([format_mention(one.name) for one in people], instrument_id=instrument_id)
    return [(one, format_mention(one.name if known.get(fold_name(one.name)) == one else str(one.pk))) for one in people]


def format_mention(name: str) -> str:
    return f"@{name}" if ONE_WORD.fullmatch(name) else f'@"{name}"'


def _find_candidates(names: Collection[str]) -> QuerySet[User]:
    wanted = Q(pk__in=[UUID(name) for name in names if CANONICAL_UUID.fullmatch(name)])
    for name in names:
        wanted |= Q(shown_name__iexact=name) | Q(shown_name__istartswith=f"{name} ")
    return list_people().filter(wanted, is_active=True)[:MAX_CANDIDATES]


def _list_seeing(names: Collection[str], *, instrument_id: str) -> list[User]:
    candidates = list(_find_candidates(names))
    seeing = keep_those_who_see([one.pk for one in candidates], instrument_id)
    return [one for one in candidates if one.pk in seeing]


def _list_fitting(name: str, people: Sequence[User]) -> list[User]:
    """Those whose whole name or id it is, else those whose first words it is."""
    found = [one for one in people if name in (str(one.pk), fold_name(one.name))]
    return found or [one for one in people if fold_name(one.name).startswith(f"{name} ")]


def names_to_show(people: Mapping[str, User]) -> dict[str, str]:
    return {name: person.name for name, person in people.items()}
