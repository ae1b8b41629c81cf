"""Instruments as commands are told of them."""

from django.core.management.base import CommandError

from instruments.models import Instrument


def read_instrument_id(text: str | None) -> str | None:
    """The id of one that there is; None where none was said. An empty one, as of a script's empty variable, is refused.

    Raises CommandError.
    """
    if text == "":
        raise CommandError("There is no instrument of an empty name.")
    if text is not None and not Instrument.objects.filter(pk=text).exists():
        raise CommandError(f"There is no instrument {text}.")
    return text
