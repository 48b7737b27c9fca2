import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { configurationText, GIT_VARIABLES, HOOKS, hostileSetting, RISKY_SETTINGS } from '../../support/git-settings.js';
import { type AttackedServer, type Attempt, attempt, type Section } from '../attack.js';

const ROOT_FILES = [
  ...['hooks/hooks.json', '.mcp.json', '.lsp.json', 'settings.json', '.claude/settings.json', 'agents/a.md'],
  ...['commands/c.md', 'skills/evil/SKILL.md', 'bin/run', 'AGENTS.md', 'CLAUDE.md', 'GEMINI.md', '.gitmodules'],
  ...['.gitattributes', '.claude-plugin/plugin.json', '.codex-plugin/plugin.json', '.github/workflows/run.yml'],
  ...['gemini-extension.json', 'opencode.json', 'package.json'],
];
const FINDING_MS = 30_000;
const Findings = z.object({ findings: z.array(z.object({ kind: z.string(), subject: z.string() })) });
const Problems = z.object({ problems: z.array(z.object({ code: z.string() })) });

/** What the skills folder may make the server or a consumer run, and what stops its comparison with the decisions. */
export const section: Section = {
  name: 'git',
  async *attempts(server, { isQuick }) {
    const scene = await Scene.prepare(server, isQuick ? 1 : 4);
    try {
      yield* inConfiguration(scene, isQuick);
      if (isQuick) return;
      yield* inRepository(scene);
      yield* atRoot(scene);
      yield* inObjects(scene);
      yield* refusedAtStart(scene);
    } finally {
      scene.close();
    }
  },
};

/** The skills repository with a remote, a program that leaves a trace, and an address that counts connections. */
class Scene {
  connections = 0;
  readonly #proposals: string[] = [];

  private constructor(
    readonly server: AttackedServer,
    readonly token: string,
    private readonly listener: ReturnType<typeof createServer>,
    readonly address: string,
  ) {}

  static async prepare(server: AttackedServer, proposals: number): Promise<Scene> {
    const token = await server.reviewer('Rita Reviews');
    const scene: { it?: Scene } = {};
    const listener = createServer((socket) => {
      if (scene.it) scene.it.connections += 1;
      socket.destroy();
    });
    await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done));
    const bound = listener.address();
    const port = typeof bound === 'object' && bound ? bound.port : 0;
    const made = new Scene(server, token, listener, `git://127.0.0.1:${port}/x.git`);
    scene.it = made;
    await made.#plant(proposals);
    return made;
  }

  async #plant(proposals: number): Promise<void> {
    const { server } = this;
    for (let n = 0; n <= proposals; n += 1)
      this.#proposals.push(
        (await server.propose({ name: `Attack ${n}`, description: `When ${n} fails.`, body: 'Wait.' })).id,
      );
    writeFileSync(this.program, `#!/bin/sh\ntouch '${this.canary}'\n`);
    chmodSync(this.program, 0o755);
    execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', this.remote], { stdio: 'ignore' });
    const variables = GIT_VARIABLES.map((name) => [
      name,
      /CONFIG|DIR|FILE|TRACE/.test(name) ? this.remote : this.program,
    ]);
    await server.restart({ ...Object.fromEntries(variables), GUILDBOOK_SKILLS_REMOTE: `file://${this.remote}` });
    await this.publishNext();
  }

  get program(): string {
    return join(this.server.folder, 'planted-program');
  }
  get canary(): string {
    return join(this.server.folder, 'canary');
  }
  get remote(): string {
    return join(this.server.folder, 'remote.git');
  }
  in(...path: string[]): string {
    return join(this.server.skillsDir, ...path);
  }
  gitDir(...path: string[]): string {
    return this.in('.git', ...path);
  }

  /** Runs git as a person in the folder. Only while its configuration is harmless. */
  git(args: readonly string[], input?: string): string {
    const by = ['-C', this.server.skillsDir, '-c', 'user.name=Hand', '-c', 'user.email=hand@example.org'];
    const stdio = ['pipe', 'pipe', 'ignore'] as const;
    return execFileSync('git', [...by, ...args], { encoding: 'utf8', stdio: [...stdio], input: input ?? '' }).trim();
  }

  /** Publishes a decision, which also compares, pushes and is read back. */
  async publishNext(): Promise<void> {
    const id = this.#proposals.shift() ?? '';
    await this.server.approve(id, this.token);
    await this.readSkills();
  }

  /** Reads all skills with their history. */
  async readSkills(): Promise<void> {
    const { body } = await this.server.call('GET', '/v1/skills', { token: this.server.adminToken });
    const { items } = z.object({ items: z.array(z.object({ name: z.string() })) }).parse(body);
    for (const { name } of items)
      await this.server.call('GET', `/v1/skills/${name}`, { token: this.server.adminToken });
  }

  /** The findings, once there is one of this kind. */
  async findings(kind: string): Promise<string[]> {
    for (const deadline = performance.now() + FINDING_MS; ; await sleep(100)) {
      const { body } = await this.server.call('GET', '/v1/repository', { token: this.server.adminToken });
      const found = Findings.parse(body).findings.map((it) => `${it.kind} ${it.subject}`);
      if (found.some((it) => it.startsWith(kind)) || performance.now() > deadline) return found;
    }
  }

  async isStalled(): Promise<boolean> {
    const { body } = await this.server.call('GET', '/readyz');
    return Problems.parse(body).problems.some(({ code }) => code === 'skills.reconciler_stalled');
  }

  /** An attempt that holds if no program ran and no connection was made since the last one. */
  quiet(name: string): Attempt {
    const programs = existsSync(this.canary) ? 1 : 0;
    const { connections } = this;
    rmSync(this.canary, { force: true });
    this.connections = 0;
    return attempt(name, programs + connections === 0, `${programs} programs run, ${connections} connections made`);
  }

  close(): void {
    this.listener.close();
  }
}

