"""The service's settings, with a page that came without its guard."""

from config.settings import *  # noqa: F403

ROOT_URLCONF = "tests.web.unguarded_urls"
