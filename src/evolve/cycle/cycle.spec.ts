import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ProposedSkill } from '../../approvals/proposals/proposed-skill.schema.js';
import { observe, type StoredExecution } from '../../capture/observations/observation.js';
import type { ToolCall } from '../../capture/report/execution-report.schema.js';
import type { Draft } from '../drafts/draft.js';
import { CYCLE_DEFAULTS, type CycleInput, type CycleOutcome, CycleReader, finishCycle, runCycle } from './cycle.js';

const SYNTAX = 'SyntaxError: invalid syntax';

function run(command: string, errorMessage?: string): ToolCall {
  const call = { name: 'Bash', action: command };
  return errorMessage === undefined ? { ...call, ok: true } : { ...call, ok: false, errorMessage };
}

/** Bare python fails, is repeated in vain, and python3 does it. */
const PYTHON = [run('python a.py', SYNTAX), run('python a.py', SYNTAX), run('python3 a.py')];
/** Fails in every execution, and nothing helps. */
const HOPELESS = [run('make all', 'make: *** No rule to make target'), run('ninja all', 'ninja: error: loading')];

function execution(n: number, toolCalls: ToolCall[], more: Partial<StoredExecution> = {}): StoredExecution {
  return {
    id: `execution-${n}`,
    agentId: `agent-${n}`,
    agentName: `Agent ${n}`,
    owner: `owner-${n % 2}`,
    rootExecutionKey: `execution-${n}`,
    origin: `origin-${n}`,
    finishedAt: `2026-03-${String((n % 28) + 1).padStart(2, '0')}T10:00:00Z`,
    report: { toolCalls, status: 'completed', verification: { outcome: 'none' } },
    ...more,
  };
}

function fleet(size: number, toolCalls: ToolCall[], more: Partial<StoredExecution> = {}): StoredExecution[] {
  return Array.from({ length: size }, (_, n) => execution(n, toolCalls, more));
}

function cycle(executions: StoredExecution[], more: Partial<CycleInput> = {}): CycleOutcome {
  return runCycle({
    executions,
    orgEntries: [],
    pendingProposals: [],
    rejectedFingerprints: [],
    settings: CYCLE_DEFAULTS,
    ...more,
  });
}

function only<D extends Draft>(drafts: readonly D[]): D {
  const [draft, ...others] = drafts;
  if (!draft || others.length > 0) throw new Error(`${drafts.length} drafts`);
  return draft;
}

const settings = (more: Partial<CycleInput['settings']>): Partial<CycleInput> => ({
  settings: { ...CYCLE_DEFAULTS, ...more },
});

