"""Templates as they are sent: the indentation is for those who read their source."""

import re

from django.template import Origin
from django.template.loaders import filesystem

INDENTATION = re.compile(r"\n[ \t]+")


class Unindented(filesystem.Loader):
    """Our templates with every line beginning at its first letter; a row of a list costs no spaces."""

    def get_contents(self, origin: Origin) -> str:
        return INDENTATION.sub("\n", super().get_contents(origin))
