"""The one settings file. Everything comes from the environment; every reader is typed; no secret is guessed."""

import os
from pathlib import Path
from urllib.parse import urlsplit

from kombu.entity import Queue

from config.broker import CONNECT_SECONDS, TRANSPORT_OPTIONS, broker_url
from config.environment import flag, listed, number, optional, required_secret, text
from config.logs import logging_config
from config.postgres_url import database_settings
from config.schedule import QUEUES, ROUTES, SCHEDULE

BASE_DIR = Path(__file__).resolve().parent.parent
IDS_DATA = Path(text("IDS_DATA", str(BASE_DIR / "var"))).resolve()

DEBUG = flag("DEBUG", False)
SECRET_KEY = required_secret("SECRET_KEY", debug=DEBUG)

PUBLIC_URL = text("PUBLIC_URL", "http://127.0.0.1:8000").rstrip("/")
IS_HTTPS = urlsplit(PUBLIC_URL).scheme == "https"
ALLOWED_HOSTS = sorted(
    {urlsplit(PUBLIC_URL).hostname or "", "localhost", "127.0.0.1", "[::1]", *listed("ALLOWED_HOSTS")} - {""}
)
CSRF_FAILURE_VIEW = "config.refusal_pages.csrf_failure"
CSRF_TRUSTED_ORIGINS = [f"{urlsplit(PUBLIC_URL).scheme}://{urlsplit(PUBLIC_URL).netloc}"]

INSTALLED_APPS = [
    "django.contrib.admin",
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
    "allauth.socialaccount",
    "oauth2_provider",
    "config",
    "wire",
    "accounts",
    "instruments",
    "watchers",
    "runs",
    "files",
    "archives",
    "processing",
    "notifications",
    "feedback",
    "overview",
    "mcp_server",
]

MIDDLEWARE = [
    "config.middleware.RequestLog",
    "config.middleware.ApiEnvelope",
    "config.middleware.RoomForWrites",
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "config.static_files.StaticFiles",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
APPEND_SLASH = False

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    }
]

# --- database, cache, queue ---------------------------------------------------------------------------------------

WEB_THREADS = number("WEB_THREADS", 8)
DATABASE_SECONDS = number("DATABASE_SECONDS", 15)  # after which a silent database is 503; workers wait for ever
DATABASES = {"default": database_settings(text("DATABASE_URL", "postgresql:///ids"), pool_size=WEB_THREADS + 8)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

REDIS_URL = optional("REDIS_URL")
CACHES = {
    "default": (
        {
            "BACKEND": "config.cache.OpenRedisCache",
            "LOCATION": REDIS_URL,
            "KEY_PREFIX": "ids",
            "OPTIONS": {"socket_timeout": 0.3, "socket_connect_timeout": 0.3},
        }
        if REDIS_URL
        else {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
    )
}

CELERY_BROKER_URL = broker_url(REDIS_URL)
CELERY_BROKER_TRANSPORT_OPTIONS = TRANSPORT_OPTIONS
CELERY_BROKER_CONNECTION_TIMEOUT = CONNECT_SECONDS
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None  # a worker waits for its broker, however long
CELERY_TASK_PUBLISH_RETRY = False
CELERY_TASK_QUEUES = [Queue(name) for name in QUEUES]
CELERY_TASK_DEFAULT_QUEUE = QUEUES[0]
CELERY_TASK_ROUTES = ROUTES
CELERY_BEAT_SCHEDULE = SCHEDULE
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = False  # jobs hold leases; the row decides, not the broker

# --- jobs (archives, processing) ----------------------------------------------------------------------------------

JOB_LEASE_SECONDS = number("JOB_LEASE_SECONDS", 30)  # a job whose worker is silent for so long is taken over
ARCHIVE_WORKER_URL = text("ARCHIVE_WORKER_URL", "")
ARCHIVE_WORKER_SECRET = required_secret("ARCHIVE_WORKER_SECRET", debug=not ARCHIVE_WORKER_URL)

# --- object storage -----------------------------------------------------------------------------------------------

OBJECT_STORE = (
    {
        "kind": "s3",
        "bucket": text("S3_BUCKET", ""),
        "endpoint_url": optional("S3_ENDPOINT_URL"),
        "public_endpoint_url": optional("S3_PUBLIC_ENDPOINT_URL"),
        "region": optional("S3_REGION"),
        "access_key_id": optional("S3_ACCESS_KEY_ID"),
        "secret_access_key": optional("S3_SECRET_ACCESS_KEY"),
    }
    if optional("S3_BUCKET")
    else {"kind": "local", "bucket": "local", "root": IDS_DATA / "objects"}
)
KEEPS_DATA_HERE = OBJECT_STORE["kind"] == "local" or DATABASES["default"]["HOST"].startswith(str(IDS_DATA))

# --- people, sign-in, sessions ------------------------------------------------------------------------------------

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
OIDC_ISSUER = text("OIDC_ISSUER", "")
OIDC_NAME = text("OIDC_NAME", "your organisation") if OIDC_ISSUER else ""  # as the button of the sign-in page says it
OIDC_ALLOWED_DOMAINS = [domain.lower().removeprefix("@") for domain in listed("OIDC_ALLOWED_DOMAINS")]
ADMIN_EMAILS = [email.lower() for email in listed("ADMIN_EMAILS")]
LOGIN_URL = "/accounts/login/"
LOGIN_REDIRECT_URL = "/"
ACCOUNT_ADAPTER = "accounts.adapters.AccountAdapter"
SOCIALACCOUNT_ADAPTER = "accounts.adapters.SocialAccountAdapter"
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_USER_DISPLAY = "accounts.members.display_name_of"
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_LOGOUT_REDIRECT_URL = LOGIN_URL
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_RATE_LIMITS = False  # accounts.attempts counts by address and account, never by address alone
SOCIALACCOUNT_EMAIL_AUTHENTICATION = False
SOCIALACCOUNT_STORE_TOKENS = False
SOCIALACCOUNT_LOGIN_ON_GET = True
SOCIALACCOUNT_PROVIDERS = {
    "oidc": {
        "APPS": [
            {
                "client_id": text("OIDC_CLIENT_ID", ""),
                "secret": text("OIDC_CLIENT_SECRET", ""),
                "name": OIDC_NAME,
                "settings": {"server_url": OIDC_ISSUER.rstrip("/")},
            }
        ]
        if OIDC_ISSUER
        else []
    }
}

SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = IS_HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if IS_HTTPS else 0
SILENCED_SYSTEM_CHECKS = [
    "security.W008",  # the reverse proxy redirects to https; /livez and /metrics are asked by http behind it
    "security.W005",  # what else lives under the domain is not ours to decide
    "security.W021",  # nor is its place in browsers' lists
    "oauth2_provider.W008",  # http redirects lead to the person's own machine only: accounts.oauth_clients
]
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "form-action": ["'self'"],
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
    }
}

