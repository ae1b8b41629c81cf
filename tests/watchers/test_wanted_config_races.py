"""Two admins who want different configurations of one watcher at once."""

import hashlib

import pytest

from accounts.callers import caller_for_user
from tests.factories import make_user, make_watcher
from tests.races import at_once
from watchers.models import WantedConfig
from watchers.wanted_config import want_config
from wire.clock import now


def sum_up(text):
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.django_db(transaction=True)
def test_of_two_admins_the_last_one_wins_and_neither_fails():
    watcher, by = make_watcher(), caller_for_user(make_user(is_admin=True))
    texts = [f"stability_seconds: {number}\n" for number in range(1, 5)]

    def want(number):
        text = texts[number]
        return want_config(watcher.pk, config_yaml=text, checksum=sum_up(text), by=by, at=now())

    at_once(len(texts), want)

    kept = WantedConfig.objects.get()
    assert kept.config_yaml in texts
    assert kept.config_checksum == sum_up(kept.config_yaml)
