"""What the maintainers' pages have in common: most rows are the service's own and are only looked at there."""

from typing import Any

from django.contrib import admin
from django.contrib.admin.widgets import AdminTextareaWidget
from django.core.paginator import Paginator
from django.db import connection, models
from django.http import HttpRequest
from django.utils.functional import cached_property

from wire.form_fields import LineField, LinesField

TEXT_FIELDS: dict[Any, Any] = {
    models.CharField: {"form_class": LineField},
    models.TextField: {"form_class": LinesField, "widget": AdminTextareaWidget},
}


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


class ReadOnlyAdmin(admin.ModelAdmin):
    """Rows that only the service writes. `editable` names what a maintainer may correct."""

    editable: tuple[str, ...] = ()
    list_per_page = 50
    show_full_result_count = False
    paginator = EstimatingPaginator

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        shown: Any = self.fields or [field.name for field in self.opts.concrete_fields]
        return [name for name in shown if name not in self.editable]

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return self.fields or [field.name for field in self.opts.concrete_fields]

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
