import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CYCLE_DEFAULTS, type CycleInput, runCycle } from '../../../test/support/cycles.js';
import { execution, HOPELESS, PYTHON, run } from '../../../test/support/window-execution.js';
import { ProposedSkill } from '../../approvals/proposals/proposed-skill.schema.js';
import { observe, type StoredExecution } from '../../capture/observations/observation.js';
import type { ToolCall } from '../../capture/report/execution-report.schema.js';
import { sha256 } from '../../platform/base/canonical-json.js';
import type { Draft } from '../drafts/draft.js';
import { CycleReader } from '../window/cycle-reader.js';
import { type CycleOutcome, finishCycleFrom } from './cycle.js';

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
    expect(draft).toMatchObject({ kind: 'new_skill', supersedes: [], conflictsWith: [] });
    expect(draft.text.title).toBe('Run `python3 a.py` instead of `python a.py`');
    expect(draft.evidence).toMatchObject({
      failingAction: 'python',
      errorClasses: ['SyntaxError'],
      using: 4,
      counts: { distinctAgents: 4, owners: 2, tasks: 4, independentOwners: 2, executions: 4, failures: 8 },
      chosen: { action: 'python3', agents: 4 },
      repeat: { successes: 0, n: 4 },
      callsLost: 2,
      impact: 32,
    });
    expect(outcome).toMatchObject({ executionsRead: 4, patterns: 1, kept: 1, belowThreshold: 0 });
  });

  it('quotes the error as it was written, with the name of what differed in the call, too', () => {
    const pull = (n: number): ToolCall[] => [
      run(`vend pull shop-${n}`, `vend: couldn't find the stock of 'shop-${n}' (it isn't local)`),
      run(`vend pull --remote shop-${n}`),
    ];
    const executions = [1, 2, 3, 4].flatMap((n) => execution(n, pull(n)));
    expect(only(cycle(executions).drafts).text.condition).toBe(
      "`vend pull <name>` has failed with \"vend: couldn't find the stock of '`<name>`' (it isn't local)\".",
    );
  });

  it('fits the schema of the approval queue, and shows which agents had the failure', () => {
    const draft = only(cycle(fleet(4, PYTHON)).drafts);
    const { name: _name, ...proposal } = draft.text;
    expect(ProposedSkill.parse(proposal)).toEqual(proposal);
    expect(draft.evidence.counts.seenBy).toHaveLength(4);
    expect(draft.evidence.counts.seenBy[0]).toEqual({ name: 'Agent 0', owner: 'owner-0', executions: 1, failures: 2 });
  });

  it('needs three distinct agents', () => {
    const outcome = cycle(fleet(2, PYTHON));
    expect(outcome.drafts).toEqual([]);
    expect(outcome).toMatchObject({ kept: 0, belowThreshold: 1 });
  });

  it('ignores repetition by one agent that reports fifty times', () => {
    expect(cycle(fleet(50, PYTHON, { agentId: 'agent-1' })).drafts).toEqual([]);
  });

  it('ignores many agents and owners on one poisoned task', () => {
    expect(cycle(fleet(20, PYTHON, { origin: 'the same page' })).drafts).toEqual([]);
  });

  it('ignores the sub-agents of one parent', () => {
    expect(cycle(fleet(20, PYTHON, { rootExecutionKey: 'parent' })).drafts).toEqual([]);
  });

  it('requires more than one owner if the organisation configures it', () => {
    const oneOwner = fleet(5, PYTHON, { owner: 'owner-1' });
    expect(cycle(oneOwner, settings({ minOwnersForPattern: 2 })).drafts).toEqual([]);
    expect(cycle(oneOwner).drafts).toHaveLength(1);
    expect(cycle(fleet(5, PYTHON), settings({ minOwnersForPattern: 2 })).drafts).toHaveLength(1);
  });

  it('reports a failure that no agent overcame as an unsolved problem, never as a skill', () => {
    const outcome = cycle(fleet(5, HOPELESS), settings({ minConfidenceForProposal: 0 }));
    expect(outcome.drafts).toEqual([]);
    expect(outcome.unsolved.map((problem) => problem.action).sort()).toEqual(['make all', 'ninja']);
  });

  it('does not trust what an agent says about itself: the status of an execution decides nothing', () => {
    const proud = {
      toolCalls: HOPELESS,
      status: 'completed',
      verification: { outcome: 'succeeded', source: 'self' },
    } as const;
    expect(cycle(fleet(5, HOPELESS, { report: { ...proud, toolCalls: [...HOPELESS] } })).drafts).toEqual([]);
  });

  it('lists drafts of low confidence without proposing them', () => {
    // No agent repeated the action: the rate of repeating is unknown.
    const never = fleet(4, [run('make all', 'make: *** No rule to make target'), run('gmake all')]);
    never.push(
      execution(5, [
        run('make all', 'make: *** No rule to make target'),
        run('gmake all', 'gmake: *** No rule to make target'),
      ]),
    );
    const outcome = cycle(never);
    expect(outcome.drafts).toEqual([]);
    expect(outcome.lowConfidence[0]?.evidence.confidence).toBeLessThan(CYCLE_DEFAULTS.minConfidenceForProposal);
  });

  it('lets a remedy wait that is ordinary work, and proposes what runs did only after the failure', () => {
    const error = 'forge: error: the anvil is cold';
    const [failed, hot] = [run('forge build a', error), run('forge build a --hot')];
    const both = (name: string) => [run(`forge build ${name}`), run(`forge build ${name} --hot`)];
    const [tested, looked] = [run('forge test'), run('git status')];
    const ordinary = cycle(fleet(3, [failed, hot, ...both('b'), ...both('c')]));
    expect([ordinary.drafts, ordinary.lowConfidence]).toEqual([[], []]);
    expect(ordinary.overcome).toMatchObject([{ standing: 'waiting', counts: { executions: 3 } }]);
    const rare = fleet(3, [failed, hot, tested, looked, tested, looked]);
    expect(cycle(rare, settings({ minConfidenceForProposal: 0.5 })).drafts).toHaveLength(1);
  });

  it('asks for more executions where it examines more families', () => {
    const failing = (name: string) => [run(`${name} build`, `${name}: error: cold`), run(`${name} build --hot`)];
    const others = ['anvil', 'tongs', 'ember'].flatMap((name, at) =>
      fleet(3, [run(`${name} melt`, `${name}: error: cold`)]).map((one, n) =>
        execution(20 * (at + 1) + n, one.report.toolCalls),
      ),
    );
    expect(cycle(fleet(4, failing('forge'))).drafts).toHaveLength(1);
    expect(cycle([...fleet(4, failing('forge')), ...others]).drafts).toEqual([]);
    expect(cycle([...fleet(7, failing('forge')), ...others]).drafts).toHaveLength(1);
  });

  it('proposes a rare failure with a certain remedy: rarity lowers the rank, not the confidence', () => {
    const rare = Array.from({ length: 16 }, (_, n) => execution(n + 10, [run('python b.py')]));
    const draft = only(cycle([...fleet(4, PYTHON), ...rare]).drafts);
    expect(draft.evidence).toMatchObject({ using: 20 });
  });

  it('makes one lesson of several errors of one action with one remedy', () => {
    const other = PYTHON.map((call) =>
      call.ok ? call : { ...call, errorMessage: 'ImportError: No module named yaml' },
    );
    const executions = [...fleet(12, PYTHON), ...fleet(12, other).map((e, n) => execution(n + 20, e.report.toolCalls))];
    const draft = only(cycle(executions).drafts);
    expect([...draft.evidence.errorClasses].sort()).toEqual(['ImportError', 'SyntaxError']);
    expect(draft.evidence.counts).toMatchObject({ executions: 24, failures: 48 });
    expect(draft.applicability).toBe('["shell","python","*"]');
    const alone = [PYTHON, other].map((calls) => only(cycle(fleet(12, calls)).drafts).fingerprint);
    expect(draft.fingerprints).toEqual(expect.arrayContaining(alone));
  });

  it('ranks by failures times agents and holds back what exceeds the limit', () => {
    const lost = [run('cd app && pytest t', 'bash: cd: app: No such file or directory'), run('pytest t')];
    const executions = [...fleet(5, lost), ...Array.from({ length: 6 }, (_, n) => execution(n + 10, PYTHON))];
    const all = cycle(executions);
    expect(all.drafts.map((d) => d.evidence.failingAction)).toEqual(['python', 'cd']);
    const capped = cycle(executions, settings({ maxProposalsPerCycle: 1 }));
    expect(capped.drafts).toEqual(all.drafts.slice(0, 1));
    expect(capped.heldBack).toEqual(all.drafts.slice(1));
  });

  it('teaches agents to find a path before they call a file tool with it', () => {
    const args = (path: string): string => JSON.stringify({ output_mode: 'content', path, pattern: '[text]' });
    const guess = { name: 'Grep', action: args('app/core'), ok: false, errorMessage: 'Path does not exist: app/core' };
    const calls = [guess, run('find . -name core'), { name: 'Grep', action: args('lib/core'), ok: true }];
    const draft = only(cycle(fleet(4, calls)).drafts);
    expect(draft.text.title).toBe(
      'Run `find . -name core` before `Grep output_mode=content path=lib/core pattern=<text>`',
    );
    expect(draft.evidence.chosen).toMatchObject({
      how: 'prepare',
      label: 'find . -name first',
      outcome: { successes: 4, n: 4 },
    });
  });

  it('does not name an error in a lesson whose remedy does not clearly overcome it', () => {
    const missing = [run('python b.py', "python: can't open file 'b.py'"), run('python b.py'), run('git status')];
    const also = [run('python b.py', "python: can't open file 'b.py'"), run('python3 b.py')];
    const executions = [
      ...fleet(12, PYTHON),
      ...Array.from({ length: 3 }, (_, n) => execution(n + 20, missing)),
      ...Array.from({ length: 4 }, (_, n) => execution(n + 30, also)),
    ];
    const draft = only(cycle(executions, settings({ minConfidenceForProposal: 0.5 })).drafts);
    expect(draft.evidence.errorClasses).toEqual(['SyntaxError']);
  });

  it('counts network failures and proposes nothing from them', () => {
    const outage = [run('npm install', 'npm ERR! network ECONNREFUSED'), run('yarn install')];
    const outcome = cycle(fleet(5, outage));
    expect(outcome.drafts).toEqual([]);
    expect(outcome.excludedFailures).toEqual({ environment: 5 });
  });

  it('does not depend on the order of the executions', () => {
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

  it('gives the same drafts under other ids of executions and agents', () => {
    const calls = (n: number): ToolCall[] => [
      ...Array.from({ length: n % 3 }, () => run('ls')),
      ...Array.from({ length: 1 + (n % 2) }, () => run(`vend pull shop-${n}`, `vend: no stock of 'shop-${n}'`)),
      run(`vend pull --remote shop-${n}`),
    ];
    const executions = Array.from({ length: 8 }, (_, n) => execution(n, calls(n)));
    const draftsWith = (nameOf: (id: string) => string) => {
      const renamed = executions.map((one) => ({
        ...one,
        id: nameOf(one.id),
        agentId: nameOf(one.agentId),
        rootExecutionKey: nameOf(one.rootExecutionKey),
      }));
      return cycle(renamed).drafts.map(({ evidence: { executionIds, ...evidence }, pairs, ...draft }) => ({
        ...draft,
        evidence,
        executions: executionIds.length,
        pairs: pairs.length,
      }));
    };
    const expected = draftsWith((id) => id);
    expect(expected).toHaveLength(1);
    for (const salt of ['a', 'b', 'c', 'd']) expect(draftsWith((id) => sha256(`${salt} ${id}`))).toEqual(expected);
  });

  it('can count observations made earlier, and reads the reports of what it examines', async () => {
    const reader = new CycleReader();
    const executions = fleet(4, PYTHON);
    const stored: unknown = JSON.parse(JSON.stringify(executions.map(observe)));
    // Observations must survive JSON: this is the point of the test.
    const observations = stored as ReturnType<typeof observe>[];
    for (const observed of observations) reader.add(observed);
    const known = { orgEntries: [], pendingProposals: [], rejectedFingerprints: [] };
    const source = {
      async *readReported(ids: readonly string[]) {
        yield* executions.flatMap(({ id, report }, at) => {
          const observed = observations[at];
          return observed && ids.includes(id) ? [{ observed, report }] : [];
        });
      },
    };
    expect(await finishCycleFrom(source, reader, known, CYCLE_DEFAULTS)).toEqual(cycle(executions));
  });
});

