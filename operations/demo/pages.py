"""Every page of the dashboard, in the states that are worth a look."""

from collections.abc import Callable, Sequence
from urllib.parse import quote, urlencode

from playwright.sync_api import APIRequestContext, Page

from operations.demo.camera import View
from operations.demo.series import EXCLUSION, GROWTH, Series
from operations.demo.showcase import RUN_ID

CARY_PATH = "/instruments/cary-60-uvvis-bench-3"
RUN_PATH = f"{CARY_PATH}/runs/{RUN_ID}"
MICROSCOPE_PATH = "/instruments/zeiss-axio-observer-z1-imaging-core"
REDIRECT_URI = "https://assistant.example/callback"

SIGNED_OUT_VIEWS = [
    View("sign-in", "/accounts/login/"),
    View("sign-in-link-spent", "/accounts/first/spent/"),
    View("api", "/api/docs", is_whole=False),
    View("api-call", "/api/docs#run_create", is_whole=False),
    View("client", "/client/"),
]
EMPTY_VIEWS = [
    View("first-run", "/"),
    View("empty-runs", "/runs"),
    View("empty-instruments", "/instruments"),
    View("empty-watchers", "/watchers"),
    View("empty-inbox", "/inbox"),
    View("empty-settings-tokens", "/settings/tokens"),
    View("empty-settings-ai-clients", "/settings/ai-clients"),
    View("empty-settings-watcher-releases", "/settings/watcher-releases"),
    View("empty-settings-feedback", "/settings/feedback"),
]


def build_first_admin_view(link: str) -> View:
    return View("sign-in-first-admin", link)


def list_laboratory_views(api: APIRequestContext) -> Sequence[View]:
    """The pages of a database that `seed_demo` filled; `api` is somebody's session."""
    watchers = {one["hostname"]: one["id"] for one in api.get("/api/v1/watchers?per_page=100").json()["data"]}
    return [
        *_list_list_views(),
        *_list_run_views(),
        View("watchers", "/watchers"),
        View("watcher", f"/watchers/{watchers['CARY60-BENCH3']}"),
        View("watcher-configuration", f"/watchers/{watchers['CARY60-BENCH3']}/configuration"),
        View("watcher-offline", f"/watchers/{watchers['AKTA-1-07']}"),
        View("watcher-connect", "/watchers/connect"),
        View("inbox", "/inbox"),
        View("inbox-all", "/inbox?show=all"),
        View("inbox-mute", "/inbox", _open_menu("Mute a kind"), is_whole=False),
        *_list_settings_views(),
        View("feedback", "/feedback"),
        View("consent", _build_authorization_path(api)),
        View("error-404", "/nowhere"),
        View("sign-out", "/accounts/logout/"),
        View("admin-site", "/admin/"),
        View("admin-site-runs", "/admin/runs/run/", is_whole=False),
        View("admin-site-tokens", "/admin/accounts/token/", is_whole=False),
    ]


def _list_list_views() -> Sequence[View]:
    return [
        View("home", "/"),
        View("runs", "/runs"),
        View("runs-filtered", "/runs?status=failed&status=stalled&search=72&date_from=2026-01-01"),
        View("runs-grouped", "/runs?group_by=metadata.sample&columns=run,preview,status,metadata.method,started"),
        View("runs-typed", "/runs?search=on:synergy+by:nobody+is:complet+last+4+weeks"),
        View("runs-operators", "/runs", _open_menu("Operators"), is_whole=False),
        View("runs-none", "/runs?search=zzz&status=failed"),
        View("runs-status-menu", "/runs", _open_menu("Status"), is_whole=False),
        View("runs-dates-menu", "/runs", _open_menu("Date"), is_whole=False),
        View("runs-metadata-menu", "/runs?instrument_id=cary-60-uvvis-bench-3", _open_menu("Metadata"), is_whole=False),
        View("runs-selected", "/runs", _pick_runs, is_whole=False),
        View("compare", _build_combination(GROWTH, page="compare")),
        View("compare-curves", _build_combination(EXCLUSION, page="compare")),
        View("combine", _build_combination(GROWTH)),
        View("combine-curves", _build_combination(EXCLUSION)),
        View("runs-deleted", "/runs?include_deleted=true&search=delete"),
        View("instruments", "/instruments"),
        View("instruments-pending", "/instruments?status=pending"),
        View("instrument", CARY_PATH),
        View("instrument-long-name", MICROSCOPE_PATH),
        View("instrument-edit", f"{CARY_PATH}/edit"),
        View("search", "/search?q=lyso"),
        View("search-none", "/search?q=zzzz"),
        View("palette", "/", _open_search, is_whole=False),
        View("shortcuts", "/", _open_shortcuts, is_whole=False),
        View("account-menu", "/", _open_account_menu, is_whole=False),
    ]


