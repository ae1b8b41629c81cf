"""YAML from strangers: read only where it is small in what it becomes, refused otherwise.

PyYAML's safe loader makes no objects, but it follows aliases (254 bytes become 28 MB), recurses, and counts in base 60
in quadratic time; and it raises more than YAMLError.
"""

from typing import Any

import yaml

MAX_DEPTH = 20
MAX_NODES = 5_000
MAX_NUMBER_CHARS = 100
NUMBER_TAGS = {"tag:yaml.org,2002:int", "tag:yaml.org,2002:float"}

Loader: type[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times faster, where libyaml was built in
RESOLVER = yaml.resolver.Resolver()


class UnsafeYaml(ValueError):
    """Says what is wrong, for the one who wrote it."""


def read_yaml(text: str) -> Any:
    """What the text says.

    Raises UnsafeYaml for aliases, more than 20 levels or 5,000 values, numbers without end, and broken YAML.
    """
    try:
        _check_events(text)
        return yaml.load(text, Loader=Loader)  # noqa: S506  (a safe loader)
    except UnsafeYaml:
        raise
    except yaml.YAMLError as error:
        raise UnsafeYaml(_describe_error(error)) from None
    except Exception:
        raise UnsafeYaml("The YAML cannot be read.") from None


def _check_events(text: str) -> None:
    depth = 0
    for number, event in enumerate(yaml.parse(text, Loader=Loader)):
        if number > MAX_NODES:
            raise UnsafeYaml(f"The YAML has more than {MAX_NODES} values.")
        if isinstance(event, yaml.AliasEvent):
            raise UnsafeYaml(f"Aliases (*{event.anchor}) are not allowed.")
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > MAX_DEPTH:
                raise UnsafeYaml(f"The YAML is nested deeper than {MAX_DEPTH} levels.")
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        elif isinstance(event, yaml.ScalarEvent) and len(event.value) > MAX_NUMBER_CHARS and _is_number(event):
            raise UnsafeYaml(f"Numbers have at most {MAX_NUMBER_CHARS} characters.")


def _is_number(event: yaml.ScalarEvent) -> bool:
    """Whether the loader will count: a plain scalar that looks like a number, or one tagged as such."""
    return (event.tag or RESOLVER.resolve(yaml.ScalarNode, event.value, event.implicit)) in NUMBER_TAGS


def _describe_error(error: yaml.YAMLError) -> str:
    """What is wrong, and where: libyaml's own words without its drawing of the line."""
    problem, mark = getattr(error, "problem", None), getattr(error, "problem_mark", None)
    where = f" (line {mark.line + 1})" if mark else ""
    return f"The YAML cannot be read{where}: {problem}." if problem else "The YAML cannot be read."
