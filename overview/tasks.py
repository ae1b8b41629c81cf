from celery import shared_task

from overview.gauges import measure_stored


@shared_task(name="overview.measure")
def measure() -> None:
    measure_stored()
