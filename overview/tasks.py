from celery import shared_task

from overview.gauges import measure_stored_sizes
from wire.clock import now


@shared_task(name="overview.measure")
def measure_storage() -> None:
    measure_stored_sizes(at=now())