describe('the memory of a cycle', () => {
  const draft = only(cycle(fleet(4, PYTHON)).drafts);
  const { fingerprint, actionFingerprint, applicability } = draft;
  const claim = { condition: draft.text.condition, action: draft.text.action, confidence: 0.9, applicability };
  const rejection = {
    fingerprint,
    actionFingerprint,
    agents: 4,
    projects: 1,
    tasks: 4,
    reason: 'Our images have no python2.',
  };

  it('refreshes a pending proposal with new evidence instead of proposing it again', () => {
    const pendingProposals = [{ ...claim, id: 'proposal-1', fingerprints: [fingerprint], actionFingerprint }];
    const outcome = cycle(fleet(6, PYTHON), { pendingProposals });
    expect(outcome.drafts).toEqual([]);
    expect(outcome.alreadyPending).toMatchObject([
      { proposalId: 'proposal-1', draft: { evidence: { counts: { agents: 6 } } } },
    ]);
  });

  it('does not propose an approved skill again', () => {
    const orgEntries = [{ ...claim, id: 'skill-1', fingerprints: [fingerprint], actionFingerprint }];
    const outcome = cycle(fleet(6, PYTHON), { orgEntries });
    expect(outcome.drafts).toEqual([]);
    expect(outcome.alreadyApproved).toMatchObject([{ entryId: 'skill-1' }]);
  });

  it('keeps lessons on the same error of two programs apart, and proposes neither again once it is approved', () => {
    const missing = (name: string, remedy: string): ToolCall[] => [
      { name: 'Bash', action: name, ok: false, errorMessage: `bash: ${name.split(' ')[0] ?? ''}: command not found` },
      run(remedy),
    ];
    const executions = [
      ...fleet(6, missing('wget a.tgz', 'curl -fsSLO a.tgz')),
      ...Array.from({ length: 6 }, (_, n) => execution(100 + n, missing('ripgrep -n cart src', 'grep -rn cart src'))),
    ];
    const { drafts } = cycle(executions);
    expect(drafts.map(({ kind, text }) => [kind, text.title]).sort()).toEqual([
      ['new_skill', 'Run `curl -fsSLO a.tgz` instead of `wget a.tgz`'],
      ['new_skill', 'Run `grep -rn cart src` instead of `ripgrep -n cart src`'],
    ]);
    const orgEntries = drafts.map(({ text, evidence, applicability }, at) => ({
      id: `skill-${at}`,
      condition: text.condition,
      action: text.action,
      confidence: evidence.confidence,
      applicability,
      ...(evidence.predicate.learned ? { learned: evidence.predicate.learned } : {}),
    }));
    const again = cycle(executions, { orgEntries });
    expect([again.drafts, again.conflicts]).toEqual([[], 0]);
    expect(again.alreadyApproved.map(({ entryId }) => entryId).sort()).toEqual(['skill-0', 'skill-1']);
  });

  it('holds a rejected pattern back until three more agents have had the failure', () => {
    const outcome = cycle(fleet(6, PYTHON), { rejectedFingerprints: [rejection] });
    expect(outcome.drafts).toEqual([]);
    expect(outcome.rememberedRejections).toMatchObject([{ reason: rejection.reason }]);
    expect(cycle(fleet(7, PYTHON), { rejectedFingerprints: [rejection] }).drafts).toHaveLength(1);
  });

  it('proposes a rejected pattern at once with another action', () => {
    const other = { ...rejection, actionFingerprint: 'sha256:other' };
    expect(cycle(fleet(4, PYTHON), { rejectedFingerprints: [other] }).drafts).toHaveLength(1);
  });

  it('reports a conflict if a skill says the opposite', () => {
    const opposite = { ...claim, id: 'skill-1', action: 'Never run `python3`; run `python`.' };
    const outcome = cycle(fleet(4, PYTHON), { orgEntries: [opposite] });
    expect(only(outcome.drafts)).toMatchObject({ kind: 'conflict', conflictsWith: ['skill-1'], supersedes: [] });
    expect(outcome.conflicts).toBe(1);
  });

  it('supersedes a less confident skill with the same applicability', () => {
    const weaker = { ...claim, id: 'skill-1', confidence: 0.6 };
    const outcome = cycle(fleet(4, PYTHON), { orgEntries: [weaker] });
    expect(only(outcome.drafts)).toMatchObject({ kind: 'supersede', supersedes: ['skill-1'] });
    expect(outcome.supersessions).toBe(1);
  });

  it('refreshes a pending proposal that asks for the same with less confidence', () => {
    const outcome = cycle(fleet(4, PYTHON), { pendingProposals: [{ ...claim, id: 'proposal-1', confidence: 0.6 }] });
    expect(outcome.drafts).toEqual([]);
    expect(outcome.alreadyPending).toMatchObject([{ proposalId: 'proposal-1' }]);
  });

  it('ignores a skill on another failing action, however similar the sentences are', () => {
    const elsewhere = {
      ...claim,
      id: 'skill-1',
      action: 'Never run `python3`.',
      applicability: '["shell","perl","SyntaxError"]',
    };
    expect(only(cycle(fleet(4, PYTHON), { orgEntries: [elsewhere] }).drafts).kind).toBe('new_skill');
  });
});
