"""The walk through the whole dashboard, from an empty service to a busy laboratory."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from config.demo import pages
from config.demo.camera import View, chromium, sign_in, take
from config.demo.stage import ADMIN, staged


def fill(into: Path, *, only: Sequence[str] = ()) -> Iterator[Path]:
    """One picture after the other. Raises NoChromium, StageFailed."""
    with chromium() as browser, staged() as stage:
        first = [pages.first_admin(stage.first_link), *pages.ENTRANCE]
        yield from take(browser, stage.url, _wanted(first, only), into=into, session=None)
        stage.add_admin()
        session = sign_in(browser, stage.url, email=ADMIN[0], password=stage.password)
        yield from take(browser, stage.url, _wanted(pages.EMPTY, only), into=into, session=session)
        stage.manage("seed_demo")
        api = browser.new_context(base_url=stage.url, storage_state=session).request
        yield from take(browser, stage.url, _wanted(pages.of_the_laboratory(api), only), into=into, session=session)


def _wanted(all_views: Iterable[View], only: Sequence[str]) -> list[View]:
    return [view for view in all_views if not only or view.name in only]
