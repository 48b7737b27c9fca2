import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NewProposal } from '../../src/approvals/proposals/new-proposal.js';
import type { ProposalDetails } from '../../src/approvals/proposals/proposals.schema.js';
import { RefreshProposal } from '../../src/approvals/submissions/refresh.js';
import { SubmitProposal } from '../../src/approvals/submissions/submit.js';
import { evidenceView } from '../../src/console/review/evidence-view.js';
import { predicateHash } from '../../src/evidence/predicate/binding.js';
import { jobActor } from '../../src/journal/actor.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { BINDING, checkedEvidence, checkOf, DOSSIER, PREDICATE } from '../support/checked-proposal.js';
import { submitTestProposal, testProposalInput } from '../support/proposal-input.js';

const code = (of: string) => ({ problem: { code: of } });
const SENTENCE =
  'Seen only in some-harness, in the project shop, with python 2.7.18: check before relying on it elsewhere.';

describe('the approved record of a checked lesson', () => {
  let app: TestApplication;
  let rita: Awaited<ReturnType<TestApplication['person']>>;

  beforeAll(async () => {
    app = await startTestApplication();
    rita = await app.person('Rita Reviewer', { reviewer: true });
  });
  afterAll(() => app.close());

  const submit = (title: string, says: Partial<NewProposal['proposedSkill']> = {}, more: Partial<NewProposal> = {}) =>
    submitTestProposal(
      app,
      title,
      more,
      { predicate: PREDICATE, binding: BINDING, ...says },
      checkedEvidence('confirmed'),
    );
  const edit = ({ id, artifactSha256, proposedSkill }: ProposalDetails, says: object) =>
    rita.client.proposals.edit(id, { artifactSha256, proposedSkill: { ...proposedSkill, ...says } });
  const hashIn = ({ artifact }: Pick<ProposalDetails, 'artifact'>) =>
    /guildbook\/predicate: "sha256:([0-9a-f]{64})"/.exec(artifact)?.[1];

  it('holds the binding in words and the hash of predicate and binding, and says the environment once', async () => {
    const environment = [
      { name: 'harness', value: 'some-harness' },
      { name: 'operating system', value: 'linux' },
      ...(BINDING.environment ?? []),
    ];
    const proposal = await submit('Bind what is known', { environment });
    expect(proposal).toMatchObject({ binding: BINDING, proposedSkill: { binding: BINDING, predicate: PREDICATE } });
    expect(proposal.artifact).toContain(`\n${SENTENCE}\n\nSeen with: operating system linux.\n`);
    expect(proposal.artifact.match(/2\.7\.18/g)).toHaveLength(1);
    expect(hashIn(proposal)).toBe(predicateHash(PREDICATE, BINDING));
    const free = await submitTestProposal(app, 'Bound to nothing');
    expect(free.binding).toBeNull();
    expect(free.artifact).not.toMatch(/Seen only|guildbook\/predicate/);
  });

  it('has other bytes once its predicate or its binding changes, so that an approval of the old ones is refused', async () => {
    for (const [title, says] of [
      ['Change the binding', { binding: { harness: 'some-harness' } }],
      ['Change the predicate', { predicate: { ...PREDICATE, within: 3 } }],
    ] as const) {
      const proposal = await submit(title);
      const edited = await edit(proposal, says);
      expect(edited).toMatchObject({ revision: 2, votes: { given: 0 } });
      expect(edited.artifactSha256).not.toBe(proposal.artifactSha256);
      expect(hashIn(await app.admin.proposals.show(proposal.id))).not.toBe(hashIn(proposal));
      await expect(app.admin.proposals.approve(proposal.id, proposal.artifactSha256)).rejects.toMatchObject(
        code('proposal.artifact_changed'),
      );
    }
  });

  it('names the person who widened it, in the record, the file and the journal', async () => {
    const proposal = await submit('Widen this');
    await edit(proposal, { binding: { harness: 'some-harness' } });
    const shown = await app.admin.proposals.show(proposal.id);
    expect(shown).toMatchObject({ binding: { harness: 'some-harness' }, editedBy: 'Rita Reviewer' });
    expect(shown.authors).toEqual([{ part: 'binding', number: 0, by: 'Rita Reviewer' }]);
    expect(shown.artifact).toContain('The binding was written by a reviewer.');
    expect(shown.revisions[0]?.difference).toContain(`-${SENTENCE}`);
    await edit(shown, { binding: undefined });
    expect(await app.admin.proposals.show(proposal.id)).toMatchObject({ binding: null, revision: 3 });
  });

  it('loses its check with another predicate, and keeps it with another binding', async () => {
    const proposal = await submit('Check that');
    await edit(proposal, { binding: { project: 'shop' } });
    const bound = await app.admin.proposals.show(proposal.id);
    expect(bound).toMatchObject({ verdict: 'confirmed', evidence: { check: { verdict: 'confirmed' } } });
    await edit(bound, { predicate: { when: PREDICATE.when } });
    const claimed = await app.admin.proposals.show(proposal.id);
    expect(claimed).toMatchObject({ verdict: null, checkWords: [] });
    expect(claimed.evidence.check).toBeUndefined();
  });

  it('gives agents the binding with the lesson, and the next version says what it widens', async () => {
    const proposal = await submit('Deliver what is bound');
    await app.admin.proposals.approve(proposal.id, proposal.artifactSha256);
    const row = await app.database.client.memory.findFirstOrThrow({ where: { skillName: proposal.skillName } });
    expect(row.parts).toEqual({ binding: BINDING });
    const { client } = await app.agent('ada');
    const { messages } = await client.recall({ query: 'deliver what is bound' });
    expect(messages.at(-1)?.content).toContain(SENTENCE);
    const wider = await submit(
      'Deliver more widely',
      { binding: { project: 'shop' } },
      { kind: 'supersede', supersedesId: row.id },
    );
    expect(wider.widens).toEqual([
      { part: 'harness', was: 'some-harness', now: null },
      { part: 'environment', was: 'python 2.7.18', now: null },
    ]);
    expect(proposal.widens).toEqual([]);
  });

  it('leaves out a predicate with private text, and removes private text from the dossier', async () => {
    const path = '/home/ann/payroll/2026.csv';
    const [example] = DOSSIER.examples;
    if (!example) throw new Error('the dossier has no example');
    const failed = { ...example.failed, call: { tool: 'shell', call: `cat ${path}` }, error: `${path}: not found` };
    const dossier = { ...DOSSIER, signature: `${path}: not found`, examples: [{ ...example, failed }] };
    const { id } = await submitTestProposal(
      app,
      'Keep paths private',
      {},
      { predicate: { when: { args: path } }, binding: { project: 'AKIA2E0A8F3B244C9986' } },
      { ...checkedEvidence('confirmed'), dossier },
    );
    const shown = await app.admin.proposals.show(id);
    expect(shown.proposedSkill.predicate).toBeUndefined();
    expect(shown.predicateWords).toEqual([]);
    expect(JSON.stringify(shown)).not.toMatch(/\/home\/ann|payroll|AKIA2E0A8F3B244C9986/);
    expect(shown.evidence.dossier?.examples[0]?.failed.error).toContain('not found');
  });

  it('is shown with the pair, the comparison, the predicate and the dossier in words', async () => {
    const proposal = await submit('Show the pair');
    expect(proposal.checkWords[0]).toContain('with it 33 of 47 worked, without it 1 of 12');
    expect(proposal.checkWords).toContain('holds without any one of the 9 agents compared');
    expect(proposal.predicateWords.join(' ')).toContain('unknown option');
    expect(proposal.evidence).toMatchObject({ dossier: DOSSIER, witnesses: { agents: 5, remedies: 2 } });
  });

  it('is shown if an earlier version made it from the judged outcomes of executions', async () => {
    const check = checkOf('confirmed', { by: 'execution' });
    const comparisons = check.comparisons.map((one) => ({ ...one, kind: 'execution' as const }));
    const { id } = await submitTestProposal(
      app,
      'Check first',
      {},
      { predicate: { execution: { first: { action: 'npm run lint' }, before: { action: 'npm publish' } } } },
      { check: { ...check, comparisons }, dossier: { ...DOSSIER, kind: 'runs' } },
    );
    const shown = await app.admin.proposals.show(id);
    expect(shown).toMatchObject({ verdict: 'confirmed', evidence: { dossier: { kind: 'runs' } } });
    expect(shown.checkWords[0]).toContain('with it 33 of 47 worked, without it 1 of 12');
    expect(shown.predicateWords[0]).toContain('`npm run lint` before the first call of the action `npm publish`');
    expect(evidenceView(shown, app.clock.now()).failures).toContain('with the step that ended well');
    const approved = await app.admin.proposals.approve(id, shown.artifactSha256);
    expect(approved).toMatchObject({ state: 'approved' });
  });
});

