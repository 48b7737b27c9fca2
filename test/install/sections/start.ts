import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { Guildbook } from '../../../src/client/guildbook.js';
import { type Checks, expectSame, expectText } from '../checks.js';
import { type Home, type InstalledProgram, installedProgram } from '../installed-program.js';
import type { Finished } from '../packed-program.js';

export const isQuick = true;

const ANY_PORT = { GUILDBOOK_PORT: '0' };

/** Where the installed program keeps its files, and what it says when it cannot start. */
export async function run(checks: Checks): Promise<void> {
  const program = await installedProgram();
  await checks.check('serve keeps its files in the data folder of the user, and writes nowhere else', () =>
    expectOwnFolder(program),
  );
  await checks.check('serve reads server.env of the user, and a variable wins over it', () => expectSettings(program));
  for (const { name, code, says, prepare } of REFUSED)
    await checks.check(`serve is refused in one sentence: ${name}`, async () => {
      const home = program.newHome();
      expectRefused(await program.run(['serve'], { home, ...(await prepare(home)) }), code, says);
    });
  await checks.check('serve is refused in one sentence: the port is taken by another Guildbook', () =>
    expectPortTaken(program),
  );
}

async function expectOwnFolder(program: InstalledProgram): Promise<void> {
  const home = program.newHome();
  const before = stateOf(program.packageFolder);
  const server = program.start(['serve'], { home, env: ANY_PORT });
  try {
    expectSame((await new Guildbook({ server: await server.listening() }).health()).status, 'ready', 'status');
  } finally {
    await server.stop();
  }
  expectSame(readdirSync(home.cwd), [], 'files in the current folder');
  expectSame(filesOf(home.home, 3), ['.local/share/guildbook'], 'folders in the home');
  const data = join(home.home, '.local', 'share', 'guildbook');
  const kept = readdirSync(data).filter((name) => !name.endsWith('.lock'));
  expectSame(kept.sort(), ['admin-token', 'database', 'journal-key.pem', 'skills'], 'files of the server');
  for (const secret of ['admin-token', 'journal-key.pem'])
    expectSame((statSync(join(data, secret)).mode & 0o777).toString(8), '600', `mode of ${secret}`);
  expectSame(stateOf(program.packageFolder), before, 'the package');
}

async function expectSettings(program: InstalledProgram): Promise<void> {
  const home = program.newHome();
  const [named, won] = [join(home.home, 'named', 'database'), join(home.home, 'won', 'database')];
  settingsFile(
    home,
    `GUILDBOOK_PORT=0\nGUILDBOOK_DATA_DIR=${named}\nGUILDBOOK_SKILLS_DIR=${join(home.home, 'skills')}\n`,
  );
  for (const [env, folder] of [
    [{}, named],
    [{ GUILDBOOK_DATA_DIR: won, GUILDBOOK_SKILLS_DIR: `${won}-skills` }, won],
  ] as const) {
    const server = program.start(['serve'], { home, env });
    await server.listening();
    await server.stop();
    expectSame(existsSync(join(folder, 'PG_VERSION')), true, `a database in ${folder}`);
  }
  expectSame(existsSync(join(home.home, '.local')), false, 'the default folder');
}

interface RefusedStart {
  readonly name: string;
  readonly code: number;
  readonly says: RegExp;
  /** Makes the machine so, and returns the variables. */
  prepare(home: Home): Promise<{ readonly env: Readonly<Record<string, string>> }> | { env: Record<string, string> };
}

const REFUSED: readonly RefusedStart[] = [
  {
    name: 'a setting has a wrong value',
    code: 2,
    says: /GUILDBOOK_EVOLVER_CRON: must be a cron expression/,
    prepare: () => ({ env: { ...ANY_PORT, GUILDBOOK_EVOLVER_CRON: 'at noon' } }),
  },
  {
    name: 'server.env of the user has an unknown setting',
    code: 2,
    says: /GUILDBOOK_POTR: unknown setting; did you mean GUILDBOOK_PORT/,
    prepare: (home) => {
      settingsFile(home, 'GUILDBOOK_POTR=80\n');
      return { env: ANY_PORT };
    },
  },
  {
    name: 'git is missing',
    code: 1,
    says: /needs git to publish skills.*install git/,
    prepare: (home) => {
      const programs = join(home.home, 'programs');
      mkdirSync(programs);
      symlinkSync(process.execPath, join(programs, 'node'));
      return { env: { ...ANY_PORT, PATH: programs } };
    },
  },
  {
    name: 'the data folder holds other files',
    code: 1,
    says: /holds other files than a database \(letter\.txt.*GUILDBOOK_DATA_DIR/,
    prepare: (home) => {
      const folder = join(home.home, 'documents');
      mkdirSync(folder);
      writeFileSync(join(folder, 'letter.txt'), 'Dear Ada');
      return { env: { ...ANY_PORT, GUILDBOOK_DATA_DIR: folder } };
    },
  },
  {
    name: 'a file stands where the data folder belongs',
    code: 2,
    says: /GUILDBOOK_DATA_DIR: must be a folder, but is a file/,
    prepare: (home) => {
      const file = join(home.home, 'database');
      writeFileSync(file, '');
      return { env: { ...ANY_PORT, GUILDBOOK_DATA_DIR: file } };
    },
  },
  {
    name: 'PostgreSQL does not answer',
    code: 1,
    says: /The PostgreSQL server \S+ does not answer .*DATABASE_URL/,
    // Port 9 (discard) has no server.
    prepare: () => ({ env: { ...ANY_PORT, DATABASE_URL: 'postgresql://guildbook:sesame@127.0.0.1:9/guildbook' } }),
  },
];

async function expectPortTaken(program: InstalledProgram): Promise<void> {
  const first = program.start(['serve'], { env: ANY_PORT });
  try {
    const { port } = new URL(await first.listening());
    const refused = await program.run(['serve'], { env: { GUILDBOOK_PORT: port } });
    expectRefused(refused, 1, new RegExp(`Port ${port} .*in use by another Guildbook.*GUILDBOOK_PORT`));
  } finally {
    await first.stop();
  }
}

/** The sentence is the only output, one record: no stack, no other line, and no value of a secret setting. */
function expectRefused({ code, stdout, stderr }: Finished, wanted: number, says: RegExp): void {
  expectSame([code, stdout], [wanted, ''], `exit code and output (${stderr})`);
  const { message }: { message: string } = JSON.parse(stderr);
  expectText(message, says, 'the sentence');
  if (!message.startsWith('Guildbook cannot start: ')) throw new Error(`another beginning: ${stderr}`);
  if (/\n {4}at |sesame/.test(stderr)) throw new Error(`a stack or a secret: ${stderr}`);
}

function settingsFile({ home }: Home, text: string): void {
  const file = join(home, '.config', 'guildbook', 'server.env');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Path, size and time of each file. */
function stateOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const { size, mtimeMs } = statSync(join(folder, name));
      return `${name} ${size} ${mtimeMs}`;
    });
}

/** Relative paths at this depth. */
function filesOf(folder: string, depth: number, root = folder): string[] {
  if (depth === 0) return [relative(root, folder)];
  return readdirSync(folder).flatMap((name) => filesOf(join(folder, name), depth - 1, root));
}
