"""Token requests while wrong passwords pour in: their times calm, and under the flood.

    IDS_TOKEN=ids_… python -m tests.benchmarks.login_flood http://127.0.0.1:8000 --seconds 20

The flood is 16 connections that each guess the password of a random account, again as soon as they are answered.
Loopback addresses only. Prints one line for each phase and the ratio of their 99th percentiles.
"""

import argparse
import asyncio
import collections
import os
import secrets
import statistics
import sys
import time
from urllib.parse import urlsplit

import httpx

from tests.benchmarks.load import LOOPBACK

FLOODERS, ASKS_PER_SECOND, TIMEOUT = 16, 20, 60


async def ask_steadily(client: httpx.AsyncClient, token: str, *, seconds: float) -> list[float]:
    """Open loop: how long each took from its moment on."""
    taken, began = [], time.perf_counter()

    async def ask(due: float) -> None:
        answer = await client.get("/api/v1/whoami", headers={"Authorization": f"Bearer {token}"})
        assert answer.status_code == 200, answer.text
        taken.append(time.perf_counter() - due)

    asked = []
    for number in range(int(seconds * ASKS_PER_SECOND)):
        due = began + number / ASKS_PER_SECOND
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        asked.append(asyncio.create_task(ask(due)))
    await asyncio.gather(*asked)
    return sorted(taken)


async def guess(url: str, statuses: collections.Counter[int]) -> None:
    async with httpx.AsyncClient(base_url=url, timeout=TIMEOUT) as client:
        await client.get("/accounts/login/")
        while True:
            form = {
                "login": f"{secrets.token_hex(6)}@lab.example",
                "password": secrets.token_hex(8),
                "csrfmiddlewaretoken": client.cookies["csrftoken"],
            }
            answer = await client.post("/accounts/login/", data=form, headers={"Referer": url})
            statuses[answer.status_code] += 1


def describe(name: str, taken: list[float]) -> float:
    p99 = taken[int(len(taken) * 0.99)]
    median = statistics.median(taken)
    print(f"{name:6} {len(taken):5} requests  median {median * 1000:6.1f} ms  p99 {p99 * 1000:6.1f} ms")
    return p99


async def measure(url: str, token: str, *, seconds: float) -> None:
    async with httpx.AsyncClient(base_url=url, timeout=TIMEOUT) as client:
        await ask_steadily(client, token, seconds=3)
        calm = describe("calm", await ask_steadily(client, token, seconds=seconds))
        statuses: collections.Counter[int] = collections.Counter()
        flood = [asyncio.create_task(guess(url, statuses)) for _ in range(FLOODERS)]
        await asyncio.sleep(2)
        flooded = describe("flood", await ask_steadily(client, token, seconds=seconds))
        for one in flood:
            one.cancel()
    print(f"ratio of p99 {flooded / calm:.2f}; answers to guesses {dict(statuses)}; load {os.getloadavg()[0]:.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("--seconds", type=float, default=20)
    options = parser.parse_args()
    if urlsplit(options.url).hostname not in LOOPBACK:
        sys.exit("Loopback addresses only.")
    asyncio.run(measure(options.url, os.environ["IDS_TOKEN"], seconds=options.seconds))


if __name__ == "__main__":
    main()