describe('the queue of checked lessons', () => {
  let app: TestApplication;
  beforeAll(async () => {
    app = await startTestApplication();
  });
  afterAll(() => app.close());

  it('lists confirmed lessons first and observed ones last, each by impact, and is filtered by verdict', async () => {
    const input = { predicate: PREDICATE };
    await submitTestProposal(app, 'observed large', { impact: 900 }, input, checkedEvidence('observed'));
    await submitTestProposal(app, 'confirmed small', { impact: 2 }, input, checkedEvidence('confirmed'));
    await submitTestProposal(app, 'by hand', { impact: 5 });
    await submitTestProposal(app, 'confirmed large', { impact: 20 }, input, checkedEvidence('confirmed'));
    await submitTestProposal(app, 'observed small', { impact: 1 }, input, checkedEvidence('observed'));
    const order = ['confirmed large', 'confirmed small', 'by hand', 'observed large', 'observed small'];
    const verdicts = ['confirmed', 'confirmed', null, 'observed', 'observed'];
    const { items } = await app.admin.proposals.list();
    expect(items.map(({ title, verdict }) => [title, verdict])).toEqual(
      order.map((title, at) => [title, verdicts[at]]),
    );
    const paged: string[] = [];
    for (let after: string | null | undefined; after !== null; ) {
      const page = await app.admin.proposals.list({ limit: 1, ...(after ? { after } : {}) });
      paged.push(...page.items.map(({ title }) => title));
      after = page.next;
    }
    expect(paged).toEqual(order);
    const from = await app.admin.proposals.list({ after: items[1]?.id ?? '' });
    expect(from.items.map(({ title }) => title)).toEqual(order.slice(2));
    const observed = await app.admin.proposals.list({ verdict: 'observed' });
    expect([observed.total, observed.items[0]?.title]).toEqual([2, 'observed large']);
  });

  it('takes no lesson that its check speaks against', async () => {
    const submission = testProposalInput('refuted', { predicate: PREDICATE });
    for (const verdict of ['refuted', 'undecided'] as const) {
      const evidence = { ...submission.evidence, check: checkOf(verdict) };
      const refused = { code: 'proposal.unsupported' };
      await expect(
        app.app.get(SubmitProposal).submit(jobActor('test'), { ...submission, evidence }),
      ).rejects.toMatchObject(refused);
      const { items } = await app.admin.proposals.list();
      await expect(
        app.app.get(RefreshProposal).refresh(jobActor('test'), items[0]?.id ?? '', { ...submission, evidence }),
      ).rejects.toMatchObject(refused);
    }
  });

  it('moves a lesson up once it is confirmed', async () => {
    const input = testProposalInput('later confirmed', { predicate: PREDICATE });
    const evidence = { ...input.evidence, ...checkedEvidence('observed') };
    const { id } = await app.app.get(SubmitProposal).submit(jobActor('test'), { ...input, impact: 5_000, evidence });
    expect((await app.admin.proposals.list()).items[0]?.id).not.toBe(id);
    await app.app.get(RefreshProposal).refresh(jobActor('test'), id, {
      ...input,
      impact: 5_000,
      evidence: { ...evidence, ...checkedEvidence('confirmed') },
    });
    expect((await app.admin.proposals.list()).items[0]).toMatchObject({ id, verdict: 'confirmed' });
  });
});