# --- limits (contract section 1); 0 is none -----------------------------------------------------------------------

REQUESTS_PER_SECOND = number("REQUESTS_PER_SECOND", 50)  # of one token, for long; heartbeats are not counted
REQUEST_BURST = number("REQUEST_BURST", 500)
BAD_CREDENTIALS_PER_MINUTE = number("BAD_CREDENTIALS_PER_MINUTE", 20)  # of one address
SIGN_INS_PER_MINUTE = number("SIGN_INS_PER_MINUTE", 10)  # wrong ones, of one address to one account
MOST_FILES_OF_RUN = number("MOST_FILES_OF_RUN", 0)
MOST_BYTES_OF_INSTRUMENT_AND_DAY = number("MOST_BYTES_OF_INSTRUMENT_AND_DAY", 0)

# --- REST ---------------------------------------------------------------------------------------------------------

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "accounts.authentication.BearerAuthentication",
        "accounts.authentication.PersonAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["accounts.permissions.DeclaredAccess"],
    "DEFAULT_PARSER_CLASSES": ["wire.gate.StrictJSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_SCHEMA_CLASS": "wire.openapi.ServiceSchema",
    "EXCEPTION_HANDLER": "wire.refusals.answer_exception",
    "UNAUTHENTICATED_USER": None,
    "URL_FORMAT_OVERRIDE": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Instrument Data Service",
    "DESCRIPTION": (BASE_DIR / "config" / "api.md").read_text(),
    "VERSION": "1.0.0",
    "OAS_VERSION": "3.1.1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "SCHEMA_PATH_PREFIX_TRIM": True,
    "SERVERS": [{"url": f"{PUBLIC_URL}/api/v1"}],
    "TAGS": [
        {"name": "Instruments", "description": "The machines of the lab."},
        {"name": "Runs", "description": "What instruments did: found, read, claimed, deleted and restored."},
        {"name": "Comments", "description": "What people and scripts say about a run, in markdown."},
        {"name": "Files", "description": "What a run left behind: records, downloads, report items."},
        {"name": "Uploads", "description": "How bytes come in: signed URLs, whole or in parts."},
        {"name": "Watchers", "description": "The agents on the instruments' computers."},
        {"name": "Archives", "description": "A run's files as one ZIP, built in the background."},
        {"name": "Notifications", "description": "Short messages to people."},
        {"name": "Search", "description": "Everything that has a name, at once."},
        {"name": "System", "description": "How the service does, and who is asking."},
    ],
    "PATH_CONVERTER_OVERRIDES": {
        "slug_id": {"type": "string", "pattern": "^[a-z0-9-]{1,64}$"},
        "run_id": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": r"^[^/\\]+$"},
        "file_id": {"type": "integer", "format": "int64", "minimum": 1},
        "id": {"type": "string", "format": "uuid"},
    },
    "SORT_OPERATIONS": False,
    "SORT_OPERATION_PARAMETERS": False,
    "ENUM_NAME_OVERRIDES": {
        "InstrumentStatus": "instruments.models.InstrumentStatus",
        "RunStatus": "runs.status.RunStatus",
        "RunSource": "runs.models.RunSource",
        "FileStatus": "files.models.FileStatus",
        "FileCategory": "files.models.FileCategory",
        "ArchiveStatus": "archives.models.ArchiveStatus",
        "WatcherStatus": "watchers.status.SHOWN_STATUSES",
        "ReportedStatus": "watchers.vocabulary.WatcherStatus",
        "UploadMode": "watchers.vocabulary.UploadMode",
        "EventType": "watchers.vocabulary.EventType",
        "Channel": "watchers.vocabulary.Channel",
    },
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "PREPROCESSING_HOOKS": ["wire.openapi.public_operations"],
    "POSTPROCESSING_HOOKS": ["drf_spectacular.hooks.postprocess_schema_enums", "wire.openapi.complete_document"],
}

