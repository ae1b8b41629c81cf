from django.db import migrations

# online: a function that the release before does not call

# The service runs under a role that does not own the tables: this lends it the owner's right, for months only.
# A month is made beside the table and then attached, which holds up nobody who writes.
ADD_MONTHS = """
CREATE FUNCTION public.add_trail_months(first_month date, months integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET lock_timeout = '5s' AS $$
DECLARE
    trail text;
    month date;
    partition text;
    altering record;
    added integer := 0;
BEGIN
    IF months NOT BETWEEN 1 AND 24 THEN
        RAISE EXCEPTION 'months must be 1 to 24';
    END IF;
    FOR trail IN
        SELECT relname FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attname = 'pgh_created_at'
         WHERE relkind = 'p' AND relnamespace = 'public'::regnamespace ORDER BY relname
    LOOP
        FOR month IN SELECT date_trunc('month', first_month) + n * interval '1 month'
                       FROM generate_series(0, months - 1) AS n LOOP
            partition := trail || '_' || to_char(month, 'YYYYMM');
            CONTINUE WHEN to_regclass('public.' || quote_ident(partition)) IS NOT NULL;
            BEGIN
                EXECUTE format('LOCK TABLE public.%I IN SHARE UPDATE EXCLUSIVE MODE', trail);
                CONTINUE WHEN to_regclass('public.' || quote_ident(partition)) IS NOT NULL;
                EXECUTE format('CREATE TABLE public.%I (LIKE public.%I INCLUDING ALL)', partition, trail);
                EXECUTE format('ALTER TABLE public.%I ADD PRIMARY KEY (pgh_id)', partition);
                FOR altering IN
                    SELECT COALESCE(NULLIF(acl.grantee, 0)::regrole::text, 'PUBLIC') AS grantee
                      FROM pg_class AS relation, aclexplode(relation.relacl) AS acl
                     WHERE relation.oid = to_regclass('public.' || quote_ident(partition))
                       AND acl.grantee <> relation.relowner
                LOOP
                    EXECUTE format('REVOKE ALL ON public.%I FROM %s', partition, altering.grantee);
                END LOOP;
                EXECUTE format(
                    'ALTER TABLE public.%I ATTACH PARTITION public.%I FOR VALUES FROM (%L) TO (%L)', trail, partition,
                    to_char(month, 'YYYY-MM-DD') || ' 00:00:00+00',
                    to_char(month + interval '1 month', 'YYYY-MM-DD') || ' 00:00:00+00'
                );
                added := added + 1;
            EXCEPTION WHEN invalid_object_definition OR check_violation THEN
                NULL;  -- the part of earlier months has it, or rows of it are where what has no month is kept
            END;
        END LOOP;
    END LOOP;
    RETURN added;
END $$
"""


class Migration(migrations.Migration):
    dependencies = [("accounts", "0007_trail_seals")]

    operations = [migrations.RunSQL(ADD_MONTHS, "DROP FUNCTION public.add_trail_months(date, integer)")]
