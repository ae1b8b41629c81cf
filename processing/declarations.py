"""What types declare of their readings for those who look at them: order and units of facts, names of what is shown."""

from collections.abc import Iterable, Sequence

from processing.models import ProcessingJob
from processing.readings import Fact, Viewer
from processing.registry import find_type, get_registry
from runs.models import Run


def list_declared_facts(processors: Iterable[str]) -> dict[str, Fact]:
    """By key, in order, of the types of these names; the first that declares a key decides."""
    declared: dict[str, Fact] = {}
    for name in dict.fromkeys(processors):
        for fact in find_type(name).facts:
            declared.setdefault(fact.key, fact)
    return declared


def list_declared_viewers(run: Run) -> Sequence[Viewer]:
    """Of the types that read the files of the run, one for each kind, in order; no query where no type declares any."""
    declaring = [name for name, kind in get_registry().types.items() if kind.viewers]
    if not declaring:
        return ()
    read = ProcessingJob.objects.filter(file__run=run, processor__in=declaring).order_by("processor")
    found: dict[str, Viewer] = {}
    for name in read.values_list("processor", flat=True).distinct():
        for viewer in find_type(name).viewers:
            found.setdefault(viewer.kind, viewer)
    return list(found.values())