async function* inConfiguration(scene: Scene, isQuick: boolean): AsyncIterable<Attempt> {
  const keys = RISKY_SETTINGS.filter((key) => !key.startsWith('extensions.'));
  const plain = readFileSync(scene.gitDir('config'), 'utf8');
  const texts = keys.map((key) => configurationText(hostileSetting(key, scene.program, scene.address)));
  const included = scene.gitDir('included');
  mkdirSync(scene.gitDir('hooks'), { recursive: true });
  for (const hook of HOOKS) cpSync(scene.program, scene.gitDir('hooks', hook));
  writeFileSync(scene.gitDir('info', 'attributes'), '* filter=canary diff=canary merge=canary\n');
  writeFileSync(included, texts.join(''));
  writeFileSync(scene.gitDir('config.worktree'), texts.join(''));
  writeFileSync(scene.gitDir('config'), `${plain}${texts.join('')}[extensions]\n\tworktreeConfig = true\n`);
  await scene.publishNext();
  yield scene.quiet(
    `${keys.length} keys, ${HOOKS.length} hooks and ${GIT_VARIABLES.length} variables, at a publication`,
  );
  if (!isQuick) {
    // One at a time, so that none hides behind an error of another one. A head that is new is read by git at once.
    writeFileSync(scene.gitDir('config'), plain);
    const head = scene.git(['rev-parse', 'main']);
    const heads = keys.map((key) => scene.git(['commit-tree', '-p', head, '-m', key, `${head}^{tree}`]));
    for (const [at, text] of texts.entries()) {
      writeFileSync(scene.gitDir('config'), `${plain}${text}`);
      writeFileSync(scene.gitDir('refs', 'heads', 'main'), `${heads[at]}\n`);
      await scene.readSkills();
      yield scene.quiet(`the key ${keys[at]}`);
    }
    writeFileSync(scene.gitDir('refs', 'heads', 'main'), `${head}\n`);
    writeFileSync(scene.gitDir('config'), `${plain}${configurationText(['include.path', included])}`);
    await scene.server.restart();
    yield scene.quiet(`${keys.length} keys in an included file, at a start`);
  }
  writeFileSync(scene.gitDir('config'), plain);
  rmSync(scene.gitDir('hooks'), { recursive: true });
  rmSync(scene.gitDir('info', 'attributes'));
}

