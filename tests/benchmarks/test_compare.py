"""Twenty curves of a million points over each other: the server's answer, and frames a second while zooming.

`pytest -m benchmark tests/benchmarks/test_compare.py -s`. The page is the service's own; frames are counted by
Chromium, whose ceiling is 60, while every one of them zooms by the wheel, in and out again.
"""

import sys
import time

import numpy as np
import pytest

from tests.browser import chromium, visit
from tests.datasets.making import make_dataset
from tests.factories import make_run, make_user

pytestmark = [pytest.mark.benchmark, pytest.mark.django_db(transaction=True)]
CURVES, POINTS, FRAMES, LEAST = 20, 1_000_000, 240, 30
ZOOM = """async (frames) => {
  const field = document.querySelector("svg.field-of-view");
  const { left, top, width, height } = field.getBoundingClientRect();
  const at = { clientX: left + width * 0.4, clientY: top + height / 2, ctrlKey: true, bubbles: true, cancelable: true };
  const next = () => new Promise((done) => requestAnimationFrame(done));
  let began = await next();
  const first = began;
  let longest = 0;
  for (let frame = 0; frame < frames; frame += 1) {
    field.dispatchEvent(new WheelEvent("wheel", { ...at, deltaY: frame % 80 < 40 ? -8 : 8 }));
    const now = await next();
    longest = Math.max(longest, now - began);
    began = now;
  }
  return [frames / ((began - first) / 1000), longest];
}"""


def test_twenty_curves_of_a_million_points(client, live_server, monkeypatch, capsys):
    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
    x, random = np.linspace(200, 800, POINTS), np.random.default_rng(1)
    for number in range(CURVES):
        y = np.sin(x / 20 + number) + random.normal(0, 0.05, POINTS)
        run = make_run(run_id=f"r{number}")
        make_dataset({"nm": x, "au": y}, run=run, name="absorbance", roles={"nm": "axis", "au": "value"})
        if not number:
            keys = []
        keys.append(f"run={run.instrument_id}/r{number}")
    client.force_login(make_user())
    address = "&".join(keys)
    figures = {}
    for layout in ("over", "over", "mean"):
        began = time.perf_counter()
        answer = client.get(f"/compare/curve?{address}&layout={layout}")
        figures[layout] = f"{time.perf_counter() - began:.2f} s, {len(answer.content) / 1e6:.1f} MB"
    cookie = {"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}
    with chromium() as browser, visit(browser, live_server.url, viewport={"width": 1280, "height": 900}) as seen:
        seen.page.context.add_cookies([cookie])
        seen.page.goto(f"/compare?{address}", timeout=120_000)
        seen.page.locator('.plot[data-state="ready"]').wait_for(timeout=120_000)
        drawn = seen.page.locator("path.trace").count()
        rate, longest = seen.page.evaluate(ZOOM, FRAMES)
    with capsys.disabled():
        sys.stdout.write(f"\n{figures} {drawn} traces, {rate:.0f} frames a second, the longest {longest:.0f} ms\n")
    assert rate >= LEAST
