from django.db import migrations

# A connection that reads which days there are in the very moment that one is attached may keep what it read for good:
# what tells it to look again arrives while it looks, and is taken for answered (PostgreSQL 18: in 11 of 300 gaps that 12
# heartbeats met at once). Changing the table, if only in name, makes this connection and all others look again.
REREAD_DAYS = """
CREATE FUNCTION public.reread_heartbeat_days() RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET lock_timeout = '5s'
AS 'ALTER TABLE ONLY public.watchers_heartbeat ALTER COLUMN received_at SET STATISTICS -1'
"""


class Migration(migrations.Migration):
    dependencies = [("watchers", "0011_trail")]

    operations = [migrations.RunSQL(REREAD_DAYS, "DROP FUNCTION public.reread_heartbeat_days()")]
