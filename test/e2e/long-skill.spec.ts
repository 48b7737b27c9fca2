import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { ExternalEditSubmitter } from '../../src/approvals/external/external-edit-submitter.service.js';
import type { ProposalDetails } from '../../src/approvals/proposals/proposals.schema.js';
import { sha256 } from '../../src/platform/base/canonical-json.js';
import { filesOf } from '../../src/skills/document/bundle.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { submitTestProposal } from '../support/proposal-input.js';

const BASE = '/.well-known/agent-skills';

const Index = z.object({
  skills: z.tuple([z.looseObject({ url: z.string(), digest: z.string(), files: z.array(z.string()) })]),
});

describe('a skill that is too long for one file', () => {
  let app: TestApplication;
  let proposal: ProposalDetails;
  const git = (...args: string[]) => execFileSync('git', ['-C', app.skillsDir, ...args], { encoding: 'utf8' }).trim();
  const get = (path: string) => fetch(`${app.url}${BASE}/${path}`);
  const pendingProposals = async () => {
    for (let round = 0; round < 2; round++) {
      app.app.get(ExternalEditSubmitter).wake();
      await app.app.get(ExternalEditSubmitter).idle();
      await app.settled();
    }
    return (await app.admin.proposals.list()).items;
  };

  beforeAll(async () => {
    app = await startTestApplication();
    const steps = Array.from({ length: 48 }, (_, n) => `Step ${n}: ${'and on '.repeat(60)}`.trim());
    proposal = await submitTestProposal(
      app,
      'Very long',
      {},
      {
        steps,
        gotchas: ['It takes an hour.'],
        rationale: 'The short form is not installed.',
      },
    );
  });
  afterAll(() => app.close());

  it('is shown, hashed and approved with all of its files', async () => {
    expect([...filesOf(proposal.artifact).keys()]).toEqual([
      ...['SKILL.md', 'references/gotchas.md', 'references/steps.md', 'references/why.md'],
    ]);
    expect(proposal.artifactSha256).toBe(sha256(proposal.artifact));
    const part = sha256(filesOf(proposal.artifact).get('SKILL.md') ?? '');
    await expect(app.admin.proposals.approve(proposal.id, part)).rejects.toMatchObject({ problem: { status: 409 } });
    await app.admin.proposals.approve(proposal.id, proposal.artifactSha256);
    await app.settled();
  });

  it('is published in one commit that holds exactly the approved files', async () => {
    const files = [...filesOf(proposal.artifact)];
    for (const [path, text] of files)
      expect(readFileSync(join(app.skillsDir, proposal.skillName, path), 'utf8')).toBe(text);
    expect(git('rev-list', '--count', 'main')).toBe('1');
    expect(git('status', '--porcelain')).toBe('');
    expect(await pendingProposals()).toEqual([]);
    expect((await app.admin.repository()).findings).toEqual([]);
  });

  it('is served as an archive with its digest, and file by file', async () => {
    const { skills } = Index.parse(await (await get('index.json')).json());
    expect(skills).toMatchObject([{ type: 'archive', url: `${proposal.skillName}/skill.tar.gz` }]);
    const archive = await get(skills[0].url);
    expect(archive.headers.get('content-type')).toBe('application/gzip');
    expect(`sha256:${sha256(Buffer.from(await archive.arrayBuffer()))}`).toBe(skills[0].digest);
    expect(skills[0].files).toEqual([...filesOf(proposal.artifact).keys()]);
    for (const [path, text] of filesOf(proposal.artifact))
      expect(await (await get(`${proposal.skillName}/${path}`)).text()).toBe(text);
    expect((await get(`${proposal.skillName}/references/other.md`)).status).toBe(404);
    expect((await get(`${proposal.skillName}/references/..%2fSKILL.md`)).status).toBe(400);
  });

  it('becomes a proposal after an external edit of any of its files, and follows the decision', async () => {
    const file = join(app.skillsDir, proposal.skillName, 'references', 'gotchas.md');
    writeFileSync(file, `${readFileSync(file, 'utf8')}- It needs the network.\n`);
    const [amend] = await pendingProposals();
    const shown = await app.admin.proposals.show(amend?.id ?? '');
    expect(shown).toMatchObject({ kind: 'amend', edit: { from: 'folder', notes: [] } });
    expect(shown.proposedSkill).toEqual({
      ...proposal.proposedSkill,
      gotchas: ['It takes an hour.', 'It needs the network.'],
    });
    expect(shown.difference).toContain('\n+- It needs the network.\n');
    await app.admin.proposals.reject(shown.id, 'it does not');
    expect(await pendingProposals()).toEqual([]);
    expect(readFileSync(file, 'utf8')).toBe(filesOf(proposal.artifact).get('references/gotchas.md'));
  });

  it('is removed with all of its files when it is retired', async () => {
    await app.admin.retireSkill(proposal.id, 'no longer true');
    await app.settled();
    expect(existsSync(join(app.skillsDir, proposal.skillName))).toBe(false);
    expect(git('ls-tree', '-r', '--name-only', 'main')).not.toContain(proposal.skillName);
    expect(readdirSync(app.skillsDir)).not.toContain(proposal.skillName);
  });
});
