"""The one settings file. Everything comes from the environment; every reader is typed; no secret is guessed."""

import os
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from accounts.oauth.settings import oauth_settings
from accounts.sign_in.allauth_settings import allauth_settings
from accounts.sign_in.identity_provider_settings import identity_provider_settings
from jobs.broker import CONNECT_SECONDS, TRANSPORT_OPTIONS, broker_url
from web.api_pages.settings import openapi_settings
from web.content_policy_settings import content_policy_settings
from web.telemetry.logs import configure_logging
from web.template_settings import template_settings
from wire.settings.cache import cache_settings
from wire.settings.database import database_settings
from wire.settings.email import email_settings
from wire.settings.environment import (
    read_flag,
    read_list,
    read_number,
    read_object,
    read_optional,
    read_public_key,
    read_secret,
    read_text,
)
from wire.settings.object_storage import file_storage_settings, s3_storage_settings, second_store_settings

BASE_DIR = Path(__file__).resolve().parent.parent
IDS_DATA = Path(read_text("IDS_DATA", str(BASE_DIR / "var"))).resolve()

VERSION = "0.1.0"
DEBUG = read_flag("DEBUG", False)
SECRET_KEY = read_secret("SECRET_KEY", debug=DEBUG)

PUBLIC_URL = read_text("PUBLIC_URL", "http://127.0.0.1:8000").rstrip("/")
IS_HTTPS = urlsplit(PUBLIC_URL).scheme == "https"
ALLOWED_HOSTS = sorted(
    {urlsplit(PUBLIC_URL).hostname or "", "localhost", "127.0.0.1", "[::1]", *read_list("ALLOWED_HOSTS")} - {""}
)
CSRF_FAILURE_VIEW = "web.refusal_pages.csrf_failure"
CSRF_TRUSTED_ORIGINS = [f"{urlsplit(PUBLIC_URL).scheme}://{urlsplit(PUBLIC_URL).netloc}"]

INSTALLED_APPS = [
    "web.apps.MaintainersAdminConfig",  # django.contrib.admin
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.postgres",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "django_htmx",
    "pghistory",
    "pgtrigger",
    "rest_framework",
    "drf_spectacular",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "oauth2_provider",
    "wire",
    "accounts",
    "changes",
    "instruments",
    "watchers",
    "runs",
    "files",
    "datasets",
    "archives",
    "processing",
    "retention",
    "notifications",
    "feedback",
    "overview",
    "mcp_server",
    "dashboard",
    "web",
    "operations",
]

