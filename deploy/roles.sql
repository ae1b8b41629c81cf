-- The two roles and the database, once, as a superuser: psql -f roles.sql. Then give both a password:
-- \password ids_owner, \password ids_app. Neither is a superuser, and pg_hba.conf should say scram-sha-256, never trust.
CREATE ROLE ids_owner LOGIN;
CREATE ROLE ids_app LOGIN;
ALTER ROLE ids_app SET timezone = 'UTC';
ALTER ROLE ids_app SET client_connection_check_interval = '5s'; -- a query that was given up ends
CREATE DATABASE ids OWNER ids_owner ENCODING 'UTF8' TEMPLATE template0;
\connect ids
-- What the owner makes the service may use, and the owner takes back what must not be altered (the audit trail).
ALTER SCHEMA public OWNER TO ids_owner;
GRANT USAGE ON SCHEMA public TO ids_app;
ALTER DEFAULT PRIVILEGES FOR ROLE ids_owner GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO ids_app;
ALTER DEFAULT PRIVILEGES FOR ROLE ids_owner GRANT USAGE, SELECT, UPDATE ON SEQUENCES TO ids_app;
