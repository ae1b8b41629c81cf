#!/bin/sh
# Once, before the first `docker compose -f deploy/compose.yaml up`: the files of secrets that it reads, in deploy/local.
# What is there already stays.   sh deploy/compose.sh [PUBLIC_URL]
set -eu
umask 077
cd "$(dirname "$0")"
[ ! -e local ] || { echo "deploy/local is there already: remove it to begin anew." >&2; exit 1; }
make_secret() { head -c 48 /dev/urandom | base64 | tr -d '+/=\n'; }
app=$(make_secret) owner=$(make_secret) queue=$(make_secret)
mkdir local.part
cat > local.part/ids.env <<ENV
SECRET_KEY=$(make_secret)
PUBLIC_URL=${1:-http://localhost:8080}
DATABASE_URL=postgresql://ids_app:$app@database/ids
REDIS_URL=redis://ids:$queue@queue/0
ENV
echo "DATABASE_OWNER_URL=postgresql://ids_owner:$owner@database/ids" > local.part/owner.env
printf 'POSTGRES_PASSWORD=%s\nIDS_APP_PASSWORD=%s\nIDS_OWNER_PASSWORD=%s\n' "$(make_secret)" "$app" "$owner" > local.part/database.env
sed "s/>PASSWORD/>$queue/" valkey.acl > local.part/valkey.acl
chmod 644 local.part/valkey.acl  # read by the queue's own user in its container; deploy/local lets nobody else in
mv local.part local
echo "deploy/local is made. Next: docker compose -f deploy/compose.yaml up --build"
