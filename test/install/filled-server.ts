import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { PROJECT_ROOT } from '../../src/platform/config/environment.js';
import { expectText } from './checks.js';
import type { Home, InstalledProgram } from './installed-program.js';
import type { Finished } from './packed-program.js';
import { freePort } from './programs.js';
import type { StartedProgram } from './started-program.js';

const SAMPLE_FLEET = join(PROJECT_ROOT, 'examples', 'sample-fleet');

/** On a busy machine a commit takes seconds. */
const PUBLISH_MS = 120_000;

const Skills = z.array(z.object({ publication: z.object({ commit: z.string().nullable() }) }));

type Variables = Readonly<Record<string, string>>;

/** One server of the installed program with its own home, and the command line of its administrator. */
export class FilledServer {
  private server: StartedProgram | undefined;
  private port = 0;

  constructor(
    private readonly program: InstalledProgram,
    readonly home: Home,
    private readonly env: Variables = {},
  ) {}

  get data(): string {
    return join(this.home.home, '.local', 'share', 'guildbook');
  }
  get skills(): string {
    return join(this.data, 'skills');
  }
  private get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    // The same at every start: a sign-in belongs to an address.
    this.port ||= await freePort();
    const env = { ...this.env, GUILDBOOK_PORT: String(this.port) };
    this.server = this.program.start(['serve'], { home: this.home, env });
    await this.server.listening();
  }

  /** The next start listens where the other server did, with the sign-in of its administrator. */
  takePlaceOf({ port, home }: FilledServer): void {
    this.port = port;
    if (home !== this.home) cpSync(join(home.home, '.config'), join(this.home.home, '.config'), { recursive: true });
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    await this.server?.stop(signal);
  }

  /** Runs a command on this machine with the settings of the server. Throws if it fails. */
  async machine(...args: string[]): Promise<string> {
    return succeeded(args, await this.tried(...args));
  }

  /** Runs a command that may fail. */
  tried(...args: string[]): Promise<Finished> {
    return this.program.run(args, { home: this.home, env: this.env });
  }

  /** Runs a command of the signed-in administrator. */
  async run(...args: string[]): Promise<string> {
    return succeeded(args, await this.program.run(['--server', this.url, ...args], { home: this.home }));
  }

  async signIn(): Promise<void> {
    const token = readFileSync(join(this.data, 'admin-token'), 'utf8');
    const args = ['--server', this.url, 'login', '--token', '-'];
    succeeded(args, await this.program.run(args, { home: this.home, input: token }));
  }

  /** Imports the sample fleet, learns from it, and approves one proposal, whose skill is published. */
  async fill(): Promise<void> {
    await this.signIn();
    await this.run('import', SAMPLE_FLEET);
    await this.run('evolve');
    const { items } = JSON.parse(await this.run('--json', 'proposals', 'list'));
    const { id, artifactSha256 } = items[0];
    await this.run('proposals', 'approve', id, '--sha256', artifactSha256);
    for (const deadline = performance.now() + PUBLISH_MS; !(await this.hasPublished()); await sleep(100))
      if (performance.now() > deadline) throw new Error('the skill was not published');
    expectText(await this.run('journal', 'verify'), /intact/, 'the journal');
  }

  /** True if there are skills, and each is a commit. */
  async hasPublished(): Promise<boolean> {
    const skills = Skills.parse(JSON.parse(await this.run('--json', 'skills', 'list')));
    return skills.length > 0 && skills.every(({ publication }) => publication.commit !== null);
  }
}

export function succeeded(args: readonly string[], { code, stdout, stderr }: Finished): string {
  if (code !== 0) throw new Error(`guildbook ${args.join(' ')} ended with ${code}:\n${stdout}${stderr}`);
  return stdout;
}
