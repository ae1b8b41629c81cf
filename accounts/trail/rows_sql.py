"""The SQL by which triggers write the trail: made once, when migrations are, from what is kept of a model."""

from typing import Any

from django.db import models

INSERT_CHANGE = """
    INSERT INTO "{table}" (pgh_created_at, pgh_label, pgh_obj_id, {within}changes, pgh_context)
    SELECT clock_timestamp(), '{label}', {row}."{pk}", {within_row}{changes}, {context}{source};
    RETURN NULL;
"""
ROW_ALIASES = {"insert": (None, "NEW"), "update": ("OLD", "NEW"), "delete": ("OLD", None)}
TABLE_ALIASES = {"insert": (None, "new_values"), "delete": ("old_values", None)}
CONTEXT_ONCE = "WITH said AS MATERIALIZED (SELECT public.trail_context() AS context)"
TIMESTAMP_AS_TEXT = """to_char({} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')"""
DIFFERENCES_BY_KEY = """(
    SELECT COALESCE(jsonb_object_agg('{name}.' || COALESCE(old_key.key, new_key.key),
                                     jsonb_build_array(old_key.value, new_key.value)), '{{}}')
      FROM jsonb_each({before}) AS old_key FULL JOIN jsonb_each({after}) AS new_key ON old_key.key = new_key.key
     WHERE old_key.value IS DISTINCT FROM new_key.value)"""
EMPTY_OBJECT = "'{}'::jsonb"


def trigger_function_sql(trail: Any, *, label: str, row_by_row: bool) -> str:
    """The body of a trigger function that notes what the rows at hand were before and are now."""
    before, after = (ROW_ALIASES if row_by_row else TABLE_ALIASES)[label]
    model, kept = trail.pgh_tracked_model, trail.audited
    row, pk = after or before, model._meta.pk.column
    within = [model._meta.get_field(kept.parent).column] if kept.parent else []
    source = "" if row_by_row else f" FROM {row} CROSS JOIN said"
    return _join_lines(
        ("" if row_by_row else CONTEXT_ONCE)
        + INSERT_CHANGE.format(
            table=trail._meta.db_table,
            label=label,
            row=row,
            pk=pk,
            within="".join(f'"{trail._meta.get_field(kept.parent).column}", ' for _ in within),
            within_row="".join(f'{row}."{column}", ' for column in within),
            changes=_changes_sql(model, kept, before, after),
            context="public.trail_context()" if row_by_row else "said.context",
            source=source,
        )
    )


def _changes_sql(model: Any, kept: Any, before: str | None, after: str | None) -> str:
    """{field: [before, after]} of what differs."""
    names = [name for name in kept.recorded_columns if (before and after) or name not in kept.set_later]
    parts = [_change_sql(model._meta.get_field(name), kept, before, after) for name in names]
    return " || ".join(parts)


def _change_sql(column: Any, kept: Any, before: str | None, after: str | None) -> str:
    pair = f"jsonb_build_array({_value_sql(column, kept, before)}, {_value_sql(column, kept, after)})"
    told = f"jsonb_build_object('{column.attname}', {pair})"
    if column.name in kept.objects:
        sides = {"before": _object_sql(column, before), "after": _object_sql(column, after)}
        told = DIFFERENCES_BY_KEY.format(name=kept.objects[column.name], **sides)
    return f"CASE WHEN {_differs_sql(column.column, before, after)} THEN {told} ELSE {EMPTY_OBJECT} END"


def _differs_sql(column: str, before: str | None, after: str | None) -> str:
    if before and after:
        return f'{before}."{column}" IS DISTINCT FROM {after}."{column}"'
    return f'{before or after}."{column}" IS NOT NULL'


def _value_sql(column: Any, kept: Any, row: str | None) -> str:
    if row is None:
        return "NULL"
    place = f'{row}."{column.column}"'
    if column.name in kept.secret:
        return f"CASE WHEN {place} IS NOT NULL THEN 'hidden' END"
    return TIMESTAMP_AS_TEXT.format(place) if isinstance(column, models.DateTimeField) else place


def _object_sql(column: Any, row: str | None) -> str:
    return f'{row}."{column.column}"' if row else EMPTY_OBJECT


def _join_lines(text: str) -> str:
    return " ".join(text.split())
