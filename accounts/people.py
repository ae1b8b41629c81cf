"""The people of the workspace as everybody may see them, and who is meant by a name."""

from collections.abc import Sequence
from uuid import UUID

from django.db.models import CharField, F, Func, QuerySet, Value
from django.db.models.functions import Coalesce, NullIf

from accounts.models import User
from wire.errors import ValidationError
from wire.fields import CANONICAL_UUID

SHOWN_NAME = Coalesce(  # as accounts.display_names.choose_display_name says it
    NullIf("display_name", Value("")),
    Func(F("email"), Value("@"), Value(1), function="split_part"),
    output_field=CharField(),
)


MAX_NAMED = 5


class NoSuchPerson(ValidationError):
    """Nobody has this id or name; who has a part of it is told."""

    def __init__(self, parameter: str, given: str) -> None:
        names = [one.name for one in list_people(given)[:MAX_NAMED]] if len(given) > 1 else []
        also = f" This is a part of: {', '.join(names)}." if names else ""
        super().__init__(fields={parameter: [f"Nobody has this id or name.{also}"]})


class SeveralPeople(ValidationError):
    """A name of several people: `details.candidates` says who they are."""

    def __init__(self, parameter: str, candidates: Sequence[User]) -> None:
        message = "Several people have this name: give the id of one."
        super().__init__(fields={parameter: [message]})
        assert self.details is not None
        self.details["candidates"] = [{"id": str(one.pk), "display_name": one.name} for one in candidates]


def list_people(search: str = "") -> QuerySet[User]:
    """Everybody by name, or those whose name has this part in any case; e-mail addresses are not looked at."""
    people = User.objects.annotate(shown_name=SHOWN_NAME).order_by("shown_name", "id")
    return people.filter(shown_name__icontains=search) if search else people


def identify_person(given: str, *, parameter: str) -> UUID:
    """The id that was given, or that of the only person of this name. Raises NoSuchPerson, SeveralPeople."""
    if CANONICAL_UUID.fullmatch(given):
        return UUID(given)
    named = list(User.objects.annotate(shown_name=SHOWN_NAME).filter(shown_name__iexact=given).order_by("id"))
    exact = [one for one in named if one.name == given]
    found = exact or named
    if not found:
        raise NoSuchPerson(parameter, given)
    if len(found) > 1:
        raise SeveralPeople(parameter, found)
    return found[0].pk


def identify_people(given: Sequence[str], *, parameter: str) -> list[str]:
    """Their ids as text, in the order given. Raises NoSuchPerson, SeveralPeople."""
    return [str(identify_person(one, parameter=parameter)) for one in given]
