import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ExternalEditSubmitter } from '../../src/approvals/external/external-edit-submitter.service.js';
import { Publisher } from '../../src/skills/publishing/publisher.service.js';
import { Reconciler } from '../../src/skills/publishing/reconciler.service.js';
import { RemotePusher } from '../../src/skills/publishing/remote-pusher.service.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { http } from '../support/http.js';
import { submitTestProposal } from '../support/proposal-input.js';

// Each case runs git dozens of times.
jest.setTimeout(120_000);

type TestProposal = Awaited<ReturnType<typeof submitTestProposal>>;

const SECRET = 'bytes-without-approval';

describe('a remote of a skills repository with commits by hand', () => {
  let app: TestApplication;
  let folder: string;
  let bare: string;
  let first: TestProposal;

  const gitIn = (directory: string, args: readonly string[], input?: string) =>
    execFileSync('git', ['-C', directory, '-c', 'user.name=Hand', '-c', 'user.email=hand@example.org', ...args], {
      encoding: 'utf8',
      input,
      stdio: ['pipe', 'pipe', 'ignore'],
    }).trim();
  const git = (...args: string[]) => gitIn(app.skillsDir, args);
  const remote = (...args: string[]) => gitIn(bare, args);
  const settle = async () => {
    for (const type of [
      Publisher,
      RemotePusher,
      Reconciler,
      ExternalEditSubmitter,
      Publisher,
      RemotePusher,
      Reconciler,
    ]) {
      const worker = app.app.get<{ wake(): void; idle(): Promise<void> }>(type);
      worker.wake();
      await worker.idle();
    }
  };
  const approve = async (title: string) => {
    const proposal = await submitTestProposal(app, title);
    await app.admin.proposals.approve(proposal.id, proposal.artifactSha256);
    await settle();
    return proposal;
  };
  const commit = (file: string, text: string, message = 'just a small fix', ...options: string[]) => {
    writeFileSync(join(app.skillsDir, file), text);
    git('add', '-f', file);
    git('commit', '-q', '-m', message, ...options);
    return git('rev-parse', 'HEAD');
  };
  /** Names and texts of everything at the remote. */
  const everything = () => {
    const objects = remote('cat-file', '--batch-all-objects', '--batch-check=%(objectname)').split('\n');
    return objects.map((id) => remote('cat-file', '-p', id)).join('\n');
  };
  const subjects = () => remote('log', '--reverse', '--format=%s', 'main').split('\n');
  const problems = async () => {
    const { problems }: { problems: { code: string }[] } = (await http(app).get('/readyz')).body;
    return problems.map(({ code }) => code);
  };
  const held = async () => (await app.admin.repository()).history.held;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'guildbook-known-'));
    bare = join(folder, 'remote.git');
    execFileSync('git', ['init', '-q', '--bare', '-b', 'main', bare]);
    app = await startTestApplication({ GUILDBOOK_SKILLS_REMOTE: `file://${bare}` });
    first = await approve('Alpha');
    expect(subjects()).toEqual(['Publish alpha v1']);
    expect(await problems()).toEqual([]);
  });
  afterEach(async () => {
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const alpha = 'alpha/SKILL.md';
  const forged = (id: string) =>
    `Publish alpha v1\n\nGuildbook-Approval: ${id}\nGuildbook-Artifact-Sha256: ${'a'.repeat(64)}\n`;
  const cases: [string, (proposal: TestProposal) => string, string][] = [
    ['changes an approved skill', ({ artifact }) => commit(alpha, `${artifact}\n${SECRET}\n`), 'no-decision'],
    ['adds a file', () => commit('NOTES.md', SECRET), 'no-decision'],
    ['adds a license', () => commit('LICENSE', SECRET), 'no-decision'],
    ['copies the trailers of a decision', ({ id }) => commit('NOTES.md', SECRET, forged(id)), 'differs'],
    ['changes a generated file', () => commit('README.md', SECRET), 'no-decision'],
  ];

  /** The reconciler removes what they changed; then main has the known files, and the commits are set aside. */
  const REPAIRED = ['adds a file', 'copies the trailers of a decision', 'changes a generated file'];

  it.each(cases)(
    'never receives one that %s, nor one on top of which a decision was made',
    async (_what, byHand, reason) => {
      const id = byHand(first);
      await settle();
      if (REPAIRED.includes(_what)) {
        expect(git('rev-parse', 'main')).toBe(remote('rev-parse', 'main'));
        expect((await app.admin.repository()).history).toMatchObject({ held: null, setAside: [expect.any(String)] });
      } else {
        expect(await held()).toEqual({ commit: id, reason });
        expect(await problems()).toContain('skills.push_held');
      }
      await approve('Bravo');
      expect(subjects()).toEqual(['Publish alpha v1', 'Publish bravo v1']);
      expect(everything()).not.toContain(SECRET);
      const { items } = await app.admin.journal.list({ action: 'skills.push_held' });
      expect(items.length).toBeLessThanOrEqual(1);
      await http(app).get('/.well-known/agent-skills/alpha/SKILL.md').expect(200, first.artifact);
      expect(JSON.stringify(await app.admin.skills.show('alpha'))).not.toMatch(/just a small fix|Hand/);
    },
  );

  it('receives later decisions after an approved commit was amended, which is replaced and kept', async () => {
    git('commit', '-q', '--amend', '-m', `${git('log', '-1', '--format=%B')}\nReviewed-by: ${SECRET}`);
    const amended = git('rev-parse', 'main');
    await settle();
    expect(git('rev-parse', 'main')).toBe(remote('rev-parse', 'main'));
    expect((await app.admin.repository()).history).toMatchObject({ held: null, setAside: [amended] });
    expect(git('show', '-s', '--format=%B', `refs/guildbook/held/${amended}`)).toContain(SECRET);
    const { items } = await app.admin.journal.list({ action: 'skills.push_released' });
    expect(items).toMatchObject([{ data: { commit: amended, setAside: amended, reason: 'not-in-line' } }]);
    await approve('Bravo');
    expect(subjects()).toEqual(['Publish alpha v1', 'Publish bravo v1']);
    expect(everything()).not.toContain(SECRET);
    expect(await problems()).toEqual([]);
    expect(await app.admin.repository()).toMatchObject({ findings: [] });
    expect(git('status', '--porcelain')).toBe('');
  });

  it('never receives a merge, a tag, another branch or a second root, and keeps its history after main was replaced', async () => {
    const known = git('rev-parse', 'main');
    git('checkout', '-q', '-b', 'side');
    commit(alpha, `${first.artifact}\n${SECRET}\n`);
    git('tag', 'v1');
    git('checkout', '-q', 'main');
    git('merge', '-q', '--no-ff', '-m', 'merged', 'side');
    await settle();
    expect(await held()).toMatchObject({ reason: expect.stringMatching(/not-in-line|no-decision/) });
    expect(remote('for-each-ref', '--format=%(refname) %(objectname)')).toBe(`refs/heads/main ${known}`);
    const other = gitIn(app.skillsDir, ['commit-tree', git('rev-parse', 'main^{tree}')], `root ${SECRET}`);
    git('update-ref', 'refs/heads/main', other);
    await settle();
    expect(await held()).toEqual({ commit: other, reason: 'not-in-line' });
    await approve('Bravo');
    expect(subjects()).toEqual(['Publish alpha v1', 'Publish bravo v1']);
    expect(everything()).not.toContain(SECRET);
  });

  it('gets nothing twice after main was rewound', async () => {
    await approve('Bravo');
    const known = git('rev-parse', 'main');
    git('reset', '-q', '--hard', 'main~1');
    await settle();
    await settle();
    expect(git('rev-parse', 'main')).toBe(known);
    expect(await held()).toBeNull();
    await approve('Charlie');
    expect(subjects()).toEqual(['Publish alpha v1', 'Publish bravo v1', 'Publish charlie v1']);
  });

  it('receives the approved bytes of a skill whose approval was forged before the decision', async () => {
    const next = await submitTestProposal(app, 'Bravo');
    const id = commit('NOTES.md', SECRET, forged(next.id));
    await app.admin.proposals.approve(next.id, next.artifactSha256);
    await settle();
    expect(await held()).toMatchObject({ commit: id });
    expect(remote('show', 'main:bravo/SKILL.md')).toBe(next.artifact.trimEnd());
    expect(everything()).not.toContain(SECRET);
  });

  it('receives one line of decisions after the edit of a commit was decided, also with decisions in between', async () => {
    const byHand = commit(alpha, `${first.artifact}\n${SECRET}\n`);
    await settle();
    await approve('Bravo');
    const pending = (await app.admin.proposals.list()).items;
    expect(pending).toMatchObject([{ kind: 'amend' }]);
    await app.admin.proposals.reject(pending[0]?.id ?? '', 'not so');
    await settle();
    await settle();
    expect(subjects()).toEqual(['Publish alpha v1', 'Publish bravo v1', 'Restore alpha v1']);
    expect(git('rev-parse', 'main')).toBe(remote('rev-parse', 'main'));
    expect(readFileSync(join(app.skillsDir, alpha), 'utf8')).toBe(first.artifact);
    expect(git('status', '--porcelain')).toBe('');
    expect(git('for-each-ref', '--format=%(objectname)', '--contains', byHand)).not.toBe('');
    expect(everything()).not.toContain(SECRET);
    expect(await problems()).toEqual([]);
    // The noted commits are those of main again.
    const commits = (await app.database.client.publication.findMany()).map((row) => row.commit);
    expect(commits.sort()).toEqual(git('rev-list', 'main').split('\n').sort());
  });
});
