"""What the maintainers' pages have in common: most rows are the service's own and are only looked at there."""

import json
from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.widgets import AdminTextareaWidget
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.db import connection, models
from django.http import HttpRequest
from django.utils.functional import cached_property
from django.utils.html import format_html

from wire.form_fields import LineField, LinesField
from wire.sizes import format_size

TEXT_FIELDS: dict[Any, Any] = {
    models.CharField: {"form_class": LineField},
    models.TextField: {"form_class": LinesField, "widget": AdminTextareaWidget},
}
EMPTY = "—"  # as the dashboard writes it


class EstimatingPaginator(Paginator):
    """Counts a whole table by what the database believes of it: an exact count of millions takes seconds."""

    @cached_property
    def count(self) -> int:
        query = getattr(self.object_list, "query", None)
        if query is None or query.where:
            return super().count
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT reltuples::bigint FROM pg_class WHERE oid = %s::regclass", [query.model._meta.db_table]
            )
            estimate = int(cursor.fetchone()[0])
        return estimate if estimate > 10_000 else super().count


class ServiceAdmin(admin.ModelAdmin):
    """Structures stand in lines and sizes in units, as on the dashboard; nothing counts a long table by its filters."""

    list_per_page = 50
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    paginator = EstimatingPaginator
    empty_value_display = EMPTY

    def get_list_display(self, request: HttpRequest) -> Any:
        return [self._presented.get(name, name) for name in super().get_list_display(request)]

    def response_action(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        if all(map(self._is_key, request.POST.getlist(ACTION_CHECKBOX_NAME))):
            return super().response_action(request, *args, **kwargs)
        self.message_user(request, "Nothing was done: what was chosen are no rows of this list.", messages.ERROR)
        return None

    def _is_key(self, text: str) -> bool:
        try:
            self.opts.pk.clean(text, None)
        except ValidationError:
            return False
        return True

    @cached_property
    def _presented(self) -> dict[Any, Callable[[Any], Any]]:
        """For each field that has a presentation of its own."""
        made = {field.name: present_field(field) for field in self.opts.concrete_fields}
        return {name: shown for name, shown in made.items() if shown}


class ReadOnlyAdmin(ServiceAdmin):
    """Rows that only the service writes."""

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return self.get_fields(request, obj)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        excluded = self.exclude or ()
        names: Any = self.fields or [one.name for one in self.opts.concrete_fields if one.name not in excluded]
        return [self._presented.get(name, name) for name in names]

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


def present_field(field: Any) -> Callable[[Any], Any] | None:
    """How a value of this field is shown; None leaves it to Django."""
    kind = getattr(field, "output_field", field)
    if isinstance(kind, models.JSONField):
        write: Callable[[Any], Any] = write_structure
    elif isinstance(kind, models.IntegerField) and field.name.endswith("size_bytes"):
        write = format_size
    elif isinstance(field, models.GeneratedField) and kind.choices:
        write = dict(kind.choices).__getitem__
    else:
        return None

    @admin.display(description=field.verbose_name.removesuffix(" bytes"), ordering=field.name)
    def shown(row: Any) -> Any:
        value = getattr(row, field.name)
        return EMPTY if value is None or value in ({}, []) else write(value)

    shown.__name__ = field.name  # what the cells' classes are called by
    return shown


def write_structure(value: Any) -> Any:
    """A line for each name."""
    if isinstance(value, dict):
        lines = [f"{name}: {json.dumps(one, ensure_ascii=False, default=str)}" for name, one in sorted(value.items())]
        return format_html("<pre>{}</pre>", "\n".join(lines))
    return format_html("<pre>{}</pre>", json.dumps(value, ensure_ascii=False, default=str))
