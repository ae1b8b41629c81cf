"""How a tool is declared: a plain function over one topic function, guarded by the policy of its REST route."""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, TypeVar

from mcp.server.mcpserver.tools import Tool
from mcp.types import CallToolResult, ToolAnnotations
from pydantic import Field

from accounts.access import Access, Only
from accounts.callers import Caller
from accounts.scopes import Scope
from files.storage.disk_guard import disk_guard
from mcp_server.argument_schemas import shorten_arguments
from mcp_server.arguments import PathArgument
from mcp_server.callers import require_caller
from mcp_server.results import build_error_result, build_result
from mcp_server.schemas import Schema, outline_answer
from mcp_server.threads import run_in_thread
from wire.audit_context import audit_context
from wire.change_reason import read_reason
from wire.error_responses import as_service_error
from wire.errors import Forbidden, ServiceError, ValidationError

READ_ONLY = ToolAnnotations(read_only_hint=True, open_world_hint=False)
ADDITIVE = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False)
IDEMPOTENT = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
DESTRUCTIVE = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False)
WRONG_CALLER_ADVICE = {
    Only.PERSON: "Only a person can do this: connect through OAuth, so that you act for somebody.",
    Only.TOKEN: "Only an API token can do this; people do it on the dashboard.",
}
REASON = inspect.Parameter(
    "reason",
    inspect.Parameter.KEYWORD_ONLY,
    default="",
    annotation=Annotated[str | None, Field(description="Why, for the history.")],
)  # of every tool that changes data, beside its own

Function = TypeVar("Function", bound=Callable[..., Any])  # answers a dict, or one and pictures


@dataclass(frozen=True)
class ToolPolicy:
    """Who may call a tool: the policies of the REST routes it stands for, and `write` where it changes data."""

    access: Access
    writes: bool
    other_access: tuple[Access, ...] = ()

    def check(self, caller: Caller) -> None:
        if self.access.only is None or self._is_allowed_kind(caller):
            self._check_write(caller)
        for access in (self.access, *self.other_access):
            access.check(caller)

    def allows(self, caller: Caller) -> bool:
        try:
            self.check(caller)
        except ServiceError:
            return False
        return True

    def advice(self, caller: Caller) -> str:
        kind = self.access.only
        return WRONG_CALLER_ADVICE[kind] if kind and not self._is_allowed_kind(caller) else ""

    def _check_write(self, caller: Caller) -> None:
        if self.writes and not caller.holds(Scope.WRITE):
            raise Forbidden(f"Tools that change data need the scope {Scope.WRITE}.", scope=str(Scope.WRITE))

    def _is_allowed_kind(self, caller: Caller) -> bool:
        return caller.is_person == (self.access.only is Only.PERSON)


@dataclass(frozen=True)
class ToolDeclaration:
    """One tool: what runs, who may, and what the SDK shows of it."""

    function: Callable[..., Any]
    policy: ToolPolicy
    annotations: ToolAnnotations
    output_schema: Schema

    @property
    def name(self) -> str:
        return self.function.__name__

    @property
    def arguments(self) -> list[inspect.Parameter]:
        """What is asked of a caller."""
        own = list(inspect.signature(self.function, eval_str=True).parameters.values())[1:]
        return [*own, REASON] if self.policy.writes else own

    @cached_property
    def argument_names(self) -> tuple[str, ...]:
        return tuple(one.name for one in self.arguments)

    def refuse_unknown(self, given: Iterable[str]) -> None:
        """A filter that is misspelt and passed over would find everything. Raises ValidationError."""
        known = self.argument_names
        text = (
            f"There is no such argument. Known are: {', '.join(known)}." if known else "This tool takes no arguments."
        )
        if unknown := {name: [text] for name in given if name not in known}:
            raise ValidationError(fields=unknown)

    @property
    def path_arguments(self) -> dict[str, PathArgument]:
        """The arguments that REST has in its path."""
        marks = ((one.name, getattr(one.annotation, "__metadata__", ())) for one in self.arguments)
        return {name: mark for name, all_marks in marks for mark in all_marks if isinstance(mark, PathArgument)}

    def build_sdk_tool(self) -> Tool:
        """An async tool. Its schema of answers is published, not enforced: it describes what REST answers anyway."""
        tool = Tool.from_function(
            _build_runner(self), title=format_title(self.name), annotations=self.annotations, structured_output=False
        )
        tool.parameters = shorten_arguments(tool.parameters)
        tool.fn_metadata.output_schema = outline_answer(self.output_schema)
        return tool


class Toolbox:
    """The tools of one domain, in the order in which they were declared."""

    def __init__(self) -> None:
        self.declared: list[ToolDeclaration] = []

    def tool(
        self, access: Access, *, gives: Schema, annotations: ToolAnnotations = READ_ONLY, also: tuple[Access, ...] = ()
    ) -> Callable[[Function], Function]:
        """Declare a function whose first parameter is the caller. It runs in a thread; refusals become tool errors."""

        def declare(function: Function) -> Function:
            guard = ToolPolicy(access, not annotations.read_only_hint, also)
            self.declared.append(ToolDeclaration(function, guard, annotations, gives))
            return function

        return declare

    def __iter__(self) -> Iterator[ToolDeclaration]:
        return iter(self.declared)


def format_title(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _build_runner(declared: ToolDeclaration) -> Callable[..., Any]:
    """What the SDK calls and makes the schema of arguments from: the function without its caller."""
    in_path = declared.path_arguments

    async def run(**arguments: Any) -> CallToolResult:
        return await run_in_thread(_run_tool, declared, require_caller(), arguments, in_path)

    signature, shown = inspect.signature(declared.function, eval_str=True), declared.arguments
    run.__name__ = declared.name
    run.__doc__ = inspect.getdoc(declared.function)
    run.__signature__ = signature.replace(parameters=shown)  # type: ignore[attr-defined]  # read by inspect
    run.__annotations__ = {one.name: one.annotation for one in shown}
    return run


def _run_tool(
    declared: ToolDeclaration, caller: Caller, arguments: Mapping[str, Any], in_path: Mapping[str, PathArgument]
) -> CallToolResult:
    try:
        declared.policy.check(caller)
        if declared.policy.writes:
            disk_guard.refuse_when_full()
        read = {name: in_path[name].read(value) if name in in_path else value for name, value in arguments.items()}
        reason = read_reason(read.pop(REASON.name, "") or "", name=REASON.name)
        with audit_context(caller.principal, reason=reason or None):
            answer = declared.function(caller, **read)
    except Exception as error:
        return build_error_result(as_service_error(error), advice=declared.policy.advice(caller))
    if isinstance(answer, tuple):
        return build_result(answer[0], *answer[1])
    return build_result(answer)
