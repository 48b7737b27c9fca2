#!/usr/bin/env bash
# Writes the secrets of compose.yaml into deploy/secrets. Keeps those that exist, so that running it again is safe.
set -euo pipefail

FOLDER=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/secrets
install --directory --mode=0700 "$FOLDER"
cd "$FOLDER"

# The folder is closed. The files in it are not, because Compose mounts each with its mode, and the users in the
# containers are others than the one here.
umask 022

random() { openssl rand -hex 24; }
make() { [ -s "$1" ] || { "${@:2}" >"$1.part" && mv "$1.part" "$1"; }; }
address() { printf 'postgresql://guildbook:%s@database:5432/guildbook\n' "$(cat database-password)"; }
admin_token() { printf 'gbo_%s\n' "$(random)"; }

make postgres-password random
make database-password random
make database-url address
make admin-token admin_token
make journal-key.pem openssl genpkey -algorithm ed25519
echo "The secrets are in $FOLDER."