def _list_run_views() -> Sequence[View]:
    return [
        View("run", RUN_PATH),
        *(
            View(f"run-{section}", f"{RUN_PATH}?section={section}")
            for section in ("images", "pages", "plates", "tables")
        ),
        View("run-files-selected", RUN_PATH, _pick_files, is_whole=False),
        View("run-editing", RUN_PATH, _begin_comment),
        View("run-metadata", f"{RUN_PATH}/metadata"),
        View("run-archive", f"{RUN_PATH}/archive"),
        View("run-downloads", "/downloads?" + urlencode({"run": f"{CARY_PATH.rpartition('/')[2]}/{RUN_ID}"})),
        View("run-empty", "/instruments/synergy-neo2/runs/echo_dose-response_DMSO-backfill_plate-4"),
        View("run-stalled", "/instruments/synergy-neo2/runs/472-0017_long-kinetics"),
        View("run-deleted", "/instruments/synergy-neo2/runs/test-delete-me"),
        View(
            "run-many-files", f"{MICROSCOPE_PATH}/runs/{quote('U2OS_siBRCA1_DAPI-gH2AX_24h_field-scan_20x_tile-4x6')}"
        ),
    ]


def _list_settings_views() -> Sequence[View]:
    pages = ("profile", "password", "security", "security/app", "notifications", "ai-clients", "tokens", "tokens/new")
    kept = ("members", "integrations", "watcher-releases", "feedback")
    return [
        *(View(f"settings-{page.replace('/', '-')}", f"/settings/{page}") for page in (*pages, *kept)),
        View("settings-token-made", "/settings/tokens/new", _make_token),
    ]


def _build_authorization_path(api: APIRequestContext) -> str:
    """Where an AI client that registered itself sends a person."""
    answer = api.post(
        "/oauth/register",
        data={"client_name": "Claude", "redirect_uris": [REDIRECT_URI], "token_endpoint_auth_method": "none"},
    )
    metadata = api.get("/.well-known/oauth-protected-resource/mcp/v1").json()
    return "/oauth/authorize?" + urlencode(
        {
            "response_type": "code",
            "client_id": answer.json()["client_id"],
            "redirect_uri": REDIRECT_URI,
            "scope": "read write",
            "state": "s",
            "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
            "code_challenge_method": "S256",
            "resource": metadata["resource"],
        }
    )


def _build_combination(series: Series, *, page: str = "combine") -> str:
    """The address of the last runs of a series as one table, or compared."""
    runs = [f"{series.instrument_id}/{series.run_id(number)}" for number in series.newest_first[:10]]
    return f"/{page}?" + urlencode({"run": runs}, doseq=True)


def _open_menu(label: str) -> Callable[[Page], None]:
    return lambda page: page.locator("summary", has_text=label).first.click()


def _pick_runs(page: Page) -> None:
    for number in (0, 2, 3):
        page.locator("tbody .pick").nth(number).check()


def _pick_files(page: Page) -> None:
    boxes = page.locator("#files tbody .pick")
    boxes.nth(0).check()
    boxes.nth(1).check()
    boxes.nth(1).scroll_into_view_if_needed()


def _begin_comment(page: Page) -> None:
    page.get_by_label("Your comment").fill("Repeated with the old lamp: **no shoulder**.")


def _open_search(page: Page) -> None:
    page.keyboard.press("Control+k")
    page.keyboard.type("refold")
    page.locator("#hits .hit").first.wait_for()


def _open_shortcuts(page: Page) -> None:
    page.keyboard.press("?")


def _open_account_menu(page: Page) -> None:
    page.locator(".account summary").click()


def _make_token(page: Page) -> None:
    page.get_by_label("Name", exact=True).fill("Watcher SPARK-2")
    page.get_by_role("button", name="Create token").click()
    page.locator("#new-token-text").wait_for()