describe('a cycle', () => {
  it('proposes what overcame the same failure for several agents', () => {
    const outcome = cycle(fleet(4, PYTHON));
    const draft = only(outcome.drafts);
    expect(draft).toMatchObject({ kind: 'new_skill', supersedes: [], conflictsWith: [], earlierRejections: [] });
    expect(draft.proposal.title).toBe('Use python3 instead of python');
    expect(draft.evidence).toMatchObject({
      failingAction: 'python',
      errorClasses: ['SyntaxError'],
      using: 4,
      counts: { distinctAgents: 4, owners: 2, origins: 4, executions: 4, failures: 8 },
      chosen: { action: 'python3', agents: 4 },
      repeat: { successes: 0, n: 4 },
      impact: 32,
    });
    expect(outcome).toMatchObject({ executionsRead: 4, patterns: 1, kept: 1, belowThreshold: 0 });
  });

  it('fits the proposal of the approval queue, and shows which agents met the failure', () => {
    const draft = only(cycle(fleet(4, PYTHON)).drafts);
    const { name: _name, confidence: _confidence, ...proposal } = draft.proposal;
    expect(ProposedSkill.parse(proposal)).toEqual(proposal);
    expect(draft.evidence.counts.seenBy).toHaveLength(4);
    expect(draft.evidence.counts.seenBy[0]).toEqual({ name: 'Agent 0', owner: 'owner-0', executions: 1, failures: 2 });
  });

  it('needs three distinct agents', () => {
    const outcome = cycle(fleet(2, PYTHON));
    expect(outcome.drafts).toEqual([]);
    expect(outcome).toMatchObject({ kept: 0, belowThreshold: 1 });
  });

  it('is not moved by one agent that reports fifty times', () => {
    expect(cycle(fleet(50, PYTHON, { agentId: 'agent-1' })).drafts).toEqual([]);
  });

  it('is not moved by many agents and owners on one poisoned task', () => {
    expect(cycle(fleet(20, PYTHON, { origin: 'the same page' })).drafts).toEqual([]);
  });

  it('is not moved by the sub-agents of one parent', () => {
    expect(cycle(fleet(20, PYTHON, { rootExecutionKey: 'parent' })).drafts).toEqual([]);
  });

  it('asks for more than one owner where an organisation wants it', () => {
    const oneOwner = fleet(5, PYTHON, { owner: 'owner-1' });
    expect(cycle(oneOwner, settings({ minOwnersForPattern: 2 })).drafts).toEqual([]);
    expect(cycle(oneOwner).drafts).toHaveLength(1);
    expect(cycle(fleet(5, PYTHON), settings({ minOwnersForPattern: 2 })).drafts).toHaveLength(1);
  });

  it('reports a failure that nobody overcame as an unsolved problem and never as a skill', () => {
    const outcome = cycle(fleet(5, HOPELESS), settings({ minConfidence: 0 }));
    expect(outcome.drafts).toEqual([]);
    expect(outcome.unsolved.map((problem) => problem.action).sort()).toEqual(['make all', 'ninja']);
  });

  it('does not propose what an agent says of itself: an execution’s own end decides nothing', () => {
    const proud = {
      toolCalls: HOPELESS,
      status: 'completed',
      verification: { outcome: 'succeeded', source: 'self' },
    } as const;
    expect(cycle(fleet(5, HOPELESS, { report: { ...proud, toolCalls: [...HOPELESS] } })).drafts).toEqual([]);
  });

  it('holds back what is not sure enough, and shows it', () => {
    // Nobody repeated it: what repeating would have done is not known.
    const never = fleet(4, [run('make all', 'make: *** No rule to make target'), run('gmake all')]);
    never.push(
      execution(5, [
        run('make all', 'make: *** No rule to make target'),
        run('gmake all', 'gmake: *** No rule to make target'),
      ]),
    );
    const outcome = cycle(never);
    expect(outcome.drafts).toEqual([]);
    expect(only(outcome.lowConfidence).proposal.confidence).toBeCloseTo(5 / 7);
  });

  it('proposes a rare failure with a sure remedy: rarity lowers the rank, not the confidence', () => {
    const rare = Array.from({ length: 16 }, (_, n) => execution(n + 10, [run('python b.py')]));
    const draft = only(cycle([...fleet(4, PYTHON), ...rare]).drafts);
    expect(draft.evidence).toMatchObject({ using: 20, estimator: 'better-than-repeating' });
    expect(draft.proposal.gotchas).toContain('Most executions did not meet this failure (16 of 20).');
  });

  it('tells one lesson for several errors of one action with one remedy', () => {
    const other = PYTHON.map((call) =>
      call.ok ? call : { ...call, errorMessage: 'ImportError: No module named yaml' },
    );
    const executions = [...fleet(12, PYTHON), ...fleet(12, other).map((e, n) => execution(n + 20, e.report.toolCalls))];
    const draft = only(cycle(executions).drafts);
    expect([...draft.evidence.errorClasses].sort()).toEqual(['ImportError', 'SyntaxError']);
    expect(draft.evidence.counts).toMatchObject({ executions: 24, failures: 48 });
    // that of the whole program and those of its two errors
    expect(draft.fingerprints).toHaveLength(3);
    expect(draft.evidence.granularity).toBe('program');
  });

  it('ranks by failures times agents and holds back what is above the cap', () => {
    const lost = [run('cd app && pytest t', 'bash: cd: app: No such file or directory'), run('pytest t')];
    const executions = [...fleet(4, lost), ...Array.from({ length: 6 }, (_, n) => execution(n + 10, PYTHON))];
    const all = cycle(executions);
    expect(all.drafts.map((d) => d.evidence.failingAction)).toEqual(['python', 'cd']);
    const capped = cycle(executions, settings({ maxProposalsPerCycle: 1 }));
    expect(capped.drafts).toEqual(all.drafts.slice(0, 1));
    expect(capped.heldBack).toEqual(all.drafts.slice(1));
  });

  it('teaches to find a path before a file tool is called with it', () => {
    const args = (path: string): string => JSON.stringify({ output_mode: 'content', path, pattern: '[text]' });
    const guess = { name: 'Grep', action: args('app/core'), ok: false, errorMessage: 'Path does not exist: app/core' };
    const calls = [guess, run('find . -name core'), { name: 'Grep', action: args('lib/core'), ok: true }];
    const draft = only(cycle(fleet(4, calls)).drafts);
    expect(draft.proposal.title).toBe('Find the path before calling grep');
    expect(draft.evidence.chosen).toMatchObject({ how: 'relocate', label: 'grep on another path', forms: ['find'] });
  });

  it('does not name an error in a lesson whose remedy does not clearly help against it', () => {
    const missing = [run('python b.py', "python: can't open file 'b.py'"), run('python b.py'), run('git status')];
    const also = [run('python b.py', "python: can't open file 'b.py'"), run('python3 b.py')];
    const executions = [
      ...fleet(12, PYTHON),
      ...Array.from({ length: 3 }, (_, n) => execution(n + 20, missing)),
      ...Array.from({ length: 4 }, (_, n) => execution(n + 30, also)),
    ];
    const draft = only(cycle(executions, settings({ minConfidence: 0.5 })).drafts);
    expect(draft.evidence.errorClasses).toEqual(['SyntaxError']);
  });

  it('counts failures of the network and proposes nothing from them', () => {
    const outage = [run('npm install', 'npm ERR! network ECONNREFUSED'), run('yarn install')];
    const outcome = cycle(fleet(5, outage));
    expect(outcome.drafts).toEqual([]);
    expect(outcome.notTeaching).toEqual({ environment: 5 });
  });

  it('gives the same outcome whatever the order of the executions', () => {
    const executions = [
      ...fleet(6, PYTHON),
      ...fleet(4, HOPELESS).map((e, n) => execution(n + 10, e.report.toolCalls)),
    ];
    const expected = cycle(executions);
    fc.assert(
      fc.property(fc.shuffledSubarray(executions, { minLength: executions.length }), (shuffled) => {
        expect(cycle(shuffled)).toEqual(expected);
      }),
      { numRuns: 20 },
    );
  });

  it('can be fed from a stream, with observations made earlier', () => {
    const reader = new CycleReader();
    const stored: unknown = JSON.parse(JSON.stringify(fleet(2, PYTHON).map(observe)));
    // What went through JSON is read back as what it was: the point of the test.
    for (const observed of stored as ReturnType<typeof observe>[]) reader.add(observed);
    for (const e of fleet(4, PYTHON).slice(2)) reader.add(e);
    const known = { orgEntries: [], pendingProposals: [], rejectedFingerprints: [] };
    expect(finishCycle(reader, known, CYCLE_DEFAULTS)).toEqual(cycle(fleet(4, PYTHON)));
  });
});

