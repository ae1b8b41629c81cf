"""`__in` of many texts, such as the instruments that a person may see.

Django makes a parameter of each, which is converted, checked, looked for in the SQL and bound: of 245 instruments, in
every query of a page, that costs more than what the database does with them. PostgreSQL reads `IN (…)` and `= ANY (…)`
alike.
"""

from typing import Any

from django.db.models import CharField, ForeignKey
from django.db.models.fields.related_lookups import RelatedIn
from django.db.models.lookups import In

MANY = 30  # the few of a constraint stay as they are written


class _AsArray(In):
    """Sends many texts as one array; all else is Django's."""

    def get_prep_lookup(self) -> Any:
        return self.rhs if self._is_of_many_texts else super().get_prep_lookup()

    def as_sql(self, compiler: Any, connection: Any) -> Any:
        if not self._is_of_many_texts:
            return super().as_sql(compiler, connection)
        column, parameters = self.process_lhs(compiler, connection)
        return f"{column} = ANY(%s)", [*parameters, list(self.rhs)]

    @property
    def _is_of_many_texts(self) -> bool:
        column = getattr(self.lhs.output_field, "target_field", self.lhs.output_field)
        is_many = isinstance(self.rhs, list | tuple) and len(self.rhs) >= MANY and isinstance(column, CharField)
        return is_many and all(type(text) is str for text in self.rhs)


class InTexts(_AsArray):
    """Of a column of texts."""


class InNamed(_AsArray, RelatedIn):
    """Of a key to a row that a text names."""


def send_many_texts_as_arrays() -> None:
    """In place of Django's own `__in`, wherever a text is compared."""
    CharField.register_lookup(InTexts)
    ForeignKey.register_lookup(InNamed)
