import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { prepare } from '../setup/prepare.mjs';
import { ROOT } from '../setup/stamp.mjs';
import { runSources } from './run-sources.mjs';

/**
 * Builds the program, lets `run` install what it tries from npm, and starts `script` again with --inside, in a separate
 * network that has only loopback; there it runs `run` itself. Exits with its status.
 */
export async function runOffline(script, run, { cache, only, inside, keep = false }) {
  const options = ['--cache', resolve(cache), ...only.flatMap((name) => ['--only', name])];
  if (inside) process.exit(runSources(run, [...options, ...(keep ? ['--keep'] : [])]));
  await prepare(['deps', 'client', 'build']);
  runSources(run, [...options, '--install']);
  const again = [join(ROOT, script), '--inside', ...process.argv.slice(2)];
  const unshared = ['-rn', 'sh', '-c', 'ip link set lo up && exec "$0" "$@"', process.execPath, ...again];
  if (spawnSync('unshare', ['-rn', 'true']).status === 0)
    process.exit(spawnSync('unshare', unshared, { cwd: ROOT, stdio: 'inherit' }).status ?? 1);
  console.log('without a separate network: unshare is not permitted here');
  process.exit(spawnSync(process.execPath, again, { cwd: ROOT, stdio: 'inherit' }).status ?? 1);
}
