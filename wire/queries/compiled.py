"""Queries that the ORM builds and compiles once, for the few reads that every other request makes.

To build and compile a query costs Django several times what PostgreSQL needs to answer it. `CompiledQuery` keeps what
the ORM made of it, its SQL and how rows are read, and gives it the values of each call. Each connection of the database
keeps its plan (wire.queries.prepared).
"""

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import count
from typing import Any, Generic, TypeVar

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import Expression, Model, QuerySet
from django.db.models.base import ModelState
from django.db.models.query import ModelIterable, get_related_populators
from django.db.models.signals import post_init, pre_init
from django.db.transaction import TransactionManagementError

from wire.queries.prepared import prepared_cursor, write_constants

MAX_SHAPES = 64  # of one query, the latest; who asks for others pays for compiling
Row = TypeVar("Row")
Shape = tuple[int | bool | None, ...]


class Placeholder(Expression):
    """Stands for a value of the call. It is bound as it is given: nothing converts it to the type of a column."""

    def __init__(self, position: int) -> None:
        super().__init__()
        self.position = position

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, Any]:
        return "%s", [self]


class CompiledQuery(Generic[Row]):
    """What `build` makes of placeholders, as a function of values: a queryset of models, or of `values_list`.

    A value is a text, number, UUID, time or None, or a tuple of them. `build` gets None as it is, and a tuple with a
    placeholder for each member, which `other__id__in` can take and `other_id__in` cannot. `choices` it gets as they are
    too: they are what changes the SQL itself. It is called once for each combination of these, so it must look at no
    clock, no setting and no caller.
    """

    def __init__(self, build: Callable[..., QuerySet[Any, Row]]) -> None:
        self._build = build
        self._plan_of = lru_cache(MAX_SHAPES)(self._compile)

    def __call__(self, *values: Any, **choices: Hashable) -> list[Row]:
        """The rows, as `list` of the queryset."""
        plan = self._plan_of(tuple(map(_shape_of, values)), **choices)
        return plan.fetch(list(_flatten(values)))

    def first(self, *values: Any, **choices: Hashable) -> Row | None:
        """Of a query that finds one row at most."""
        return next(iter(self(*values, **choices)), None)

    def _compile(self, shape: Shape, **choices: Any) -> "_Plan":
        return _compile(self._build(*_make_placeholders(shape), **choices))


@dataclass(frozen=True)
class _Plan:
    """One form of a query. Where its SQL is empty it can find nothing."""

    sql: str
    positions: tuple[int, ...]  # of the values that it is given, in their order
    is_locking: bool
    read_row: Callable[[Any], Any]

    def fetch(self, values: list[Any]) -> list[Any]:
        if self.is_locking and not connection.in_atomic_block:
            raise TransactionManagementError("select_for_update cannot be used outside of a transaction.")
        if not self.sql:
            return []
        with prepared_cursor() as cursor:
            cursor.execute(self.sql, [values[position] for position in self.positions])
            return list(map(self.read_row, cursor.fetchall()))


def _compile(queryset: QuerySet[Any, Any]) -> _Plan:
    """As ModelIterable and SQLCompiler.results_iter do; with a new release of Django they are to be compared."""
    compiler, query = queryset.query.get_compiler(queryset.db), queryset.query
    if query.select_for_update and not connection.in_atomic_block:
        raise TransactionManagementError("select_for_update cannot be used outside of a transaction.")
    try:
        sql, parameters = compiler.as_sql()
    except EmptyResultSet:
        return _Plan("", (), query.select_for_update, tuple)
    selected = [column[0] for column in compiler.select]
    converters = [(place, *found) for place, found in compiler.get_converters(selected).items()]
    makes_models = queryset._iterable_class is ModelIterable
    make_row = _make_model_reader(compiler, db=queryset.db) if makes_models else tuple
    read_row = partial(_read_row, converters=converters, make_row=make_row) if converters else make_row
    positions = tuple(one.position for one in parameters if isinstance(one, Placeholder))
    connection.ensure_connection()
    return _Plan(write_constants(sql, parameters, stays=Placeholder), positions, query.select_for_update, read_row)


def _make_model_reader(compiler: Any, *, db: str) -> Callable[[Any], Any]:
    described, select = compiler.klass_info, compiler.select
    begin, end = described["select_fields"][0], described["select_fields"][-1] + 1
    populators: Any = get_related_populators(described, select, db)  # type: ignore[call-arg]  # of a later Django
    _quicken(populators)
    return partial(
        _make_model,
        make=partial(_Loader(described["model"]).from_db, db, [one[0].target.attname for one in select[begin:end]]),
        columns=slice(begin, end),
        populators=populators,
        annotations=tuple(compiler.annotation_col_map.items()),
    )


def _quicken(populators: Iterable[Any]) -> None:
    for populator in populators:
        populator.model_cls = _Loader(populator.model_cls)
        _quicken(populator.related_populators)


class _Loader:
    """A model as rows are loaded into it: all columns at once, which Model.__init__ puts there one by one.

    A column that was not asked for is loaded at the first look, as ever. Where somebody listens for new instances, or
    the model has its own way, Django does it.
    """

    def __init__(self, model: type[Model]) -> None:
        is_plain = "__init__" not in vars(model) and model.from_db.__func__ is Model.from_db.__func__  # type: ignore[attr-defined]
        is_heard = any(signal.has_listeners(model) for signal in (pre_init, post_init))
        self._model = model
        self.from_db: Callable[[str, list[str], Any], Any] = self._load if is_plain and not is_heard else model.from_db

    def _load(self, db: str, names: list[str], values: Any) -> Any:
        made = self._model.__new__(self._model)
        made._state = state = ModelState()
        state.adding, state.db = False, db
        vars(made).update(zip(names, values, strict=True))
        return made


def _read_row(row: Any, *, converters: Any, make_row: Callable[[Any], Any]) -> Any:
    values = list(row)
    for place, functions, expression in converters:
        for convert in functions:
            values[place] = convert(values[place], expression, connection)
    return make_row(values)


def _make_model(row: Any, *, make: Any, columns: slice, populators: Any, annotations: Any) -> Any:
    made = make(row[columns])
    for populator in populators:
        populator.populate(row, made)
    for name, place in annotations:
        setattr(made, name, row[place])
    return made


def _shape_of(value: Any) -> int | bool | None:
    """None, the length of a tuple as -1 - n, or True: one value."""
    return None if value is None else -1 - len(value) if isinstance(value, tuple) else True


def _make_placeholders(shape: Shape) -> Iterator[Any]:
    position = count()
    for part in shape:
        if part is None or part is True:
            yield None if part is None else Placeholder(next(position))
        else:
            yield tuple(Placeholder(next(position)) for _ in range(-1 - part))


def _flatten(values: tuple[Any, ...]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, tuple):
            yield from value
        elif value is not None:
            yield value
