#!/bin/sh
# For deploy/compose.yaml, after roles.sql: the passwords of local/database.env. psql quotes them, and no command line has them.
set -eu
psql --username "${POSTGRES_USER:-postgres}" --set ON_ERROR_STOP=1 <<'SQL'
\getenv app IDS_APP_PASSWORD
\getenv owner IDS_OWNER_PASSWORD
ALTER ROLE ids_app PASSWORD :'app';
ALTER ROLE ids_owner PASSWORD :'owner';
SQL
