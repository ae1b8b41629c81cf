"""The SQL by which triggers write the trail: made once, when migrations are, from what is kept of a model."""

from typing import Any

from django.db import models

INSERT = """
    INSERT INTO "{table}" (pgh_created_at, pgh_label, pgh_obj_id, {within}changes, pgh_context)
    SELECT clock_timestamp(), '{label}', {row}."{pk}", {within_row}{changes}, {context}{source};
    RETURN NULL;
"""
ONE_ROW = {"insert": (None, "NEW"), "update": ("OLD", "NEW"), "delete": ("OLD", None)}
MANY_ROWS = {"insert": (None, "new_values"), "delete": ("old_values", None)}
ONCE = "WITH said AS MATERIALIZED (SELECT public.trail_context() AS context)"
MOMENT = """to_char({} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')"""
BY_KEY = """(
    SELECT COALESCE(jsonb_object_agg('{name}.' || COALESCE(old_key.key, new_key.key),
                                     jsonb_build_array(old_key.value, new_key.value)), '{{}}')
      FROM jsonb_each({before}) AS old_key FULL JOIN jsonb_each({after}) AS new_key ON old_key.key = new_key.key
     WHERE old_key.value IS DISTINCT FROM new_key.value)"""
NOTHING = "'{}'::jsonb"


def function(trail: Any, *, label: str, row_by_row: bool) -> str:
    """The body of a trigger function that notes what the rows at hand were before and are now."""
    before, after = (ONE_ROW if row_by_row else MANY_ROWS)[label]
    model, kept = trail.pgh_tracked_model, trail.kept
    row, pk = after or before, model._meta.pk.column
    within = [model._meta.get_field(kept.within).column] if kept.within else []
    source = "" if row_by_row else f" FROM {row} CROSS JOIN said"
    return _oneline(
        ("" if row_by_row else ONCE)
        + INSERT.format(
            table=trail._meta.db_table,
            label=label,
            row=row,
            pk=pk,
            within="".join(f'"{trail._meta.get_field(kept.within).column}", ' for _ in within),
            within_row="".join(f'{row}."{column}", ' for column in within),
            changes=_changes(model, kept, before, after),
            context="public.trail_context()" if row_by_row else "said.context",
            source=source,
        )
    )


def _changes(model: Any, kept: Any, before: str | None, after: str | None) -> str:
    """{field: [before, after]} of what differs."""
    parts = [_change(model._meta.get_field(name), kept, before, after) for name in kept.everything]
    return " || ".join(parts)


def _change(column: Any, kept: Any, before: str | None, after: str | None) -> str:
    pair = f"jsonb_build_array({_value(column, kept, before)}, {_value(column, kept, after)})"
    told = f"jsonb_build_object('{column.attname}', {pair})"
    if column.name in kept.objects:
        sides = {"before": _object(column, before), "after": _object(column, after)}
        told = BY_KEY.format(name=kept.objects[column.name], **sides)
    return f"CASE WHEN {_differs(column.column, before, after)} THEN {told} ELSE {NOTHING} END"


def _differs(column: str, before: str | None, after: str | None) -> str:
    if before and after:
        return f'{before}."{column}" IS DISTINCT FROM {after}."{column}"'
    return f'{before or after}."{column}" IS NOT NULL'


def _value(column: Any, kept: Any, row: str | None) -> str:
    if row is None:
        return "NULL"
    place = f'{row}."{column.column}"'
    if column.name in kept.secret:
        return f"CASE WHEN {place} IS NOT NULL THEN 'hidden' END"
    return MOMENT.format(place) if isinstance(column, models.DateTimeField) else place


def _object(column: Any, row: str | None) -> str:
    return f'{row}."{column.column}"' if row else NOTHING


def _oneline(text: str) -> str:
    return " ".join(text.split())
