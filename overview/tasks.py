from celery import shared_task

from overview.gauges import measure_stored_sizes
from overview.space import measure_space, warn_of_shortage
from wire.clock import now


@shared_task(name="overview.measure")
def measure_storage() -> None:
    measure_stored_sizes(at=now())


@shared_task(name="overview.measure_space")
def measure_space_used() -> None:
    measure_space(at=now())
    warn_of_shortage(at=now())
