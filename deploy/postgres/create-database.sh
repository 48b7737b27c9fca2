#!/usr/bin/env bash
# Creates the login of Guildbook, its role of background work and its database. Run it as an administrator of the
# server of the PG* variables. Refuses if the database exists.
#
#   DATABASE_NAME           name of the database and of the login (guildbook)
#   DATABASE_PASSWORD_FILE  file with the password of the login (/run/secrets/database_password); - is standard input
set -euo pipefail

name=${DATABASE_NAME:-guildbook}
# By the environment, because other processes can read arguments.
password=$(cat "${DATABASE_PASSWORD_FILE:-/run/secrets/database_password}")
export password
# The image of PostgreSQL runs this script with the name of its administrator.
export PGUSER=${POSTGRES_USER:-${PGUSER:-postgres}}

run() { psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --set=name="$name" --dbname=postgres "$@"; }

existing=$(run --no-align --tuples-only <<<"SELECT datname FROM pg_database WHERE datname = :'name'")
if [ -n "$existing" ]; then
  echo "The database $name exists. Drop it, or choose another name: DATABASE_NAME=guildbook_2" >&2
  exit 1
fi

run <<'SQL'
\getenv password password
SELECT format('CREATE ROLE %I', :'name') WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = :'name') \gexec
ALTER ROLE :"name" LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD :'password';
SELECT :'name' || '_worker' AS worker \gset
SELECT format('CREATE ROLE %I NOLOGIN', :'worker') WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = :'worker') \gexec
GRANT :"worker" TO :"name";
CREATE DATABASE :"name" OWNER :"name";
REVOKE ALL ON DATABASE :"name" FROM PUBLIC;
SQL
