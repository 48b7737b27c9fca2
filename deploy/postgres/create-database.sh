#!/usr/bin/env bash
# Creates the login of Guildbook, its role of background work and its database, on the server of the PG* variables.
# Run it as an administrator of that server. The password is in the file DATABASE_PASSWORD_FILE.
set -euo pipefail

name=${DATABASE_NAME:-guildbook}
password=$(cat "${DATABASE_PASSWORD_FILE:-/run/secrets/database_password}")
# The image of PostgreSQL runs this with the name of its administrator.
export PGUSER=${POSTGRES_USER:-${PGUSER:-postgres}}
# Not as an argument, which other processes can read. psql quotes it.
export password

psql --no-psqlrc --set=ON_ERROR_STOP=1 --set=name="$name" --dbname=postgres <<'SQL'
\getenv password password
CREATE ROLE :"name" LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD :'password';
SELECT :'name' || '_worker' AS worker \gset
CREATE ROLE :"worker" NOLOGIN;
GRANT :"worker" TO :"name";
CREATE DATABASE :"name" OWNER :"name";
REVOKE ALL ON DATABASE :"name" FROM PUBLIC;
SQL