/** Features that are not used but harm nothing: the next publication succeeds with all of them. */
async function* inRepository(scene: Scene): AsyncIterable<Attempt> {
  const { program, address } = scene;
  const head = scene.git(['rev-parse', 'main']);
  scene.git(['replace', head, scene.git(['commit-tree', '-m', 'other', `${head}^{tree}`])]);
  const promisor = `[remote "canary"]\n\turl = "ext::${program}"\n\tpromisor = true\n[protocol "ext"]\n\tallow = always\n`;
  const plain = readFileSync(scene.gitDir('config'), 'utf8');
  const submodule = `[submodule "x"]\n\tpath = x\n\turl = "ext::${program}"\n\tupdate = "!${program}"\n`;
  const file = `100644 blob ${'1'.repeat(40)}\tSKILL.md\n`;
  const lost = scene.git(['mktree', '--missing'], file);
  const items = [scene.git(['ls-tree', head]), `040000 tree ${lost}\tlost-skill`, `160000 commit ${head}\tsub`];
  const root = scene.git(['mktree', '--missing'], `${items.join('\n')}\n`);
  scene.git(['update-ref', 'refs/heads/main', scene.git(['commit-tree', '-m', 'by hand', '-p', head, root])]);
  writeFileSync(scene.gitDir('config'), `${plain}${promisor}${submodule}`);
  writeFileSync(scene.gitDir('info', 'grafts'), `${head} ${'1'.repeat(40)}\n`);
  writeFileSync(scene.gitDir('info', 'sparse-checkout'), '/nothing\n');
  writeFileSync(scene.gitDir('objects', 'info', 'http-alternates'), `${address}\n`);
  writeFileSync(scene.gitDir('objects', 'info', 'commit-graph'), 'CGPH damaged');
  writeFileSync(scene.gitDir('objects', 'pack', 'multi-pack-index'), 'MIDX damaged');
  writeFileSync(scene.in('.gitmodules'), submodule);
  writeFileSync(scene.in('.mailmap'), 'Eve <eve@example.test> <rita-reviews@example.test>\n');
  await scene.publishNext();
  yield scene.quiet(
    '10 features: promisor, submodule, replaced object, graft, sparse patterns, http-alternates, commit graph, ' +
      'index of packs, mailmap, reserved protocol',
  );
  writeFileSync(scene.gitDir('config'), plain);
  for (const path of [
    'info/grafts',
    'info/sparse-checkout',
    'objects/info/commit-graph',
    'objects/pack/multi-pack-index',
  ])
    rmSync(scene.gitDir(path), { force: true });
  scene.git(['replace', '-d', head]);
}

async function* atRoot(scene: Scene): AsyncIterable<Attempt> {
  const plant = () => {
    for (const path of ROOT_FILES) {
      mkdirSync(dirname(scene.in(path)), { recursive: true });
      writeFileSync(scene.in(path), '{}\n');
    }
  };
  plant();
  scene.git(['add', '--force', ...ROOT_FILES]);
  scene.git(['commit', '-qm', 'by hand']);
  await scene.publishNext();
  const onMain = scene.git(['ls-tree', '-r', '--name-only', 'main']).split('\n');
  plant();
  await scene.server.restart();
  const findings = await scene.findings('removed-file');
  // The entries are moved one after the other.
  const isLeft = () => ROOT_FILES.some((path) => existsSync(scene.in(path)));
  for (const deadline = performance.now() + FINDING_MS; isLeft() && performance.now() < deadline; ) await sleep(50);
  const names = new Set(onMain);
  for (const path of ROOT_FILES) {
    const url = `/.well-known/agent-skills/${path}`;
    const { status } = await scene.server.call('GET', url);
    const isGone = !names.has(path) && !existsSync(scene.in(path)) && status === 404;
    yield attempt(
      `${path} at the root`,
      isGone,
      `main ${names.has(path)}, folder ${existsSync(scene.in(path))}, ${status}`,
    );
  }
  yield attempt('foreign files stay without a finding', findings.length > 0, `${findings.length} findings`);
}