MIDDLEWARE = [
    "web.security_headers.SecurityHeaders",
    "web.middleware.RequestLog",
    "web.compression.Compression",
    "web.middleware.RateTold",
    "web.middleware.ApiEnvelope",
    "web.middleware.StatedReason",
    "web.text_gate.TextGate",
    "web.middleware.DiskGuard",
    "web.read_retry.RetryReads",
    "django.middleware.security.SecurityMiddleware",
    "web.page_policy.PagePolicy",
    "web.static_files.StaticFilesMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "web.middleware.DeclaredAccessRequired",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
APPEND_SLASH = False

TEMPLATES = template_settings(BASE_DIR / "templates")

# --- database, cache, queue ---------------------------------------------------------------------------------------

WEB_THREADS = read_number("WEB_THREADS", 8)
WEB_CONNECTIONS = read_number("WEB_CONNECTIONS", 2_000)  # open ones, of one process: web.server.http
DATABASE_SECONDS = read_number("DATABASE_SECONDS", 15)  # after which a silent database is 503; workers wait for ever
DATABASE_POOLING = read_text("DATABASE_POOLING", "session")  # or `transaction`, by a pooler between us and the server
DATABASES = {
    "default": database_settings(
        read_text("DATABASE_URL", "postgresql:///ids"), pool_size=WEB_THREADS + 20, pooling=DATABASE_POOLING
    )
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

REDIS_URL = read_optional("REDIS_URL")
CACHES = cache_settings(REDIS_URL)

CELERY_BROKER_URL = broker_url(REDIS_URL)
CELERY_BROKER_TRANSPORT_OPTIONS = TRANSPORT_OPTIONS
CELERY_BROKER_CONNECTION_TIMEOUT = CONNECT_SECONDS
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None  # a worker waits for its broker, however long

# --- jobs (archives, processing) ----------------------------------------------------------------------------------

JOB_LEASE_SECONDS = read_number("JOB_LEASE_SECONDS", 30)  # a job whose worker is silent for so long is taken over
DATASET_QUERY_SECONDS = read_number("DATASET_QUERY_SECONDS", 30)  # of each step of a query over a dataset's rows
DATASET_QUERY_MEMORY_MIB = read_number("DATASET_QUERY_MEMORY_MIB", 256)  # of all such queries of one process
DATASET_COPIES = read_text("DATASET_COPIES", "")  # where Parquet files of an S3 store lie meanwhile; else below TMPDIR
DATASET_COPIES_MIB = read_number("DATASET_COPIES_MIB", 4_096)
ICEBERG_CATALOG = read_object("ICEBERG_CATALOG")  # of PyIceberg's properties those that are to be otherwise
READINGS_PER_INSTRUMENT = read_number("READINGS_PER_INSTRUMENT", 2)  # at once; 0 is as many as there are threads
REQUIRE_READER_WALLS = read_flag("REQUIRE_READER_WALLS", False)  # else a wall the machine lacks is logged, and missing
ARCHIVE_WORKER_URL = read_text("ARCHIVE_WORKER_URL", "")
ARCHIVE_WORKER_SECRET = read_secret("ARCHIVE_WORKER_SECRET", debug=not ARCHIVE_WORKER_URL)

# --- object storage -----------------------------------------------------------------------------------------------

S3_BUCKET = read_optional("S3_BUCKET")
S3_PUBLIC_ENDPOINT_URL = read_optional("S3_PUBLIC_ENDPOINT_URL")
S3_STORAGE = s3_storage_settings(
    bucket=S3_BUCKET,
    endpoint_url=read_optional("S3_ENDPOINT_URL"),
    region=read_text("S3_REGION", "us-east-1"),
    access_key=read_optional("S3_ACCESS_KEY_ID"),
    secret_key=read_optional("S3_SECRET_ACCESS_KEY"),
    options=read_object("S3_OPTIONS"),
)
FILE_STORAGE = file_storage_settings(IDS_DATA / "objects")
OBJECTS_URL = read_text("OBJECTS_URL", "").rstrip("/")  # the local store's own host; empty: PUBLIC_URL
ACCEL_REDIRECT_PREFIX = read_text("ACCEL_REDIRECT_PREFIX", "")  # where nginx has the local store, and sends its files
SCRUB_WITHIN_DAYS = read_number("SCRUB_WITHIN_DAYS", 90)  # every stored file is read again within; 0 is never
SCRUB_MAX_MB_PER_SECOND = read_number("SCRUB_MAX_MB_PER_SECOND", 20)  # of this reading; 0 is no bound
REPLICA_DIRECTORY = read_text("REPLICA_DIRECTORY", "")  # a copy of a local store, of the same layout, to heal from
REPLICA_S3_BUCKET = read_optional("REPLICA_S3_BUCKET")  # likewise, of the same keys
REPLICA_STORAGE = second_store_settings(
    "replica",
    directory=REPLICA_DIRECTORY,
    bucket=REPLICA_S3_BUCKET,
    endpoint_url=read_optional("REPLICA_S3_ENDPOINT_URL"),
    region=read_text("REPLICA_S3_REGION", "us-east-1"),
    access_key=read_optional("REPLICA_S3_ACCESS_KEY_ID"),
    secret_key=read_optional("REPLICA_S3_SECRET_ACCESS_KEY"),
)
COLD_DIRECTORY = read_text("COLD_DIRECTORY", "")  # where raw files lie that are seldom asked for, on a larger disk
COLD_S3_BUCKET = read_optional("COLD_S3_BUCKET")  # or a bucket
COLD_S3_STORAGE_CLASS = read_optional("COLD_S3_STORAGE_CLASS")  # of its objects, such as STANDARD_IA; none that thaws
COLD_BACK_DAYS = read_number("COLD_BACK_DAYS", 30)  # that a file stays at hand once it was brought back
COLD_STORAGE = second_store_settings(
    "cold",
    directory=COLD_DIRECTORY,
    bucket=COLD_S3_BUCKET,
    endpoint_url=read_optional("COLD_S3_ENDPOINT_URL"),
    region=read_text("COLD_S3_REGION", "us-east-1"),
    access_key=read_optional("COLD_S3_ACCESS_KEY_ID"),
    secret_key=read_optional("COLD_S3_SECRET_ACCESS_KEY"),
)
EXPORT_S3 = {  # how `export_everything s3://…` and `import_everything s3://…` reach their bucket
    "endpoint_url": read_optional("EXPORT_S3_ENDPOINT_URL"),
    "region": read_text("EXPORT_S3_REGION", "us-east-1"),
    "access_key": read_optional("EXPORT_S3_ACCESS_KEY_ID"),
    "secret_key": read_optional("EXPORT_S3_SECRET_ACCESS_KEY"),
}
STORE_CAPACITY_GB = read_number("STORE_CAPACITY_GB", 0)  # of the bucket's quota; 0: none is known
KEEPS_DATA_HERE = S3_BUCKET is None or DATABASES["default"]["HOST"].startswith(str(IDS_DATA))

# --- people, sign-in, sessions ------------------------------------------------------------------------------------

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
OIDC_ISSUER = read_text("OIDC_ISSUER", "")
OIDC_NAME = read_text("OIDC_NAME", "your organisation") if OIDC_ISSUER else ""  # as the sign-in page's button says it
OIDC_ALLOWED_DOMAINS = [domain.lower().removeprefix("@") for domain in read_list("OIDC_ALLOWED_DOMAINS")]
OIDC_GROUPS_CLAIM = read_text("OIDC_GROUPS_CLAIM", "")
OIDC_ADMIN_GROUPS = read_list("OIDC_ADMIN_GROUPS")  # who is in one of them is an admin, as of each sign-in
OIDC_REQUIRE_AUTH_TIME = read_flag("OIDC_REQUIRE_AUTH_TIME", False)  # accounts.sign_in.recent_sign_in
ADMIN_EMAILS = [email.lower() for email in read_list("ADMIN_EMAILS")]
LOGIN_URL = "/accounts/login/"
LOGIN_REDIRECT_URL = "/"
SOCIALACCOUNT_PROVIDERS = identity_provider_settings(
    issuer=OIDC_ISSUER,
    name=OIDC_NAME,
    client_id=read_text("OIDC_CLIENT_ID", ""),
    secret=read_text("OIDC_CLIENT_SECRET", ""),
)
HAS_PASSKEYS = IS_HTTPS or urlsplit(PUBLIC_URL).hostname == "localhost"  # browsers offer them nowhere else
globals().update(allauth_settings(login_url=LOGIN_URL, is_https=IS_HTTPS, has_passkeys=HAS_PASSKEYS))

SESSION_ENGINE = "accounts.sign_in.session_store"
SESSION_IDLE_HOURS = read_number("SESSION_IDLE_HOURS", 12)  # after which a session ends that nobody uses
SESSION_DAYS = read_number("SESSION_DAYS", 14)  # after which every session ends
RECENT_SIGN_IN_MINUTES = read_number("RECENT_SIGN_IN_MINUTES", 15)  # asked before tokens, roles and the like
SESSION_COOKIE_AGE = SESSION_DAYS * 86_400
SESSION_COOKIE_NAME = "__Host-sessionid" if IS_HTTPS else "sessionid"  # no other host of the domain can set those
CSRF_COOKIE_NAME = "__Host-csrftoken" if IS_HTTPS else "csrftoken"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = IS_HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if IS_HTTPS else 0
SILENCED_SYSTEM_CHECKS = [
    "security.W008",  # the reverse proxy redirects to https; /livez and /metrics are asked by http behind it
    "security.W005",  # what else lives under the domain is not ours to decide
    "security.W021",  # nor is its place in browsers' lists
    "oauth2_provider.W008",  # http redirects lead to the person's own machine only: accounts.oauth.clients
]
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
PASSWORD_HASHERS = [
    "accounts.sign_in.password_hashing.PasswordHasher",
    "accounts.oauth.client_secrets.RandomSecretHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

CONTENT_SECURITY_POLICY = content_policy_settings()

# --- e-mail -------------------------------------------------------------------------------------------------------

EMAIL_URL = read_text("EMAIL_URL", "")  # smtp://user:pw@host:587?tls=starttls
EMAIL_BACKEND = "wire.outgoing.mail_server.EmailBackend"
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = read_text("EMAIL_FROM", f"Instrument Data Service <noreply@{urlsplit(PUBLIC_URL).hostname}>")
globals().update(email_settings(EMAIL_URL))

# --- limits (docs/interface.md, Limits); 0 is none ----------------------------------------------------------------

REQUESTS_PER_SECOND = read_number("REQUESTS_PER_SECOND", 50)  # of one token, for long; heartbeats are not counted
REQUEST_BURST = read_number("REQUEST_BURST", 500)
EVENTS_PER_SECOND = read_number("EVENTS_PER_SECOND", 100)  # of watchers with one token, for long
EVENT_BURST = read_number("EVENT_BURST", 5_000)
BAD_CREDENTIALS_PER_MINUTE = read_number("BAD_CREDENTIALS_PER_MINUTE", 20)  # of one address
SIGN_INS_PER_MINUTE = read_number("SIGN_INS_PER_MINUTE", 10)  # wrong ones, of one address to one account
SIGN_INS_PER_ADDRESS = read_number("SIGN_INS_PER_ADDRESS", 60)  # wrong ones a minute, to whichever accounts
MAX_FILES_PER_RUN = read_number("MAX_FILES_PER_RUN", 0, formerly="MOST_FILES_OF_RUN")
MAX_BYTES_PER_INSTRUMENT_PER_DAY = read_number(
    "MAX_BYTES_PER_INSTRUMENT_PER_DAY", 0, formerly="MOST_BYTES_OF_INSTRUMENT_AND_DAY"
)
DEDUPLICATE = read_flag("DEDUPLICATE", False)  # files of the same bytes share one object (files.shared.objects)

# --- REST ---------------------------------------------------------------------------------------------------------

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "accounts.authentication.BearerAuthentication",
        "accounts.authentication.PersonAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["accounts.permissions.DeclaredAccess"],
    "DEFAULT_PARSER_CLASSES": ["wire.input_gate.StrictJSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "wire.negotiation.JsonNegotiation",
    "DEFAULT_SCHEMA_CLASS": "wire.openapi.ServiceSchema",
    "EXCEPTION_HANDLER": "wire.error_responses.handle_exception",
    "UNAUTHENTICATED_USER": None,
    "URL_FORMAT_OVERRIDE": None,
}
SPECTACULAR_SETTINGS = openapi_settings(public_url=PUBLIC_URL, version=VERSION)

# --- MCP and its OAuth server -----------------------------------------------------------------------------------

MCP_READ_ONLY = read_flag("MCP_READ_ONLY", False)  # leaves out every tool that changes data
MCP_ALLOWED_TOOLS = read_list("MCP_ALLOWED_TOOLS")  # where any are named, all others are left out
OAUTH2_PROVIDER = oauth_settings(issuer=PUBLIC_URL)

# --- the rest -----------------------------------------------------------------------------------------------------

USE_TZ = True
TIME_ZONE = read_text("TIME_ZONE", "UTC")
LANGUAGE_CODE = "en"
USE_I18N = False
FORMAT_MODULE_PATH = "web.formats"
STATIC_URL = "/static/"
WEB_PACKAGES = Path(read_text("WEB_PACKAGES", str(BASE_DIR / "var" / "web")))  # what package-lock.json names for pages
OPENSEADRAGON = WEB_PACKAGES / "node_modules" / "openseadragon" / "build" / "openseadragon"
SERVED_PACKAGES = {
    "openseadragon": OPENSEADRAGON,
    "noble-hashes": WEB_PACKAGES / "node_modules" / "@noble" / "hashes",
}
STATICFILES_DIRS = [(name, folder) for name, folder in SERVED_PACKAGES.items() if folder.is_dir()]
STORAGES: dict[str, dict[str, Any]] = {
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},  # nothing is kept there
    "objects": S3_STORAGE if S3_BUCKET else FILE_STORAGE,  # underneath files.storage
    **REPLICA_STORAGE,
    **COLD_STORAGE,
    "staticfiles": {"BACKEND": "web.static_files.HashedStaticFilesStorage"},
}
WHITENOISE_ALLOW_ALL_ORIGINS = False
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = False
DATA_UPLOAD_MAX_NUMBER_FIELDS = 2_000  # `run=` may come 1,000 times, beside others
DATA_UPLOAD_MAX_MEMORY_SIZE = None  # the dispatcher bounds every body before Django sees it
FIRST_LINK_HOURS = 24
INVITATION_HOURS = 168
PASSWORD_RESET_TIMEOUT = 86_400  # seconds that a link to set a password is good for
PRIVATE_HOSTS = read_list("PRIVATE_HOSTS")  # on private networks, nobody else is called there: wire.outgoing.addresses
WEBHOOK_PRIVATE_HOSTS = read_list("WEBHOOK_PRIVATE_HOSTS")  # likewise, of receivers of events
HEARTBEAT_DAYS = read_number("HEARTBEAT_DAYS", 90)
HEARTBEAT_FULL_DAYS = read_number("HEARTBEAT_FULL_DAYS", 1)
EVENT_DAYS = read_number("EVENT_DAYS", 90)
RELEASE_PUBLIC_KEY = read_public_key("RELEASE_PUBLIC_KEY")  # told to agents at enrolment, which keep it

METRICS_DIR = Path(read_text("METRICS_DIR", str(IDS_DATA / "metrics")))  # on this machine's own disk
METRICS_LISTEN = read_text("METRICS_LISTEN", "")  # where workers answer for a machine without web servers
OTEL_EXPORTER_OTLP_ENDPOINT = read_optional("OTEL_EXPORTER_OTLP_ENDPOINT")  # either of these asks for traces
OTEL_TRACES_EXPORTER = read_text("OTEL_TRACES_EXPORTER", "")
OTEL_SDK_DISABLED = read_flag("OTEL_SDK_DISABLED", False)
SENTRY_DSN = read_optional("SENTRY_DSN")
SLOW_QUERY_MS = read_number("SLOW_QUERY_MS", 500)  # statements that take longer are logged; 0 is none
LOGGING_CONFIG = None
configure_logging(level=read_text("LOG_LEVEL", "INFO"), as_json=read_flag("LOG_JSON", True))

os.environ.setdefault("PGAPPNAME", "ids")