describe('what a cycle remembers', () => {
  const draft = only(cycle(fleet(4, PYTHON)).drafts);
  const { fingerprint, actionFingerprint, applicability } = draft;
  const claim = { condition: draft.proposal.condition, action: draft.proposal.action, confidence: 0.9, applicability };
  const rejection = { fingerprint, actionFingerprint, agents: 4, reason: 'Our images have no python2.' };

  it('a pending item is refreshed with the new evidence, not proposed again', () => {
    const pendingProposals = [{ ...claim, id: 'item-1', fingerprints: [fingerprint], actionFingerprint }];
    const outcome = cycle(fleet(6, PYTHON), { pendingProposals });
    expect(outcome.drafts).toEqual([]);
    expect(outcome.alreadyPending).toMatchObject([
      { proposalId: 'item-1', draft: { evidence: { counts: { agents: 6 } } } },
    ]);
  });

  it('an approved skill is not proposed again', () => {
    const orgEntries = [{ ...claim, id: 'skill-1', fingerprints: [fingerprint], actionFingerprint }];
    const outcome = cycle(fleet(6, PYTHON), { orgEntries });
    expect(outcome.drafts).toEqual([]);
    expect(outcome.alreadyApproved).toMatchObject([{ entryId: 'skill-1' }]);
  });

  it('a rejected pattern stays away until three more agents have met it, and then brings the reason along', () => {
    const outcome = cycle(fleet(6, PYTHON), { rejectedFingerprints: [rejection] });
    expect(outcome.drafts).toEqual([]);
    expect(outcome.rememberedRejections).toMatchObject([{ reason: rejection.reason }]);
    const later = only(cycle(fleet(7, PYTHON), { rejectedFingerprints: [rejection] }).drafts);
    expect(later.earlierRejections).toEqual([rejection.reason]);
  });

  it('a rejected pattern comes back at once with another action', () => {
    const other = { ...rejection, actionFingerprint: 'sha256:other' };
    const back = only(cycle(fleet(4, PYTHON), { rejectedFingerprints: [other] }).drafts);
    expect(back.earlierRejections).toEqual([rejection.reason]);
  });

  it('a skill that says the opposite makes it a conflict for the reviewer', () => {
    const opposite = { ...claim, id: 'skill-1', action: 'Never run `python3`; run `python`.' };
    const outcome = cycle(fleet(4, PYTHON), { orgEntries: [opposite] });
    expect(only(outcome.drafts)).toMatchObject({ kind: 'conflict', conflictsWith: ['skill-1'], supersedes: [] });
    expect(outcome.conflicts).toBe(1);
  });

  it('a weaker skill of the same setting is superseded once approved', () => {
    const weaker = { ...claim, id: 'skill-1', confidence: 0.6 };
    const outcome = cycle(fleet(4, PYTHON), { orgEntries: [weaker] });
    expect(only(outcome.drafts)).toMatchObject({ kind: 'supersede', supersedes: ['skill-1'] });
    expect(outcome.supersessions).toBe(1);
  });

  it('a pending proposal that asks for the same in weaker form is refreshed instead of doubled', () => {
    const outcome = cycle(fleet(4, PYTHON), { pendingProposals: [{ ...claim, id: 'item-1', confidence: 0.6 }] });
    expect(outcome.drafts).toEqual([]);
    expect(outcome.alreadyPending).toMatchObject([{ proposalId: 'item-1' }]);
  });

  it('a skill about another failing action is left alone however alike the sentences are', () => {
    const elsewhere = {
      ...claim,
      id: 'skill-1',
      action: 'Never run `python3`.',
      applicability: '["shell","perl","SyntaxError"]',
    };
    expect(only(cycle(fleet(4, PYTHON), { orgEntries: [elsewhere] }).drafts).kind).toBe('new_skill');
  });
});
