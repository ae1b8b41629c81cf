"""Seeded random days of a laboratory, and what must hold in the end."""

import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import psycopg

from changes.webhooks.models import Webhook
from tests.model import acts, damage, tasks
from tests.model.acts import ACTS, follow, send
from tests.model.nights import pass_night
from tests.model.oracle import list_faults, list_leaks
from tests.model.parts import send_in_parts
from tests.model.stage import Role, Scene, points
from tests.model.tasks import IN_THE_END, TASKS
from tests.model.world import Laboratory
from wire.clock import now

LENGTH = 8  # scenes of a day
EVERYBODY = ACTS | {send_in_parts: 5}
EVERYTHING = TASKS | {damage.copy_to_replica: 2, damage.damage: 2, damage.heal: 2}
THEMES = (  # who meets at the same rows and objects
    (acts.send, acts.send, tasks.share, tasks.sweep, tasks.remove, tasks.purge),
    (acts.send, acts.delete_run, acts.restore_run, tasks.purge, acts.hold, acts.release),
    (acts.pack, tasks.build, tasks.build, tasks.forget_archives, tasks.purge, acts.delete_run),
    (acts.bring_back, tasks.recall, tasks.cool, tasks.cool, tasks.purge, tasks.remove, tasks.scrub, acts.send),
    (acts.send, acts.send_batch, tasks.read, tasks.read, acts.delete_file, acts.sign, tasks.purge, tasks.cool),
    (acts.hold, acts.release, acts.choose_project, acts.sign, acts.delete_run, tasks.purge, acts.count_up),
    (send_in_parts, send_in_parts, send_in_parts, tasks.sweep, tasks.purge, acts.delete_run, tasks.share),
    (damage.copy_to_replica, damage.damage, damage.heal, damage.heal, tasks.share, tasks.cool, tasks.purge),
)
Say = Callable[[str], None]
Theme = Sequence[Callable[[Laboratory, Random], None]]


@dataclass(frozen=True)
class Place:
    """Where a day happens: the folders of its stores, hot and cold, and of the replica; a connection to look from
    outside."""

    roots: list[Path]
    replica: Path
    watch: psycopg.Connection[Any]


def play_day(seed: int, place: Place, *, length: int = LENGTH, say: Say = lambda line: None) -> list[str]:
    """What does not hold."""
    chance = Random(seed)
    lab = Laboratory(say, place.roots[0], place.replica)
    lab.fill(Random(chance.getrandbits(32)))
    Webhook.objects.create(url="https://receiver.example", sealed_secret="-", created_at=now())
    for _ in range(3):
        send(lab, chance)
    for number in range(length):
        broken = play_scene(lab, Random(chance.getrandbits(32)), place, number=number)
        if broken:
            return broken
    return come_to_rest(lab, place) or list(list_faults(lab, place.roots))


def play_scene(lab: Laboratory, chance: Random, place: Place, *, number: int) -> list[str]:
    if chance.random() < 0.4:
        lab.say("a night passes")
        pass_night(place.watch, place.roots)
    theme = chance.choice((None, None, None, *THEMES))
    roles = [cast_role(lab, chance, position, theme=theme) for position in range(chance.choice((1, 2, 2, 3, 3, 4)))]
    lab.say(f"{number}. " + ", ".join(role.name for role in roles))
    scene = Scene(roles, chance, watch=place.watch, say=lab.say)
    with points():
        broken = scene.play()
    return broken or list(list_leaks(lab))


def cast_role(lab: Laboratory, chance: Random, position: int, *, theme: Theme | None) -> Role:
    """Of the theme, or anybody."""
    parts = EVERYBODY if chance.random() < 0.6 else EVERYTHING
    act = chance.choice(theme) if theme else chance.choices(list(parts), list(parts.values()))[0]
    dies_at = chance.randrange(2, chance.choice((10, 20, 60))) if chance.random() < 0.35 else None
    seed = chance.getrandbits(32)
    return Role(f"{act.__name__} {position}", lambda own: act(lab, own), seed, dies_at)


def come_to_rest(lab: Laboratory, place: Place) -> list[str]:
    """Every task is called again once what died has lost its lease, and the sweep twice."""
    lab.say("all comes to rest")
    try:
        for _ in range(3):
            damage.copy_to_replica(lab, Random(0))
            pass_night(place.watch, place.roots)
            for task in (*IN_THE_END, tasks.sweep, tasks.sweep):
                task(lab, Random(0))
        for _ in range(40):
            follow(lab, Random(0))
    except Exception as error:
        return [traceback.format_exc() or str(error)]
    return []
