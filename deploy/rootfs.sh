#!/usr/bin/env bash
# Builds the root filesystem of the image from deploy/Containerfile without a container engine, and runs it.
# Needs root, debootstrap, Node.js and npm, on Debian or a relative of it.
#
#   deploy/rootfs.sh build <package.tgz> <folder> [<images>]
#       Writes the root filesystem to <folder>/root. Keeps Debian and Node.js in <images> for the next build.
#   deploy/rootfs.sh run <folder> <volume> [NAME=value …] [-- argument …]
#       Like docker run --read-only --tmpfs /tmp --cap-drop=ALL --network=host, with <volume> for /var/lib/guildbook.
set -euo pipefail

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
RELEASE=bookworm

fail() { echo "rootfs.sh: $*" >&2; exit 1; }

# The words of a JSON array, as in ENTRYPOINT ["a", "b"], separated by NUL.
words_of() { node -e 'process.stdout.write(JSON.parse(process.argv[1]).map((word) => word + "\0").join(""))' "$1"; }

# --- The images that the Containerfile starts from -------------------------------------------------------------------

# The mirror that this machine installs from.
debian_mirror() {
  local mirror
  mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
    sed -nE 's#^(URIs:|deb( \[[^]]*\])?) +(https?://[^ ]+/debian)/?( .*)?$#\3#p' | head -n 1)
  [ -n "$mirror" ] || fail "no Debian mirror in /etc/apt/sources.list; add one, or build with a container engine"
  echo "$mirror"
}

make_base_image() {
  debootstrap --variant=minbase "$RELEASE" "$1" "$(debian_mirror)" >"$1.log" 2>&1 ||
    fail "debootstrap failed: $(tail -n 3 "$1.log")"
}

# Debian with Node.js 24 and npm in /usr/local, as the image node:24-bookworm-slim has them.
make_node_image() {
  local base=$1 root=$2 arch
  case $(uname -m) in
    x86_64) arch=x64 ;;
    aarch64) arch=arm64 ;;
    *) fail "no Node.js on npm for $(uname -m); build with a container engine" ;;
  esac
  cp --archive "$base" "$root"
  npm install --no-save --no-audit --no-fund --ignore-scripts --loglevel=error --prefix "$root.npm" \
    "node-linux-$arch@24" npm@11 >"$root.log" 2>&1 || fail "Node.js cannot be installed from npm: $(tail -n 3 "$root.log")"
  install -D "$root.npm/node_modules/node-linux-$arch/bin/node" "$root/usr/local/bin/node"
  mkdir --parents "$root/usr/local/lib/node_modules"
  cp --archive "$root.npm/node_modules/npm" "$root/usr/local/lib/node_modules/npm"
  ln --symbolic ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
  rm --recursive --force "$root.npm"
}

# --- The instructions of the Containerfile ---------------------------------------------------------------------------

declare -A ARGS=() STAGES=()
ENVIRONMENT=()
STAGE='' WORKDIR=/ IMAGE_USER=0:0 ENTRYPOINT='[]' COMMAND='[]' HEALTHCHECK='[]'

# Replaces ${NAME} by the build argument of that name.
expand() {
  local text=$1 name
  for name in "${!ARGS[@]}"; do text=${text//"\${$name}"/${ARGS[$name]}}; done
  echo "$text"
}

# RUN reaches the network as this machine does: its resolver, its certificates, its registry and proxies.
run_in_stage() {
  local setting passed=()
  for setting in http_proxy https_proxy no_proxy; do
    [ -z "${!setting:-}" ] || passed+=("$setting=${!setting}")
  done
  passed+=("npm_config_registry=$(npm config get registry)")
  [ ! -f /etc/ssl/certs/ca-certificates.crt ] || passed+=(NODE_EXTRA_CA_CERTS=/run/build/ca-certificates.crt)
  # The mounts end with their namespace.
  # shellcheck disable=SC2016
  unshare --mount --pid --fork --kill-child bash -euc '
    root=$1 command=$2
    shift 2
    mount --make-rprivate /
    mount -t proc proc "$root/proc"
    mount -t tmpfs tmpfs "$root/run"
    mkdir "$root/run/build"
    cp /etc/ssl/certs/ca-certificates.crt "$root/run/build/" 2>/dev/null || true
    for file in /etc/resolv.conf /etc/hosts; do
      touch "$root$file"
      mount --bind "$file" "$root$file"
    done
    exec chroot "$root" /usr/bin/env --ignore-environment "$@" /bin/sh -c "$command"
  ' bash "$STAGE" "$1" PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
    ${ENVIRONMENT[@]+"${ENVIRONMENT[@]}"} "${passed[@]}" || fail "RUN $1 failed"
}

copy_into_stage() {
  local context=$1 from=$1 words
  read -r -a words <<<"$2"
  if [[ ${words[0]} == --from=* ]]; then
    from=${STAGES[${words[0]#--from=}]:?}
    words=("${words[@]:1}")
  fi
  [[ ${words[0]} != --* && ${#words[@]} = 2 ]] || fail "COPY $2: only --from, one source and one target are known"
  local target=$STAGE${words[1]} sources=()
  mapfile -t sources < <(compgen -G "$from/${words[0]#/}")
  [ "${#sources[@]}" -gt 0 ] || fail "COPY $2: nothing of that name in $context"
  if [[ $target == */ ]]; then mkdir --parents "$target"; else mkdir --parents "$(dirname "$target")"; fi
  cp --archive --no-preserve=ownership "${sources[@]}" "$target"
}

follow_instruction() {
  local instruction=$1 text=$2 context=$3 pairs
  case $instruction in
    ARG) [ -n "${ARGS[${text%%=*}]:-}" ] || ARGS[${text%%=*}]=${text#*=} ;;
    FROM)
      read -r -a pairs <<<"$(expand "$text")"
      STAGE=$context/stage-${#STAGES[@]}
      cp --archive "${STAGES[${pairs[0]}]:?}" "$STAGE"
      STAGES[${pairs[2]:-final}]=$STAGE
      ENVIRONMENT=()
      ;;
    RUN) run_in_stage "$text" ;;
    COPY) copy_into_stage "$context" "$text" ;;
    ENV)
      read -r -a pairs <<<"$text"
      ENVIRONMENT+=("${pairs[@]}")
      ;;
    USER) IMAGE_USER=$text ;;
    WORKDIR) WORKDIR=$text ;;
    ENTRYPOINT) ENTRYPOINT=$text ;;
    CMD) COMMAND=$text ;;
    HEALTHCHECK) HEALTHCHECK=${text#*CMD } ;;
    VOLUME | EXPOSE | STOPSIGNAL) ;;
    *) fail "deploy/Containerfile: $instruction is not known here" ;;
  esac
}

