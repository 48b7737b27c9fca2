# Finds a PostgreSQL server for the tests, in this order: TEST_DATABASE_URL; a temporary server without fsync, which is
# removed at the end; port 5432 of this machine, started if it is down. Installs PostgreSQL if it is missing.

own_server=''
own_url=''
QUICK_WRITES='-c fsync=off -c full_page_writes=off -c synchronous_commit=off -c wal_level=minimal -c max_wal_senders=0'
QUICK_WRITES+=' -c checkpoint_timeout=1h -c max_wal_size=4GB -c jit=off'

as_root() {
  if ((EUID == 0)); then "$@"; else sudo "$@"; fi
}

install_packages() {
  as_root apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

# run_sql URL STATEMENT…
run_sql() {
  node --input-type=module - "$@" <<'JS'
import pg from 'pg';
const [url, ...statements] = process.argv.slice(2);
const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
await client.connect();
for (const statement of statements) await client.query(statement);
await client.end();
JS
}

is_reachable() {
  run_sql "$1" 'SELECT 1' >/dev/null 2>&1
}

newest_binaries() {
  find /usr/lib/postgresql -maxdepth 2 -name bin 2>/dev/null | sort -V | tail -n 1
}

start_machine_server() {
  local version
  version=$(basename "$(dirname "$(newest_binaries)")")
  as_root pg_ctlcluster --skip-systemctl-redirect "$version" main start 2>/dev/null || return 0
}

free_port() {
  node -e 'const server = require("node:net").createServer().listen(0, "127.0.0.1", () => {
    console.log(server.address().port);
    server.close();
  });'
}

# The server needs no password and listens on this machine only. It writes little and without fsync: the tests make
# hundreds of databases, and none outlives the run. PostgreSQL refuses to run as root. Sets own_server and own_url.
start_own_server() {
  local binaries port
  binaries=$(newest_binaries)
  port=$(free_port)
  own_server=$(mktemp -d -p "$(node scripts/test/quick-folder.mjs)" guildbook-postgresql-XXXXXX)
  chmod 755 "$own_server"
  as_postgres() { "$@"; }
  if ((EUID == 0)); then
    chown postgres "$own_server"
    as_postgres() { runuser -u postgres -- "$@"; }
  fi
  own_url=postgresql://postgres@127.0.0.1:$port/postgres
  (
    cd "$own_server"
    as_postgres "$binaries/initdb" --pgdata=data --username=postgres --auth=trust --no-sync >/dev/null
    as_postgres "$binaries/pg_ctl" --pgdata=data --wait --log=log \
      --options="-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories='' $QUICK_WRITES" start >/dev/null
  )
}

stop_own_server() {
  if [[ -z $own_server ]]; then return; fi
  as_postgres "$(newest_binaries)/pg_ctl" --pgdata="$own_server/data" --mode=immediate stop >/dev/null || true
  rm -rf "$own_server"
  own_server=''
}

# Sets server_url.
find_server() {
  server_url=${TEST_DATABASE_URL:-}
  if [[ -n $server_url ]]; then
    is_reachable "$server_url" || { echo 'The server in TEST_DATABASE_URL does not answer.' >&2; return 1; }
    return
  fi
  [[ -n $(newest_binaries) ]] || install_packages postgresql
  server_url=postgresql://postgres@127.0.0.1:5432/postgres
  if start_own_server && is_reachable "$own_url"; then server_url=$own_url; return; fi
  stop_own_server
  is_reachable "$server_url" || start_machine_server
  is_reachable "$server_url"
}

# Creates an empty database for this run and sets TEST_DATABASE_URL to it.
fresh_database() {
  find_server
  run_sql "$server_url" 'DROP DATABASE IF EXISTS guildbook_ci WITH (FORCE)' 'CREATE DATABASE guildbook_ci'
  TEST_DATABASE_URL=$(node -p 'const url = new URL(process.argv[1]); url.pathname = "/guildbook_ci"; url.href' "$server_url")
  export TEST_DATABASE_URL
}
