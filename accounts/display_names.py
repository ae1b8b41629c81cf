"""How people are called where others see them."""

from wire.names import is_blank


def choose_display_name(*, display_name: str, email: str) -> str:
    """The display name, else, where nothing of it is to be seen, what stands before the @."""
    return email.partition("@")[0] if is_blank(display_name) else display_name


def initials_of(name: str) -> str:
    """Two letters of a name of several words, else its first."""
    words = [word for word in name.replace(".", " ").replace("-", " ").replace("_", " ").split() if word]
    letters = [words[0][0], words[-1][0]] if len(words) > 1 else [word[0] for word in words]
    return "".join(letters).upper() or "?"
