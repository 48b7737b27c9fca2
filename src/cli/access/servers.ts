import type { Command } from 'commander';
import { SystemClock } from '../../platform/base/clock.js';
import { nearName } from '../../platform/config/nearest-name.js';
import type { ConnectionOptions } from '../server/session.js';
import { signInFile } from '../server/sign-in-file.js';
import { addressOf, type SignIns, signInAt, withoutServer } from '../server/sign-ins.js';
import { CliError } from '../terminal/cli-error.js';
import { EXIT } from '../terminal/exit-codes.js';
import { print, printJson, table } from '../terminal/terminal.js';

export function serverCommands(program: Command): void {
  const connection = () => program.opts<ConnectionOptions>();
  const servers = program.command('servers').description('list the servers that you are signed in to, and choose one');
  servers
    .command('list', { isDefault: true })
    .description('list servers; * marks the current one')
    .action(() => list(connection()));
  servers
    .command('use <server>')
    .description('make a server, by address or short name, the current one')
    .action((server: string) => use(connection(), server));
  servers
    .command('forget <server>')
    .description('remove a sign-in from this machine; the server is not asked, so other devices stay signed in')
    .action((server: string) => forget(connection(), server));
}

async function list({ json }: ConnectionOptions): Promise<void> {
  const { current, servers } = await signInFile().read();
  const now = new SystemClock().now();
  const items = servers.map(({ server, name, person, expiresAt, signInExpiresAt }) => ({
    server,
    name: name ?? null,
    current: server === current,
    person,
    expiresAt,
    expired: Date.parse(expiresAt) <= now.getTime(),
    signInExpiresAt: signInExpiresAt ?? null,
  }));
  if (json) return printJson(items);
  if (items.length === 0)
    return print('You are not signed in. Sign in with: guildbook login --server <url> --token <token>');
  print(
    table(
      ['', 'server', 'name', 'signed in as', 'token until', 'renewable until'],
      items.map((one) => [
        ...[one.current ? '*' : '', one.server, one.name ?? '', one.person],
        one.expired ? 'expired' : minuteOf(one.expiresAt),
        minuteOf(one.signInExpiresAt ?? ''),
      ]),
    ),
  );
  if (current === null) print('\nNo server is current. Choose one with: guildbook servers use <server>');
  if (items.some(({ expired }) => expired)) print('\nTo renew a token: guildbook login --server <server>');
}

const minuteOf = (time: string): string => time.slice(0, 16).replace('T', ' ');

async function use({ json }: ConnectionOptions, given: string): Promise<void> {
  const { current } = await signInFile().change((signIns) => ({ ...signIns, current: knownServer(signIns, given) }));
  if (json) return printJson({ current });
  print(`Commands now talk to ${current}.`);
}

async function forget({ json }: ConnectionOptions, given: string): Promise<void> {
  const file = signInFile();
  const server = knownServer(await file.read(), given);
  await file.change((signIns) => withoutServer(signIns, server));
  if (json) return printJson({ forgotten: server });
  print(`Forgot the sign-in at ${server}.`);
}

function knownServer(signIns: SignIns, given: string): string {
  const names = signIns.servers.flatMap(({ name, server }) => (name === undefined ? [server] : [name, server]));
  const address = addressIfAny(signIns, given);
  if (address !== undefined && signInAt(signIns, address)) return address;
  const near = nearName(given, names);
  throw new CliError(
    EXIT.notFound,
    'name.unknown',
    `You are not signed in to a server "${given}".${near === undefined ? '' : ` Did you mean ${near}?`} To list them: guildbook servers`,
  );
}

function addressIfAny(signIns: SignIns, given: string): string | undefined {
  try {
    return addressOf(signIns, given);
  } catch {
    return undefined;
  }
}
