"""The Apache Iceberg catalogue over the stored Parquet files, as PyIceberg keeps it: a table for each dataset name.

It holds addresses and statistics of files of the store, never their bytes. The packages are in
requirements-iceberg.lock and are imported here and beside, only where the catalogue is asked for.
"""

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from django.conf import settings

from files.storage import object_store
from files.storage.s3 import S3Store
from files.storage.s3_connection import find_access

if TYPE_CHECKING:
    from pyiceberg.catalog import Catalog
    from pyiceberg.table import Table

CATALOG, NAMESPACE = "ids", "ids"
TABLE_PROPERTIES = {
    "format-version": "2",
    "gc.enabled": "false",  # no engine may remove files: they are the service's
    "commit.manifest-merge.enabled": "true",
    "write.metadata.delete-after-commit.enabled": "true",
    "write.metadata.previous-versions-max": "10",
}


def is_installed() -> bool:
    return find_spec("pyiceberg") is not None


def open_catalog() -> "Catalog":
    """Made where there is none. ICEBERG_CATALOG says what is to be otherwise. Raises OSError, SQLAlchemyError."""
    from pyiceberg.catalog import load_catalog

    known = describe_catalog()
    if known["uri"] == default_uri():
        catalog_folder().mkdir(mode=0o700, parents=True, exist_ok=True)
    catalog = load_catalog(CATALOG, **known)
    catalog.create_namespace_if_not_exists(NAMESPACE)
    return catalog


def describe_catalog() -> dict[str, str]:
    """As PyIceberg calls them."""
    own = {"type": "sql", "uri": default_uri(), "py-io-impl": "pyiceberg.io.pyarrow.PyArrowFileIO"}
    return own | describe_store() | {name: str(value) for name, value in settings.ICEBERG_CATALOG.items()}


def describe_store() -> dict[str, str]:
    """Where the tables' own files lie, and how the store is reached."""
    store = object_store()
    if not isinstance(store, S3Store):
        return {"warehouse": f"file://{catalog_folder() / 'warehouse'}"}
    access = find_access(store.storage)
    said = {
        "warehouse": f"s3://{store.bucket}/iceberg",
        "s3.endpoint": access.endpoint_url,
        "s3.region": access.region,
        "s3.access-key-id": access.access_key,
        "s3.secret-access-key": access.secret_key,
        "s3.session-token": access.session_token,
        "s3.force-virtual-addressing": str(access.is_virtual_hosted).lower(),
    }
    return {name: value for name, value in said.items() if value}


def catalog_folder() -> Path:
    return settings.IDS_DATA / "iceberg"


def default_uri() -> str:
    return f"sqlite:///{catalog_folder() / 'catalog.db'}"


def list_tables(catalog: "Catalog") -> set[str]:
    return {name for _, name in catalog.list_tables(NAMESPACE)}


def load_table(catalog: "Catalog", name: str) -> "Table":
    return catalog.load_table((NAMESPACE, name))