# --- MCP and its OAuth server -----------------------------------------------------------------------------------

MCP_READ_ONLY = flag("MCP_READ_ONLY", False)  # leaves out every tool that changes data
MCP_ALLOWED_TOOLS = listed("MCP_ALLOWED_TOOLS")  # where any are named, all others are left out
OAUTH2_PROVIDER = {
    "SCOPES": {"read": "Read what the lab's instruments produced", "write": "Change data in your name"},
    "DEFAULT_SCOPES": ["read"],
    "OIDC_ISS_ENDPOINT": PUBLIC_URL,  # the issuer, whatever Host a request names
    "OAUTH2_VALIDATOR_CLASS": "accounts.oauth_server.Validator",
    "ACCESS_TOKEN_EXPIRE_SECONDS": 3_600,
    "REFRESH_TOKEN_EXPIRE_SECONDS": 30 * 86_400,
    "ROTATE_REFRESH_TOKEN": True,
    "REFRESH_TOKEN_REUSE_PROTECTION": True,
    "PKCE_REQUIRED": True,
    "ALLOWED_REDIRECT_URI_SCHEMES": ["https", "http", "cursor", "vscode", "vscode-insiders"],
    "ALLOW_LOCALHOST_LOOPBACK": True,
    "OAUTH2_RESPONSE_TYPES_SUPPORTED": ["code"],
    "OAUTH2_GRANT_TYPES_SUPPORTED": ["authorization_code", "refresh_token"],
    "OAUTH2_TOKEN_ENDPOINT_AUTH_METHODS_SUPPORTED": ["none", "client_secret_basic", "client_secret_post"],
    "DCR_ENABLED": True,
    "DCR_REGISTRATION_PERMISSION_CLASSES": ["oauth2_provider.dcr.AllowAllDCRPermission"],
    "DCR_REGISTRATION_TOKEN_EXPIRE_SECONDS": 30 * 86_400,
    "CIMD_ENABLED": True,
    "CIMD_METADATA_FETCHER": "accounts.oauth_clients.MetadataFetcher",
    "CIMD_REGISTRATION_PERMISSION_CLASSES": ["accounts.oauth_clients.FewFetches"],
    "COMPLIANT_BCP_RFC9700_IMPLICIT_GRANT": True,
    "COMPLIANT_BCP_RFC9700_PASSWORD_GRANT": True,
    "COMPLIANT_BCP_RFC9700_PKCE_METHOD": True,
    "COMPLIANT_BCP_RFC9700_ACCESS_TOKEN_TRANSPORT": True,
    "COMPLIANT_BCP_RFC9700_AUTHZ_RESPONSE_ISS": True,
    "COMPLIANT_BCP_RFC9700_TOKEN_STORAGE": True,
    "COMPLIANT_BCP_RFC9700_REFRESH_TOKEN": True,
    "COMPLIANT_BCP_RFC9700_REDIRECT_URI_MATCHING": True,
    "COMPLIANT_BCP_RFC9700_PKCE_REQUIRED": True,
}

# --- the rest -----------------------------------------------------------------------------------------------------

USE_TZ = True
TIME_ZONE = text("TIME_ZONE", "UTC")
LANGUAGE_CODE = "en"
USE_I18N = False
STATIC_URL = "/static/"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},  # nothing is kept there: see files.storage
    "staticfiles": {"BACKEND": "config.static_files.HashedNames"},
}
WHITENOISE_ALLOW_ALL_ORIGINS = False
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = False
DATA_UPLOAD_MAX_MEMORY_SIZE = None  # the dispatcher bounds every body before Django sees it
FIRST_LINK_HOURS = 24
HEARTBEAT_DAYS = number("HEARTBEAT_DAYS", 14)
EVENT_DAYS = number("EVENT_DAYS", 90)
VERSION = "0.1.0"

METRICS_DIR = Path(text("METRICS_DIR", str(IDS_DATA / "metrics")))  # on this machine's own disk
LOGGING_CONFIG = None
logging_config(level=text("LOG_LEVEL", "INFO"), as_json=flag("LOG_JSON", True))

os.environ.setdefault("PGAPPNAME", "ids")
