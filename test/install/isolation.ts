import { spawnSync } from 'node:child_process';

/** What a page may write besides its own folders. It sees a copy that goes away with its last process. */
const COPIED = ['/etc', '/home', '/opt', '/root', '/srv', '/usr', '/var'];

/** Runs in the new mount namespace. `$1` is a folder of the page; what contains it stays as it is. */
const ENTER = `set -eu
page="$1"; shift
layers="$page/layers"
mkdir -p "$layers"
mount -t tmpfs layers "$layers"
for folder in ${COPIED.join(' ')}; do
  [ -d "$folder" ] && [ ! -L "$folder" ] || continue
  case "$page/" in "$folder"/*) continue ;; esac
  mkdir -p "$layers$folder/upper" "$layers$folder/work"
  mount -t overlay copy -o "lowerdir=$folder,upperdir=$layers$folder/upper,workdir=$layers$folder/work" "$folder"
done
exec "$@"`;

const [PROGRAM, ...OPTIONS] = ['unshare', '--mount', '--pid', '--fork', '--mount-proc', '--kill-child'] as const;
const PROBE = '/etc/guildbook-isolation-probe';

/**
 * Returns the command with its own processes and a copy of the system's folders, where the machine allows it (as root on
 * Linux): it can add users, units and settings, and stop servers by name, and the machine notices nothing. Elsewhere the
 * command itself.
 */
export function isolated(folder: string, command: readonly string[]): readonly string[] {
  return canIsolate(folder) ? [PROGRAM, ...OPTIONS, 'sh', '-c', ENTER, 'isolated', folder, ...command] : command;
}

let tried: boolean | undefined;

/** True if commands that need root can run without touching the machine. `folder` is a folder for temporary files. */
export function canIsolate(folder: string): boolean {
  tried ??=
    process.getuid?.() === 0 &&
    spawnSync(PROGRAM, [...OPTIONS, 'sh', '-c', ENTER, 'isolated', folder, 'touch', PROBE]).status === 0;
  return tried;
}
