import { appendFileSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { ServerState } from '../../../src/platform/health/health.schema.js';
import { type AttackedServer, type Attempt, attempt, type Section } from '../attack.js';
import { BuiltServer } from '../built-server.js';
import { plainGit as git, HandCommits } from '../hand-commits.js';

const PUSHED_MS = 30_000;
/** Two rounds of every worker that runs in seconds. */
const SETTLED_MS = 11_000;
const BAD_REMOTES = [
  'ext::sh -c touch%20pwn',
  '/srv/skills.git',
  'http://example.test/skills.git',
  'https://me:secret@example.test/skills.git',
  'ssh://-oProxyCommand=touch%20pwn/x',
  'ssh://%2DoProxyCommand=touch%20pwn/x',
  'ssh:///x',
  'file://example.test/x',
];
const Repository = z.object({
  history: z.object({
    known: z.string().nullable(),
    held: z.object({ commit: z.string(), reason: z.string() }).nullable(),
  }),
  findings: z.array(z.object({ subject: z.string() })),
});

/** Commits by hand, forged trailers, replaced branches and a second folder: none of their bytes reaches the remote. */
export const section: Section = {
  name: 'push',
  async *attempts(server, { isQuick }) {
    const attack = new PushAttack(server);
    await attack.begin(isQuick ? 2 : 6);
    yield* attack.stackedOnMain();
    if (isQuick) return;
    yield* attack.replacedMain();
    yield* attack.forgedReference();
    yield* attack.afterDecision();
    yield* attack.otherFolder();
    if (server.databaseUrl !== undefined) yield* attack.twoServers(server.databaseUrl);
    yield* attack.badRemotes();
  },
};

/** Not a folder that a call of git uses meanwhile. */
const isKept = (path: string): boolean => !/\.git\/guildbook-\w+$/.test(path);

class PushAttack {
  private readonly bare: string;
  private waiting: string[] = [];
  private readonly hand: HandCommits;
  private readonly name = 'reconcile-ledger-0';

  constructor(private readonly server: AttackedServer) {
    this.bare = join(server.folder, 'remote.git');
    this.hand = new HandCommits(server.skillsDir);
  }

  /** Proposes first, because the embedded server is restarted for it. Then approves the first one, with a remote. */
  async begin(skills: number): Promise<void> {
    git(this.server.folder, ['init', '-q', '--bare', '-b', 'main', this.bare]);
    for (let n = 0; n < skills; n += 1) {
      const skill = {
        name: `Reconcile ledger ${n}`,
        description: `Use for ledger ${n}.`,
        body: `Run \`ledger ${n}\`.`,
      };
      this.waiting.push((await this.server.propose(skill)).id);
    }
    await this.server.restart({ GUILDBOOK_SKILLS_REMOTE: pathToFileURL(this.bare).href });
    await this.approveNext();
  }

  async *stackedOnMain(): AsyncIterable<Attempt> {
    const file = `${this.name}/SKILL.md`;
    const approved = this.hand.git('show', `main:${file}`);
    const message = this.hand.git('log', '-1', '--format=%B', 'main');
    const first = this.hand.commit('NOTES.md', this.hand.marker('a file'));
    const tries: [string, string][] = [['a file committed by hand', this.hand.lastMarker()]];
    const add = (what: string, path: string, before = '', text = 'just a fix') => {
      this.hand.commit(path, `${before}\n${this.hand.marker(what)}\n`, text);
      tries.push([what, this.hand.lastMarker()]);
    };
    add('an approved skill edited by hand', file, approved);
    add('a skill that no one approved', 'more-ledger/SKILL.md', approved.replaceAll(this.name, 'more-ledger'));
    add('a file under the trailers of a decision', 'trailer.md', '', message);
    add('an edited README', 'README.md');
    add('a LICENSE', 'LICENSE');
    add('a hook at the root', 'hooks/hooks.json');
    add('a server at the root', '.mcp.json');
    add('a reference of an approved skill', `${this.name}/references/more.md`);
    this.hand.git('commit', '-q', '--allow-empty', '-m', this.hand.marker('a message'));
    tries.push(['a message', this.hand.lastMarker()]);
    this.hand.git('commit', '-q', '--allow-empty', '--author', `${this.hand.marker('an author')} <a@b>`, '-m', message);
    tries.push(['an author', this.hand.lastMarker()]);
    this.hand.git('checkout', '-q', '-b', 'side', 'HEAD~1');
    add('a branch that was merged', 'side.md');
    this.hand.git('tag', '-a', 'v1', '-m', this.hand.marker('a tag'));
    tries.push(['a tag', this.hand.lastMarker()]);
    this.hand.git('notes', 'add', '-m', this.hand.marker('a note'));
    tries.push(['a note', this.hand.lastMarker()]);
    this.hand.git('checkout', '-q', 'main');
    this.hand.git('merge', '-q', '--no-ff', '-m', 'merged', 'side');
    appendFileSync(join(this.server.skillsDir, file), this.hand.marker('an edit in the folder'));
    tries.push(['an edit in the folder', this.hand.lastMarker()]);

    await this.approveNext();
    yield* this.notAtRemote(tries);
    const refs = git(this.bare, ['for-each-ref', '--format=%(refname)']);
    yield attempt('other references are pushed', refs === 'refs/heads/main', refs.replaceAll('\n', ' '));
    const { history, findings } = await this.repository();
    const shown = history.held?.commit === first && findings.some(({ subject }) => subject === first);
    yield attempt('the commit by hand is not shown', shown, `${history.held?.reason ?? 'nothing held'}`);
    const { body } = await this.server.call('GET', '/readyz');
    const isDegraded = JSON.stringify(body).includes('skills.push_held');
    yield attempt('the server says that all is well', isDegraded, isDegraded ? 'degraded' : 'ready');
    yield* this.notServed(tries);
  }

  /** Amended, rewound and replaced histories, each with a decision on top. */
  async *replacedMain(): AsyncIterable<Attempt> {
    const toKnown = () => this.hand.git('reset', '-q', '--hard', 'refs/guildbook/known');
    toKnown();
    this.hand.git('clean', '-qfd');
    const message = this.hand.git('log', '-1', '--format=%B', 'main');
    this.hand.git(
      'commit',
      '-q',
      '--amend',
      '-m',
      `${message.trim()}\nAcked-by: ${this.hand.marker('an amended commit')}`,
    );
    const tries: [string, string][] = [['an approved commit with another message', this.hand.lastMarker()]];
    await this.approveNext();
    const tree = this.hand.git('rev-parse', 'main^{tree}');
    this.hand.git(
      'update-ref',
      'refs/heads/main',
      this.hand.git('commit-tree', tree, '-m', this.hand.marker('another root')),
    );
    tries.push(['another root with the same files', this.hand.lastMarker()]);
    await this.approveNext();
    toKnown();
    this.hand.git('reset', '-q', '--hard', 'main~1');
    await sleep(SETTLED_MS);
    yield* this.notAtRemote(tries);
    const known = (await this.repository()).history.known;
    const head = git(this.bare, ['rev-parse', 'main']);
    yield attempt('a rewound main rewinds the remote', head === known, `${head.slice(0, 10)}`);
  }

  /** The reference that keeps the known history is not what says which commits are known. */
  async *forgedReference(): AsyncIterable<Attempt> {
    this.hand.git('reset', '-q', '--hard', 'refs/guildbook/known');
    const id = this.hand.commit('LICENSE', this.hand.marker('the reference of the known history'));
    this.hand.git('update-ref', 'refs/guildbook/known', id);
    const marker = this.hand.lastMarker();
    await this.server.restart();
    await sleep(SETTLED_MS);
    yield* this.notAtRemote([['a commit under the reference of the known history', marker]]);
    const { history } = await this.repository();
    yield attempt(
      'a forged reference ends the hold',
      history.held?.commit === id,
      history.held?.reason ?? 'nothing held',
    );
  }

  /** After the commit by hand is gone from the files, the history without it is main again, and it is kept. */
  async *afterDecision(): AsyncIterable<Attempt> {
    const byHand = (await this.repository()).history.held?.commit ?? '';
    this.hand.git('rm', '-q', 'LICENSE');
    this.hand.git('commit', '-q', '-m', 'away with it');
    await this.approveNext();
    await sleep(SETTLED_MS);
    const { history } = await this.repository();
    const isSame =
      this.hand.git('rev-parse', 'main') === git(this.bare, ['rev-parse', 'main']) && history.held === null;
    yield attempt('main stays with the commit by hand', isSame, isSame ? 'replaced' : 'not replaced');
    const keeps = this.hand.git('for-each-ref', '--contains', byHand, '--format=%(refname)');
    yield attempt('a commit by hand is lost', keeps.includes('refs/guildbook/held/'), keeps.split('\n')[0] ?? 'gone');
    const fsck = this.hand.git('fsck', '--full', '--strict', '--no-dangling', '--no-progress');
    yield attempt('the repository is damaged', fsck === '', fsck === '' ? 'intact' : fsck.slice(0, 100));
  }

  async *otherFolder(): AsyncIterable<Attempt> {
    const { folder, skillsDir } = this.server;
    const head = git(this.bare, ['rev-parse', 'main']);
    const old = join(folder, 'old-skills');
    cpSync(skillsDir, old, { recursive: true, filter: isKept });
    await this.approveNext();
    const foreign = join(folder, 'foreign-skills');
    git(folder, ['init', '-q', '-b', 'main', foreign]);
    mkdirSync(join(foreign, '.git', 'guildbook'));
    writeFileSync(join(foreign, '.git', 'guildbook', 'id'), '00000000-0000-4000-8000-000000000000\n');
    const log = await this.refusedStart({ GUILDBOOK_SKILLS_DIR: foreign });
    const isRefused = log?.includes('belongs to another database') ?? false;
    yield attempt('a start with the folder of another database', isRefused, isRefused ? 'refused' : 'started');
    const known = git(this.bare, ['rev-parse', 'main']);
    const edited = join(folder, 'edited-skills');
    cpSync(old, edited, { recursive: true });
    const hand = new HandCommits(edited);
    hand.commit('NOTES.md', hand.marker('a commit in an older copy'));
    for (const [what, where] of [
      ['an empty folder', join(folder, 'no-skills')],
      ['an older copy of the folder', old],
      ['an older copy with a commit by hand', edited],
    ] as const) {
      await this.server.restart({ GUILDBOOK_SKILLS_DIR: where });
      await sleep(SETTLED_MS);
      const now = git(this.bare, ['rev-parse', 'main']);
      yield attempt(`${what} changes the remote`, now === known, now.slice(0, 10));
      const main = git(where, ['rev-parse', 'main']);
      // The commit of a person stays where it is until they decide.
      if (where !== edited) yield attempt(`${what} makes other commits`, main === known, main.slice(0, 10));
      await this.server.restart({ GUILDBOOK_SKILLS_DIR: skillsDir });
    }
    yield* this.notAtRemote([['a commit in an older copy', hand.lastMarker()]]);
    const line = git(this.bare, ['rev-list', '--count', `${head}..main`]);
    yield attempt('another folder reaches the remote', line === '1', `${line} commit since`);
  }

  /** A second server with a copy of the folder, at the same time. */
  async *twoServers(databaseUrl: string): AsyncIterable<Attempt> {
    const folder = join(this.server.folder, 'second');
    mkdirSync(folder);
    for (const name of ['skills', 'journal-key.pem'])
      cpSync(join(this.server.folder, name), join(folder, name), { recursive: true, filter: isKept });
    const { adminToken } = this.server;
    const settings = { GUILDBOOK_SKILLS_REMOTE: pathToFileURL(this.bare).href };
    const second = new BuiltServer({ folder, databaseUrl, adminToken, settings });
    await second.start();
    try {
      const skill = { name: 'Reconcile in two places', description: 'Use twice.', body: 'Run `ledger twice`.' };
      const { id } = await this.server.propose(skill);
      await this.server.approve(id, adminToken);
      await sleep(SETTLED_MS);
      const before = await this.journalLength();
      await sleep(SETTLED_MS);
      const after = await this.journalLength();
      yield attempt('two folders make the journal grow', before === after, `${after - before} entries more`);
      const doing = (await Promise.all([this.server, second].map((one) => this.foldersDoing(one)))).sort().join(' ');
      yield attempt('two folders are both published to', doing === 'own shared', doing);
      const subjects = git(this.bare, ['log', '--format=%B', 'main']).split('\n');
      const commits = subjects.filter((line) => line === `Guildbook-Approval: ${id}`).length;
      yield attempt('two servers push a decision twice', commits === 1, `${commits} commits`);
    } finally {
      await second.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  }

  async *badRemotes(): AsyncIterable<Attempt> {
    for (const remote of BAD_REMOTES) {
      const log = await this.refusedStart({ GUILDBOOK_SKILLS_REMOTE: remote });
      const isRefused = log?.includes('GUILDBOOK_SKILLS_REMOTE: must be') ?? false;
      yield attempt(`a start with the remote ${remote}`, isRefused, isRefused ? 'refused' : 'not refused');
    }
    await this.server.restart({ GUILDBOOK_SKILLS_REMOTE: pathToFileURL(this.bare).href });
  }

  /** Approves the next skill and waits until the remote has it. */
  private async approveNext(): Promise<void> {
    const id = this.waiting.shift();
    if (id === undefined) throw new Error('too few skills were proposed');
    await this.server.approve(id, this.server.adminToken);
    const has = () => git(this.bare, ['log', '--all', '--format=%B']).includes(`Guildbook-Approval: ${id}`);
    for (const deadline = performance.now() + PUSHED_MS; !has(); await sleep(50))
      if (performance.now() > deadline) throw new Error(`${id} does not reach the remote`);
  }

  private async *notAtRemote(tries: readonly [string, string][]): AsyncIterable<Attempt> {
    const everything = git(this.bare, ['cat-file', '--batch', '--batch-all-objects']);
    for (const [what, marker] of tries)
      yield attempt(`${what} is pushed`, !everything.includes(marker), everything.includes(marker) ? 'pushed' : 'held');
  }

  private async *notServed(tries: readonly [string, string][]): AsyncIterable<Attempt> {
    const agent = await this.server.agent('reads skills');
    for (const path of [
      '/.well-known/agent-skills/index.json',
      `/.well-known/agent-skills/${this.name}/SKILL.md`,
      '/.well-known/agent-skills/more-ledger/SKILL.md',
      `/v1/skills/${this.name}`,
      '/v1/skills',
    ]) {
      const { status, body } = await this.server.call('GET', path, { token: agent });
      const found = tries.filter(([, marker]) => JSON.stringify(body).includes(marker)).map(([what]) => what);
      yield attempt(`${path} serves it`, found.length === 0, found.length === 0 ? String(status) : found.join(', '));
    }
  }

  /** The log of a start that was refused, or undefined if the server started. */
  private async refusedStart(settings: Readonly<Record<string, string>>): Promise<string | undefined> {
    try {
      await this.server.restart(settings);
      return undefined;
    } catch {
      return this.server.log;
    }
  }

  /** `shared` if the folder of this server publishes, `own` if it follows. */
  private async foldersDoing(server: AttackedServer): Promise<string> {
    const { body } = await server.call('GET', '/v1/server', { token: this.server.adminToken });
    const { processes } = ServerState.parse(body);
    return processes.find(({ isThis }) => isThis)?.skillsFolder ?? 'unknown';
  }

  private async repository(): Promise<z.infer<typeof Repository>> {
    return Repository.parse((await this.server.call('GET', '/v1/repository', { token: this.server.adminToken })).body);
  }

  private async journalLength(): Promise<number> {
    const path = '/v1/journal?order=newest&limit=1';
    const { body } = await this.server.call('GET', path, { token: this.server.adminToken });
    return z.object({ items: z.array(z.object({ seq: z.number() })) }).parse(body).items[0]?.seq ?? 0;
  }
}