build() {
  local tarball=$1 folder=$2 line
  [ -f "$tarball" ] || fail "there is no package $tarball; npm run package makes it"
  [ ! -e "$folder/root" ] || fail "$folder/root exists; remove it or name another folder"
  mkdir --parents "$folder/context"
  local context images
  context=$(cd "$folder/context" && pwd)
  mkdir --parents "${3:-$context}"
  images=$(cd "${3:-$context}" && pwd)
  # What an interrupted build left.
  rm --recursive --force "$images"/*.part*
  cp "$tarball" "$context/"
  if [ ! -d "$images/base" ]; then
    make_base_image "$images/base.part"
    mv "$images/base.part" "$images/base"
  fi
  if [ ! -d "$images/node" ]; then
    make_node_image "$images/base" "$images/node.part"
    mv "$images/node.part" "$images/node"
  fi
  ARGS=([BASE]=base [NODE]=node)
  STAGES=([base]=$images/base [node]=$images/node)
  while IFS= read -r line; do
    [ -z "$line" ] || follow_instruction "${line%% *}" "${line#* }" "$context"
  done < <(sed '/^#/d' "$HERE/Containerfile" | sed -e ':join' -e '/\\$/N; s/ *\\\n */ /; t join')
  printf '%s\n' "${ENVIRONMENT[@]}" >"$folder/environment"
  printf '%s\n' "$IMAGE_USER" "$WORKDIR" "$ENTRYPOINT" "$COMMAND" "$HEALTHCHECK" >"$folder/image"
  mv "${STAGES[final]}" "$folder/root"
  rm --recursive --force "$context"
}

# --- Run -------------------------------------------------------------------------------------------------------------

run() {
  local folder volume user workdir entrypoint command arguments=() environment=()
  folder=$(cd "$1" && pwd) volume=$(cd "$2" && pwd)
  shift 2
  mapfile -t environment <"$folder/environment"
  { read -r user; read -r workdir; read -r entrypoint; read -r command; } <"$folder/image"
  for (( ; $# > 0; )); do
    case $1 in
      --) shift; break ;;
      *=*) environment+=("$1"); shift ;;
      *) fail "$1 is neither NAME=value nor -- before the arguments" ;;
    esac
  done
  mapfile -d '' -t arguments < <(words_of "$entrypoint"; if [ $# = 0 ]; then words_of "$command"; else printf '%s\0' "$@"; fi)
  chown "$user" "$volume"
  # shellcheck disable=SC2016
  exec unshare --mount --pid --ipc --uts --fork --kill-child bash -euc '
    root=$1 volume=$2 user=$3 workdir=$4
    shift 4
    mount --make-rprivate /
    mount --bind "$root" "$root"
    mount --bind "$volume" "$root$workdir"
    mount -t proc -o nosuid,nodev,noexec proc "$root/proc"
    mount -t tmpfs -o nosuid,nodev,mode=1777 tmpfs "$root/tmp"
    for file in /dev/null /dev/zero /dev/random /dev/urandom /etc/resolv.conf /etc/hosts; do
      mount --bind "$file" "$root$file"
    done
    mount -o remount,bind,ro "$root"
    exec chroot "$root" /usr/bin/setpriv --reuid "${user%:*}" --regid "${user#*:}" --clear-groups --no-new-privs \
      --bounding-set=-all --inh-caps=-all /usr/bin/env --ignore-environment --chdir "$workdir" "$@"
  ' bash "$folder/root" "$volume" "$user" "$workdir" "${environment[@]}" "${arguments[@]}"
}

case ${1:-} in
  build) [ $# = 3 ] || [ $# = 4 ] || fail "give a package and a folder"; shift; build "$@" ;;
  run) [ $# -ge 3 ] || fail "give the folder of build, and a folder for the data"; shift; run "$@" ;;
  *) sed -n '2,9s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 2 ;;
esac
