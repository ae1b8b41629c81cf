"""The benchmark's data set in SQL (docs/performance.md), drawn by hashing row numbers: the same each time.

A skewed laboratory of three years: every fifth run on one instrument, ten files a run on average, one run with a
hundred thousand, claims on three runs of ten with a steep curve of people, one run of twenty-seven not completed.
"""

CREATE_CHANCE = """
    CREATE OR REPLACE FUNCTION pg_temp.chance(n bigint, salt bigint) RETURNS double precision LANGUAGE sql IMMUTABLE AS
    $$ SELECT ((hashint8extended(n, salt) >> 11) & ((1::bigint << 52) - 1)) / (1::bigint << 52)::float8 $$
"""

CREATE_INSTRUMENT_ID = """
    CREATE OR REPLACE FUNCTION pg_temp.instrument_id(n bigint) RETURNS text LANGUAGE sql IMMUTABLE AS
    $$ SELECT 'bench-' || lpad(n::text, greatest(5, length(n::text)), '0') $$
"""

INSERT_INSTRUMENTS = """
    INSERT INTO instruments_instrument
        (id, display_name, status, instrument_type, time_zone, run_count, created_at, updated_at)
    SELECT pg_temp.instrument_id(n), 'Bench ' || n, 'active', 'generic', 'UTC', 0, now(), now()
      FROM generate_series(1, %(instruments)s) AS n
"""

# What is drawn for each run; the tables are filled from here.
DRAW_RUNS = """
    CREATE TEMPORARY TABLE drawn ON COMMIT DROP AS
    WITH timed AS (
        SELECT n, date_trunc('milliseconds', now() - interval '3 years' * (1 - n / %(runs)s::float8)) AS created_at
          FROM generate_series(1, %(runs)s::bigint) AS n
    ), stated AS (
        SELECT n, created_at, n = %(big_run)s AS is_big,
               CASE WHEN n = %(big_run)s THEN 'completed'
                    WHEN pg_temp.chance(n, 1) < 0.010 THEN 'failed'
                    WHEN pg_temp.chance(n, 1) < 0.018 THEN 'detected'
                    WHEN pg_temp.chance(n, 1) < 0.024 THEN 'uploaded'
                    WHEN pg_temp.chance(n, 1) < 0.027 THEN 'processing'
                    WHEN pg_temp.chance(n, 1) < 0.037 THEN 'empty'
                    ELSE 'completed' END AS state
          FROM timed
    )
    SELECT n, created_at, is_big, state,
           (lpad(to_hex((extract(epoch FROM created_at) * 1000)::bigint), 12, '0')
               || '7' || substr(md5(n::text), 1, 3) || '8' || substr(md5(n::text), 4, 15))::uuid AS id,
           pg_temp.instrument_id(CASE WHEN n %% 5 = 0 THEN 1
               ELSE LEAST(%(instruments)s, 2 + floor((%(instruments)s - 1) * power(pg_temp.chance(n, 2), 1.5))::bigint)
               END) AS instrument_id,
           CASE WHEN is_big THEN LEAST(100000, 10 * %(runs)s)
                WHEN state = 'empty' THEN 0
                ELSE LEAST(200, ceil(-10 * ln(1 - pg_temp.chance(n, 3))))::int END AS files,
           pg_temp.chance(n, 4) < 0.01 AND NOT is_big AS is_deleted
      FROM stated
"""

INSERT_FILES = """
    INSERT INTO files_file
        (run_id, filename, relative_path, natural_key, report_kind, category, status, content_type, size_bytes, sha256,
         crc32, storage_bucket, storage_key, upload_id, own, extracted, detected_at, uploaded_at, processing_since,
         processed_at, created_at)
    SELECT id, filename, filename, natural_key, report_kind, 'raw', status, 'application/octet-stream', size,
           hash || hash, substr(hash, 1, 8), 'local', 'runs/' || id || '/' || place || '/' || filename,
           substr(hash, 1, 16), '{}', '{}', created_at,
           CASE WHEN status <> 'detected' THEN created_at END,
           CASE WHEN status = 'processing' THEN processing_since END,
           CASE WHEN status = 'completed' THEN created_at END,
           created_at
      FROM (
        SELECT drawn.id, created_at, place, kind.report_kind,
               stem || place || suffix AS filename,
               stem || lpad(length(place::text)::text, 3, '0') || place || suffix AS natural_key,
               CASE WHEN place = files THEN state ELSE 'completed' END AS status,
               floor(20000000 * power(pg_temp.chance(n * 131 + place, 5), 2))::bigint AS size,
               md5(n || '.' || place) AS hash,
               now() + interval '1 day' * CASE WHEN pg_temp.chance(n, 6) < 0.4 THEN -1 ELSE 1 END AS processing_since
          FROM drawn
          CROSS JOIN LATERAL generate_series(1, files) AS place
          JOIN (VALUES (0, 'image', 'image_', '.png'), (1, '', 'well_', '.csv'), (2, 'pdf', 'page_', '.pdf'),
                       (3, 'spectrum', 'scan_', '.jdx'), (4, '', 'trace_', '.raw'))
               AS kind (number, report_kind, stem, suffix)
            ON kind.number = place %% CASE WHEN is_big THEN 2 ELSE 5 END
      ) AS file
"""

