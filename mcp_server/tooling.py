"""How a tool is declared: a plain function over one topic function, guarded by the policy of its REST route."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from mcp.server.mcpserver.tools import Tool
from mcp.types import CallToolResult, ToolAnnotations

from accounts.access import Access, Only
from accounts.callers import Caller
from accounts.scopes import Scope
from files.room import room
from mcp_server.answers import answered, refused
from mcp_server.arguments import InPath
from mcp_server.callers import present_caller
from mcp_server.shapes import Schema, answer_shape
from mcp_server.threads import in_thread
from wire.acting import acting
from wire.errors import Forbidden, ServiceError
from wire.refusals import as_service_error

READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
ADDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False)
REPEATS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
DESTROYS = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False)
WRONG_KIND = {
    Only.PERSON: "Only a person can do this: connect through OAuth, so that you act for somebody.",
    Only.TOKEN: "Only an API token can do this; people do it on the dashboard.",
}

Function = TypeVar("Function", bound=Callable[..., Any])  # answers a dict, or one and pictures


@dataclass(frozen=True)
class Guard:
    """Who may call a tool: the policies of the REST routes it stands for, and `write` where it changes data."""

    access: Access
    writes: bool
    also: tuple[Access, ...] = ()

    def check(self, caller: Caller) -> None:
        if self.access.only is None or self._is_wanted_kind(caller):
            self._check_write(caller)
        for access in (self.access, *self.also):
            access.check(caller)

    def lets_in(self, caller: Caller) -> bool:
        try:
            self.check(caller)
        except ServiceError:
            return False
        return True

    def advice(self, caller: Caller) -> str:
        kind = self.access.only
        return WRONG_KIND[kind] if kind and not self._is_wanted_kind(caller) else ""

    def _check_write(self, caller: Caller) -> None:
        if self.writes and not caller.holds(Scope.WRITE):
            raise Forbidden(f"Tools that change data need the scope {Scope.WRITE}.", scope=str(Scope.WRITE))

    def _is_wanted_kind(self, caller: Caller) -> bool:
        return caller.is_person == (self.access.only is Only.PERSON)


@dataclass(frozen=True)
class Declared:
    """One tool: what runs, who may, and what the SDK shows of it."""

    function: Callable[..., Any]
    guard: Guard
    annotations: ToolAnnotations
    gives: Schema

    @property
    def name(self) -> str:
        return self.function.__name__

    @property
    def in_path(self) -> dict[str, InPath]:
        """The arguments that REST has in its path."""
        parameters = inspect.signature(self.function, eval_str=True).parameters.values()
        marks = ((one.name, getattr(one.annotation, "__metadata__", ())) for one in parameters)
        return {name: mark for name, all_marks in marks for mark in all_marks if isinstance(mark, InPath)}

    def for_sdk(self) -> Tool:
        """An async tool. Its schema of answers is published, not enforced: it describes what REST answers anyway."""
        tool = Tool.from_function(
            _runner(self), title=title_of(self.name), annotations=self.annotations, structured_output=False
        )
        tool.fn_metadata.output_schema = answer_shape(self.gives)
        return tool


class Toolbox:
    """The tools of one domain, in the order in which they were declared."""

    def __init__(self) -> None:
        self.declared: list[Declared] = []

    def tool(
        self, access: Access, *, gives: Schema, annotations: ToolAnnotations = READS, also: tuple[Access, ...] = ()
    ) -> Callable[[Function], Function]:
        """Declare a function whose first parameter is the caller. It runs in a thread; refusals become tool errors."""

        def declare(function: Function) -> Function:
            guard = Guard(access, not annotations.read_only_hint, also)
            self.declared.append(Declared(function, guard, annotations, gives))
            return function

        return declare

    def __iter__(self) -> Iterator[Declared]:
        return iter(self.declared)


def title_of(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _runner(declared: Declared) -> Callable[..., Any]:
    """What the SDK calls and makes the schema of arguments from: the function without its caller."""
    in_path = declared.in_path

    async def run(**arguments: Any) -> CallToolResult:
        return await in_thread(_answer, declared, present_caller(), arguments, in_path)

    signature = inspect.signature(declared.function, eval_str=True)
    shown = list(signature.parameters.values())[1:]
    run.__name__ = declared.name
    run.__doc__ = inspect.getdoc(declared.function)
    run.__signature__ = signature.replace(parameters=shown)  # type: ignore[attr-defined]  # read by inspect
    run.__annotations__ = {one.name: one.annotation for one in shown}
    return run


def _answer(
    declared: Declared, caller: Caller, arguments: Mapping[str, Any], in_path: Mapping[str, InPath]
) -> CallToolResult:
    try:
        declared.guard.check(caller)
        if declared.guard.writes:
            room.refuse_when_full()
        read = {name: in_path[name].read(value) if name in in_path else value for name, value in arguments.items()}
        with acting(caller.principal):
            answer = declared.function(caller, **read)
    except Exception as error:
        return refused(as_service_error(error), advice=declared.guard.advice(caller))
    if isinstance(answer, tuple):
        return answered(answer[0], *answer[1])
    return answered(answer)
