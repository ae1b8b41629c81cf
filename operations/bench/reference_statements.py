"""Hand-written statements for what the service answers: the partners of its measures, and the body of the floor."""

FIND_TOKEN = """
    SELECT id, prefix, name, scopes, instrument_ids, created_by_id, created_at, expires_at, last_used_at, revoked_at
      FROM accounts_token WHERE digest = %s
"""
COUNT_RUNS = "SELECT COALESCE(sum(run_count), 0) FROM instruments_instrument"
LIST_RUNS = """
    SELECT run.id, run.instrument_id, instrument.display_name, instrument.instrument_type, run.run_id, run.source,
           run.watcher_id, run.metadata, run.acquired_at, run.created_at, run.updated_at, run.deleted_at,
           person.id, person.display_name, token.id, token.name,
           (SELECT COALESCE(jsonb_agg(jsonb_build_object('id', claim.user_id, 'display_name', claimant.display_name,
                                                         'claimed_at', claim.claimed_at)), '[]')
              FROM runs_claim AS claim JOIN accounts_user AS claimant ON claimant.id = claim.user_id
             WHERE claim.run_id = run.id),
           run.status, run.processing_since, run.file_count, run.total_size_bytes, run.comment_count
      FROM (SELECT id FROM runs_run WHERE deleted_at IS NULL ORDER BY happened_at DESC, id DESC LIMIT 20) AS page
      JOIN runs_run AS run USING (id)
      JOIN instruments_instrument AS instrument ON instrument.id = run.instrument_id
      LEFT JOIN accounts_user AS person ON person.id = run.deleted_by_id
      LEFT JOIN accounts_token AS token ON token.id = run.deleted_by_token_id
     ORDER BY run.happened_at DESC, run.id DESC
"""
COUNT_ITEMS = """
    SELECT count(*) FROM files_file WHERE run_id = %(run)s AND report_kind = 'image'
       AND deleted_at IS NULL AND uploaded_at IS NOT NULL
"""
FIND_ITEM_POSITION = """
    SELECT count(*) FROM files_file WHERE run_id = %(run)s AND report_kind = 'image'
       AND deleted_at IS NULL AND uploaded_at IS NOT NULL
       AND (natural_key, id) < (SELECT natural_key, id FROM files_file WHERE id = %(anchor)s)
"""
LIST_ITEMS = """
    SELECT id, filename FROM files_file WHERE run_id = %(run)s AND report_kind = 'image'
       AND deleted_at IS NULL AND uploaded_at IS NOT NULL
     ORDER BY natural_key, id OFFSET %(offset)s LIMIT 50
"""
RECORD_HEARTBEAT = """
    WITH watcher AS (
        UPDATE watchers_watcher
           SET last_heartbeat_at = GREATEST(last_heartbeat_at, %(at)s), updated_at = %(at)s, status = %(status)s,
               agent_version = %(agent_version)s, upload_mode = %(upload_mode)s
         WHERE id = %(watcher)s AND deleted_at IS NULL
     RETURNING id, config_checksum
    ), history AS (
        INSERT INTO watchers_heartbeat (received_at, watcher_id, queue_depth, status, upload_mode, agent_version)
        SELECT %(at)s, id, %(queue_depth)s, %(status)s, %(upload_mode)s, %(agent_version)s FROM watcher
    )
    SELECT config_checksum FROM watcher
"""
