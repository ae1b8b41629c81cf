import pytest
from django.contrib.auth.models import Permission

from wire.queries.walking import walk_rows


@pytest.mark.django_db
@pytest.mark.parametrize(("size", "queries"), [(10, 11), (33, 4), (1_000, 1)])
def test_every_row_comes_once_in_order(django_assert_num_queries, size, queries):
    chosen = Permission.objects.filter(pk__in=Permission.objects.order_by("pk").values_list("pk")[:100])
    expected = list(chosen.order_by("pk").values_list("pk", "codename"))
    assert len(expected) == 100

    with django_assert_num_queries(queries):
        walked = list(walk_rows(chosen.values_list("pk", "codename"), by="pk", size=size))

    assert walked == expected
