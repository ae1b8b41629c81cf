"""The statements by which a table of the trail becomes one of partitions, and by which its parts are listed."""

PARTITIONED_SQL = "SELECT relkind = 'p' FROM pg_class WHERE oid = to_regclass(%s)"
NEWEST_ROW_SQL = 'SELECT max(pgh_created_at) FROM "{table}"'
TRIGGERS_SQL = """
    SELECT tgname, pg_get_triggerdef(oid), obj_description(oid, 'pg_trigger')
      FROM pg_trigger WHERE tgrelid = %s::regclass AND NOT tgisinternal ORDER BY tgname
"""
INDEXES_SQL = """
    SELECT relname, pg_get_indexdef(indexrelid) FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
     WHERE indrelid = %s::regclass AND NOT indisprimary ORDER BY relname
"""
GRANTS_SQL = """
    SELECT DISTINCT COALESCE(NULLIF(acl.grantee, 0)::regrole::text, 'PUBLIC'), acl.privilege_type
      FROM pg_class AS relation, aclexplode(relation.relacl) AS acl
     WHERE relation.oid = %s::regclass AND acl.grantee <> relation.relowner
"""
PARTS_SQL = """
    SELECT child.relname,
           (regexp_match(pg_get_expr(child.relpartbound, child.oid), 'FROM \\(''([^'']+)''\\)'))[1]::timestamptz,
           (regexp_match(pg_get_expr(child.relpartbound, child.oid), 'TO \\(''([^'']+)''\\)'))[1]::timestamptz
      FROM pg_inherits JOIN pg_class AS child ON child.oid = inhrelid
     WHERE inhparent = to_regclass(%s) ORDER BY child.relname
"""