async function* inObjects(scene: Scene): AsyncIterable<Attempt> {
  const head = scene.git(['rev-parse', 'main']);
  const [skill = ''] = scene
    .git(['ls-tree', '--name-only', '-d', 'main'])
    .split('\n')
    .filter((it) => it.startsWith('attack'));
  appendFileSync(scene.in(skill, 'SKILL.md'), 'by hand\n');
  scene.git(['commit', '-qam', 'by hand']);
  const damaged = scene.git(['rev-parse', `main:${skill}/SKILL.md`]);
  const object = scene.gitDir('objects', damaged.slice(0, 2), damaged.slice(2));
  chmodSync(object, 0o644);
  writeFileSync(object, 'not an object');
  await scene.server.restart();
  const findings = await scene.findings('unreadable-object');
  const isNamed = findings.includes(`unreadable-object ${skill}/SKILL.md`);
  yield attempt('a damaged object hides the others', isNamed && !(await scene.isStalled()), findings.join(', '));
  await scene.publishNext();
  yield attempt('a damaged object stops publications', true, 'the next decision is on main');
  writeFileSync(scene.gitDir('refs', 'heads', 'main'), `${'1'.repeat(40)}\n`);
  await scene.server.restart();
  const stalled = await scene.findings('reconciler-stalled');
  yield attempt('a lost head stalls the reconciler silently', await scene.isStalled(), stalled.join(', '));
  writeFileSync(scene.gitDir('refs', 'heads', 'main'), `${head}\n`);
  await scene.server.restart();
}

/** What makes another place part of the repository. The server does not start with it. */
async function* refusedAtStart(scene: Scene): AsyncIterable<Attempt> {
  const { server } = scene;
  const config = readFileSync(scene.gitDir('config'), 'utf8');
  const moved = join(server.folder, 'moved');
  const linked = (...part: string[]) => {
    renameSync(scene.gitDir(...part), moved);
    symlinkSync(moved, scene.gitDir(...part));
    return () => {
      rmSync(scene.gitDir(...part));
      renameSync(moved, scene.gitDir(...part));
    };
  };
  const written = (text: string, ...part: string[]) => {
    writeFileSync(scene.gitDir(...part), text);
    return () => rmSync(scene.gitDir(...part));
  };
  const extended = (text: string) => {
    writeFileSync(scene.gitDir('config'), `${config}[extensions]\n\t${text}\n`);
    return () => writeFileSync(scene.gitDir('config'), config);
  };
  const cases: [string, () => () => void][] = [
    ['a partial clone', () => extended('partialClone = canary')],
    ['an unknown extension', () => extended('madeUp = true')],
    ['objects of another folder', () => written(`${scene.remote}/objects\n`, 'objects', 'info', 'alternates')],
    ['a worktree pointer', () => written(`${scene.remote}\n`, 'commondir')],
    ['a history that is cut off', () => written(`${scene.git(['rev-parse', 'main'])}\n`, 'shallow')],
    ['linked packs', () => linked('objects', 'pack')],
    ['linked branches', () => linked('refs', 'heads')],
    ['a link in place of .git', () => linked()],
  ];
  for (const [name, plant] of cases) {
    await server.stop();
    const undo = plant();
    const answer = await server.restart().then(
      () => 'started',
      (error: unknown) => String(error),
    );
    undo();
    const isRefused = /skills folder (?:cannot be used|is part of)/.test(answer);
    const quiet = scene.quiet(name);
    yield attempt(`a start with ${name}`, isRefused && quiet.outcome === 'held', isRefused ? quiet.detail : answer);
  }
  await server.restart();
}
