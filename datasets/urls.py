from django.urls import path

from datasets.api import DatasetListViewSet, DatasetViewSet, StackedRowsViewSet

api = [
    path(
        "instruments/<slug_id:instrument_id>/runs/<run_id:run_id>/datasets",
        DatasetListViewSet.as_view({"get": "of_run"}),
    ),
    path("files/<file_id:file_id>/datasets", DatasetListViewSet.as_view({"get": "of_file"})),
    path("datasets", DatasetListViewSet.as_view({"get": "search"})),
    path("datasets/<id:dataset_id>", DatasetViewSet.as_view({"get": "retrieve"})),
    path("datasets/<id:dataset_id>/rows", DatasetViewSet.as_view({"get": "rows"})),
    path("dataset-rows", StackedRowsViewSet.as_view({"get": "list"})),
]
