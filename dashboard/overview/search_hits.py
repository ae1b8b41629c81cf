"""What the search found, as lines to choose from."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from accounts.callers import Caller
from dashboard.files.icons import icon_of
from dashboard.overview.places import find_places
from files.models import File
from overview.search import Group, SearchResults, search_everything
from runs.addresses import path_of_run
from runs.models import Comment, Run
from wire.input_gate import text_fault

MIN_QUERY_CHARACTERS, MAX_QUERY_CHARACTERS = 2, 200
EXCERPT_CHARACTERS_BEFORE, EXCERPT_CHARACTERS_AFTER = 40, 100  # of a comment, round what was found


@dataclass(frozen=True)
class Hit:
    """One line: `match` is what was typed as it stands there; `at` is when, where that tells something."""

    icon: str
    before: str
    match: str
    after: str
    where: str
    href: str
    at: datetime | None = None
    is_mono: bool = True

    @property
    def text(self) -> str:
        return self.before + self.match + self.after


@dataclass(frozen=True)
class HitGroup:
    name: str
    label: str
    hits: Sequence[Hit]


def read_hits(typed: str, *, scope: str, by: Caller, at: datetime) -> dict[str, object]:
    """Too little, or what cannot be a name, finds nothing; an unknown scope is all of them."""
    text = typed.strip()[:MAX_QUERY_CHARACTERS]
    group = Group(scope) if scope in set(Group) else None
    is_asked = len(text) >= MIN_QUERY_CHARACTERS and text_fault(text, multiline=False) is None
    found = search_everything(text, group=group, by=by, at=at) if is_asked else SearchResults()
    groups = [one for one in _build_groups(found, text, at=at) if one.hits]
    total = sum(len(one.hits) for one in groups)
    shown = {"q": text, "scope": group, "scopes": list(Group), "is_asked": is_asked, "at": at}
    return shown | {
        "groups": groups,
        "total": total,
        "places": find_places(text, is_admin=by.user is not None and by.user.is_admin) if is_asked else [],
        "runs_href": f"/runs?{urlencode({'search': text})}",
        "words_href": f"/runs?{urlencode({'q': text})}",
    }


def _build_groups(found: SearchResults, text: str, *, at: datetime) -> Iterator[HitGroup]:
    yield HitGroup("runs", "Runs", [_build_run_hit(run, text, at=at) for run in found.runs])
    yield HitGroup("files", "Files", [_build_file_hit(file, text) for file in found.files])
    instruments = [
        Hit("instrument", *split_at_match(row.display_name, text), row.pk, f"/instruments/{row.pk}", is_mono=False)
        for row in found.instruments
    ]
    yield HitGroup("instruments", "Instruments", instruments)
    yield HitGroup("comments", "Comments", [_build_comment_hit(comment, text) for comment in found.comments])

    people = [
        Hit("person", *split_at_match(person.name, text), "runs of", f"/runs?ranBy={person.pk}", is_mono=False)
        for person in found.people
    ]
    yield HitGroup("people", "People", people)


def _build_run_hit(run: Run, text: str, *, at: datetime) -> Hit:
    state = run.status_at(at)
    href = path_of_run(run.instrument_id, run.run_id)
    return Hit(f"s-{state}", *split_at_match(run.run_id, text), state.label.lower(), href, at=run.happened_at)


def _build_file_hit(file: File, text: str) -> Hit:
    href = f"{path_of_run(file.run.instrument_id, file.run.run_id)}?anchor={file.pk}"
    return Hit(icon_of(file), *split_at_match(file.filename, text), f"in {file.run.run_id}", href)


def _build_comment_hit(comment: Comment, text: str) -> Hit:
    before, match, after = split_at_match(" ".join(comment.body.split()), text)
    before = f"…{before[-EXCERPT_CHARACTERS_BEFORE:]}" if len(before) > EXCERPT_CHARACTERS_BEFORE else before
    after = f"{after[:EXCERPT_CHARACTERS_AFTER]}…" if len(after) > EXCERPT_CHARACTERS_AFTER else after
    author = comment.user.name if comment.user else comment.token.name if comment.token else ""
    href = f"{path_of_run(comment.run.instrument_id, comment.run.run_id)}#comments"
    return Hit("comment", before, match, after, author, href, is_mono=False)


def split_at_match(name: str, text: str) -> tuple[str, str, str]:
    """Before, the part that was typed, after. Where case folding hides it, all is before."""
    start = name.lower().find(text.lower())
    if start < 0 or len(name.lower()) != len(name):
        return name, "", ""
    return name[:start], name[start : start + len(text)], name[start + len(text) :]
