import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Publisher } from '../../src/skills/publishing/publisher.service.js';
import { Reconciler } from '../../src/skills/publishing/reconciler.service.js';
import { RemotePusher } from '../../src/skills/publishing/remote-pusher.service.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { http } from '../support/http.js';
import { approvedSkill } from '../support/skills.js';

/** Names that agents read at the root of a repository, and some inside of a skill. */
const PLANTED = [
  ...['hooks/hooks.json', '.mcp.json', 'agents/a.md', 'commands/c.md', '.lsp.json', 'settings.json', 'bin/run'],
  ...['AGENTS.md', 'CLAUDE.md', 'GEMINI.md', '.gitattributes', '.gitmodules', '.claude-plugin/plugin.json'],
  ...[
    '.github/workflows/run.yml',
    '.github/plugin/hooks.json',
    'skills/evil/SKILL.md',
    'gemini-extension.json',
    '.codex-plugin/plugin.json',
  ],
];

describe('a file in the skills repository that is no skill', () => {
  let app: TestApplication;
  let skill: string;
  let plantedFiles: string[];

  const inFolder = (...path: string[]) => join(app.skillsDir, ...path);
  const git = (args: readonly string[], input?: string) =>
    execFileSync('git', ['-C', app.skillsDir, '-c', 'user.name=Hand', '-c', 'user.email=hand@example.org', ...args], {
      encoding: 'utf8',
      stdio: ['pipe', 'pipe', 'ignore'],
      ...(input === undefined ? {} : { input }),
    }).trim();
  const tracked = () => git(['ls-tree', '-r', '--name-only', 'main']).split('\n');
  const reconcile = async () => {
    const reconciler = app.app.get(Reconciler);
    reconciler.wake();
    await reconciler.idle();
    await app.app.get(Publisher).idle();
    // It decides which commits are held.
    app.app.get(RemotePusher).wake();
    await app.app.get(RemotePusher).idle();
    return (await app.admin.repository()).findings;
  };
  const plant = (paths: readonly string[]) => {
    for (const path of paths) {
      mkdirSync(inFolder(path, '..'), { recursive: true });
      writeFileSync(inFolder(path), '{}\n');
    }
  };
  const isReady = async () => {
    const { problems }: { problems: { code: string }[] } = (await http(app).get('/readyz')).body;
    return problems.map(({ code }) => code).filter((code) => code === 'skills.reconciler_stalled');
  };

  beforeEach(async () => {
    app = await startTestApplication();
    skill = await approvedSkill(app, 'first skill');
    plantedFiles = [...PLANTED, `${skill}/scripts/run.sh`, `${skill}/hooks/hooks.json`];
    expect(await reconcile()).toEqual([]);
  });
  afterEach(() => app.close());

  it('is removed from main by a commit, and from the folder, and is reported and journalled', async () => {
    const before = tracked();
    plant([...plantedFiles, 'LICENSE']);
    git(['add', '--force', '.']);
    git(['commit', '-qm', 'by hand']);
    const findings = await reconcile();
    expect(tracked()).toEqual([...before, 'LICENSE'].sort());
    expect(plantedFiles.filter((path) => existsSync(inFolder(path)))).toEqual([]);
    expect(git(['log', '-1', '--format=%an %s', 'main'])).toBe('Guildbook Remove files that are not skills');
    expect(git(['status', '--porcelain'])).toBe('');
    expect(git(['fsck', '--strict', '--no-dangling'])).toBe('');
    // A license stays, but no decision explains it.
    const held = `commit-held ${git(['rev-parse', 'main~1'])}`;
    expect(findings.map(({ kind, subject }) => `${kind} ${subject}`)).toEqual(
      [held, ...plantedFiles.map((path) => `removed-file ${path}`)].sort(),
    );
    const { items } = await app.admin.journal.list({ action: 'skills.repository_repaired' });
    expect(items).toMatchObject([{ data: { kind: 'unknown-file', repair: 'remove', files: plantedFiles.length } }]);
  });

  it('is removed before the next publication builds on it', async () => {
    plant(plantedFiles);
    git(['add', '--force', '.']);
    git(['commit', '-qm', 'by hand']);
    const other = await approvedSkill(app, 'second skill');
    expect(git(['log', '--format=%s', 'main']).split('\n').slice(0, 3)).toEqual([
      `Publish ${other} v1`,
      'Remove files that are not skills',
      'by hand',
    ]);
    expect(tracked().filter((path) => plantedFiles.includes(path))).toEqual([]);
    expect((await reconcile()).filter(({ kind }) => kind === 'removed-file')).toHaveLength(plantedFiles.length);
  });

  it('is moved aside if only the folder has it, with its content, and so is a skill that no one approved', async () => {
    const skills = ['my-draft/SKILL.md', 'my-draft/references/more.md', `${skill}/references/more.md`];
    plant([...plantedFiles, ...skills]);
    const findings = await reconcile();
    expect([...plantedFiles, ...skills].filter((path) => existsSync(inFolder(path)))).toEqual([]);
    expect(findings).toContainEqual(expect.objectContaining({ kind: 'removed-file', subject: 'my-draft/' }));
    expect(findings).toContainEqual(expect.objectContaining({ kind: 'removed-file', subject: 'hooks/' }));
    const aside = inFolder('.git', 'guildbook', 'removed');
    const names = readdirSync(aside).flatMap((at) => readdirSync(join(aside, at)));
    expect(names).toEqual(
      expect.arrayContaining(['hooks', '.mcp.json', 'CLAUDE.md', 'scripts', 'my-draft', 'references']),
    );
    expect(await reconcile()).toHaveLength(findings.length);
  });

  it('is removed if it is a link, a submodule, an executable or has a path that no folder may have', async () => {
    const blob = git(['hash-object', '-w', '--stdin'], 'echo\n');
    const evil = git(['mktree'], `100644 blob ${blob}\tauthorized_keys\n`);
    const items = [
      ...git(['ls-tree', 'main']).split('\n'),
      `120000 blob ${blob}\tREADME`,
      `160000 commit ${'1'.repeat(40)}\tsub`,
      `100755 blob ${blob}\trun`,
      `040000 tree ${evil}\t..`,
    ];
    const root = git(['mktree', '--missing'], `${items.join('\n')}\n`);
    git(['update-ref', 'refs/heads/main', git(['commit-tree', '-m', 'by hand', '-p', 'main', root])]);
    const findings = await reconcile();
    expect(tracked().filter((path) => !path.startsWith(skill))).toEqual([
      '.claude-plugin/marketplace.json',
      '.github/plugin/plugin.json',
      'README.md',
    ]);
    expect(existsSync(join(app.skillsDir, '..', 'authorized_keys'))).toBe(false);
    expect(findings.map(({ kind }) => kind)).toEqual(Array(4).fill('removed-file'));
    expect(await isReady()).toEqual([]);
  });

  it('does not stop the other skills if an object is missing or damaged, and is named', async () => {
    const other = await approvedSkill(app, 'second skill');
    // A commit by hand, whose objects lie in single files.
    for (const name of [skill, other]) appendFileSync(inFolder(name, 'SKILL.md'), 'by hand\n');
    git(['commit', '-qam', 'by hand']);
    const byHand = git(['rev-parse', 'main']);
    const looseOf = (name: string) => {
      const id = git(['rev-parse', name]);
      return inFolder('.git', 'objects', id.slice(0, 2), id.slice(2));
    };
    const damaged = looseOf(`main:${skill}/SKILL.md`);
    chmodSync(damaged, 0o644);
    writeFileSync(damaged, 'not an object');
    rmSync(looseOf(`main:${other}`));
    const findings = await reconcile();
    expect(findings.map(({ kind, subject }) => `${kind} ${subject}`)).toEqual(
      [`unreadable-object ${skill}/SKILL.md`, `unreadable-object ${other}/`, `commit-held ${byHand}`].sort(),
    );
    expect(await isReady()).toEqual([]);
    const third = await approvedSkill(app, 'third skill');
    expect(existsSync(inFolder(third, 'SKILL.md'))).toBe(true);
    expect((await app.admin.skills.show(third)).publication).toMatchObject({ state: 'published', lastError: null });
  });

  it.each([
    ['.claude-plugin/marketplace.json', '"strict": false'],
    ['.github/plugin/plugin.json', '"skills": "./"'],
  ])('is replaced if it is the manifest %s that was edited in the folder', async (path, line) => {
    const manifest = inFolder(path);
    const before = readFileSync(manifest, 'utf8');
    writeFileSync(manifest, before.replace(line, `${line}, "hooks": {}`));
    expect(await reconcile()).toMatchObject([{ kind: 'removed-file', subject: path }]);
    expect(readFileSync(manifest, 'utf8')).toBe(before);
  });

  it('degrades /readyz if the repository cannot be compared at all, until it can', async () => {
    const [hand, head] = [git(['rev-parse', 'main^{tree}']), inFolder('.git', 'refs', 'heads', 'main')];
    const good = readFileSync(head, 'utf8');
    writeFileSync(head, `${hand}\n`);
    const findings = await reconcile();
    expect(findings.filter(({ kind }) => kind !== 'commit-held')).toMatchObject([
      { kind: 'reconciler-stalled', problem: expect.stringContaining('newest commit') },
    ]);
    expect(await isReady()).toEqual(['skills.reconciler_stalled']);
    writeFileSync(head, good);
    expect(await reconcile()).toEqual([]);
    expect(await isReady()).toEqual([]);
  });
});
