"""The instrument types one may choose from. Whoever reads a type's files adds it here when the service starts."""

GENERIC = "generic"

_titles = {GENERIC: "Generic"}


def register_type(name: str, *, title: str) -> None:
    """Offer a type. `name` is a slug; registering it again renames it."""
    _titles[name] = title


def is_registered(name: str) -> bool:
    return name in _titles


def list_types() -> dict[str, str]:
    """Names and titles, by title."""
    return dict(sorted(_titles.items(), key=lambda item: item[1].casefold()))