INSERT_CLAIMS = """
    INSERT INTO runs_claim (run_id, user_id, claimed_at)
    SELECT drawn.id, people.id, min(created_at)
      FROM drawn
      CROSS JOIN generate_series(1, 2) AS place
      JOIN (SELECT id, row_number() OVER (ORDER BY email) - 1 AS number FROM accounts_user WHERE email LIKE %(people)s)
           AS people ON people.number = floor(%(users)s * power(pg_temp.chance(n, 10 + place), 2.6))
     WHERE pg_temp.chance(n, 10) < CASE place WHEN 1 THEN 0.30 ELSE 0.03 END
     GROUP BY drawn.id, people.id
"""

INSERT_COMMENTS = """
    INSERT INTO runs_comment (id, run_id, token_id, body, created_at)
    SELECT gen_random_uuid(), id, %(token)s, 'Looks right: ' || md5(n::text), created_at FROM drawn WHERE n %% 10 = 0
"""

COUNT_FILES = """
    CREATE TEMPORARY TABLE counted ON COMMIT DROP AS
    SELECT run_id, count(*) AS files, sum(size_bytes) AS bytes, count(*) FILTER (WHERE status = 'failed') AS failed,
           count(*) FILTER (WHERE status = 'detected') AS pending,
           count(*) FILTER (WHERE status = 'uploaded') AS uploaded,
           count(*) FILTER (WHERE status = 'processing') AS processing,
           count(*) FILTER (WHERE status = 'completed') AS completed, min(processing_since) AS since
      FROM files_file GROUP BY run_id
"""

INSERT_RUNS = """
    INSERT INTO runs_run
        (id, instrument_id, run_id, source, own, extracted, acquired_at, created_at, updated_at, deleted_at,
         deleted_by_token_id, file_count, total_size_bytes, n_failed, n_pending, n_uploaded, n_processing, n_completed,
         processing_since, comment_count, claim_count)
    SELECT id, instrument_id,
           to_char(created_at, 'YYYYMMDD') || '_project-' || floor(100 * n / %(runs)s::float8)
               || CASE WHEN n %% 2 = 0 THEN '_Standard_' ELSE '_x_' END
               || CASE WHEN pg_temp.chance(n, 20) < 20.0 / %(runs)s THEN 'rare_' ELSE '' END || n,
           (ARRAY['watcher', 'watcher', 'watcher', 'worker', 'script'])[1 + n %% 5],
           jsonb_build_object('operator', 'person ' || floor(200 * power(pg_temp.chance(n, 21), 2.6)),
                              'reviewed', pg_temp.chance(n, 22) < 0.5),
           jsonb_build_object('plates', jsonb_build_array('P-' || n / 40, 'Q-' || n / 40 %% 97), 'batch', 'B-' || n / 3,
                              'method', (ARRAY['absorbance', 'fluorescence', 'luminescence', 'kinetics'])
                                            [1 + floor(4 * power(pg_temp.chance(n, 23), 3))::int],
                              'temperature', 20 + floor(20 * pg_temp.chance(n, 24)),
                              'od600', round((3 * pg_temp.chance(n, 27))::numeric, 4))
               || CASE WHEN pg_temp.chance(n, 28) < 0.01
                      THEN jsonb_build_object('ct', round((15 + 20 * pg_temp.chance(n, 29))::numeric, 2),
                                              'measured_on', to_char(created_at, 'YYYY-MM-DD'))
                      ELSE '{}' END,
           CASE WHEN pg_temp.chance(n, 25) > 0.05
               THEN date_trunc('milliseconds', created_at - interval '8 hours' * pg_temp.chance(n, 26)) END,
           created_at, created_at,
           CASE WHEN is_deleted THEN created_at END, CASE WHEN is_deleted THEN %(token)s::uuid END,
           COALESCE(counted.files, 0), COALESCE(bytes, 0), COALESCE(failed, 0), COALESCE(pending, 0),
           COALESCE(uploaded, 0), COALESCE(processing, 0), COALESCE(completed, 0), since,
           CASE WHEN n %% 10 = 0 THEN 1 ELSE 0 END, COALESCE(claims, 0)
      FROM drawn
      LEFT JOIN counted ON counted.run_id = drawn.id
      LEFT JOIN (SELECT run_id, count(*) AS claims FROM runs_claim GROUP BY run_id) AS claimed
        ON claimed.run_id = drawn.id
     ORDER BY n
"""

SEED_STEPS = {
    "chance": CREATE_CHANCE,
    "names": CREATE_INSTRUMENT_ID,
    "instruments": INSERT_INSTRUMENTS,
    "draw": DRAW_RUNS,
    "files": INSERT_FILES,
    "claims": INSERT_CLAIMS,
    "comments": INSERT_COMMENTS,
    "count": COUNT_FILES,
    "runs": INSERT_RUNS,
}
