"""The walk through the whole dashboard, from an empty service to a busy laboratory."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from operations.demo import pages
from operations.demo.camera import View, open_chromium, sign_in, take_screenshots
from operations.demo.temporary_service import ADMIN, start_temporary_service


def take_gallery(into: Path, *, only: Sequence[str] = ()) -> Iterator[Path]:
    """One picture after the other. Raises NoChromium, StageFailed."""
    with open_chromium() as browser, start_temporary_service() as stage:
        first = [pages.build_first_admin_view(stage.first_link), *pages.SIGNED_OUT_VIEWS]
        yield from take_screenshots(browser, stage.url, _select_views(first, only), into=into, session=None)
        stage.add_admin()
        session = sign_in(browser, stage.url, email=ADMIN[0], password=stage.password)
        yield from take_screenshots(
            browser, stage.url, _select_views(pages.EMPTY_VIEWS, only), into=into, session=session
        )
        stage.run_command("seed_demo")
        api = browser.new_context(base_url=stage.url, storage_state=session).request
        yield from take_screenshots(
            browser, stage.url, _select_views(pages.list_laboratory_views(api), only), into=into, session=session
        )


def _select_views(all_views: Iterable[View], only: Sequence[str]) -> list[View]:
    return [view for view in all_views if not only or view.name in only]
