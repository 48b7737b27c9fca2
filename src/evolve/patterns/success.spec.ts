import { describe, expect, it } from '@jest/globals';
import { ProposedSkill } from '../../approvals/proposals/proposed-skill.schema.js';
import { observe, type StoredExecution } from '../../capture/observations/observation.js';
import type { ToolCall } from '../../capture/report/execution-report.schema.js';
import { backtestExecutionOf } from '../backtest/backtest.js';
import { SuccessBacktest } from '../backtest/success-backtest.js';
import { CYCLE_DEFAULTS, type CycleOutcome, runCycle } from '../cycle/cycle.js';

const does = (...commands: string[]): ToolCall[] => commands.map((action) => ({ name: 'Bash', action, ok: true }));
const CHECKED = does('git status', 'npm run lint', 'npm publish');
const UNCHECKED = does('git status', 'npm publish');

interface Who {
  agents?: number;
  origin?: string;
  source?: 'ci' | 'self';
}

let serial = 0;
/** Executions of different agents and tasks, some of which ended well. */
function judged(good: number, bad: number, toolCalls: ToolCall[], who: Who = {}): StoredExecution[] {
  const { agents = 9, origin, source = 'ci' } = who;
  return Array.from({ length: good + bad }, (_, n) => {
    serial += 1;
    const agent = `agent-${serial % agents}`;
    return {
      ...{
        id: `e${serial}`,
        agentId: agent,
        agentName: agent,
        owner: `owner-${serial % 2}`,
        rootExecutionKey: `e${serial}`,
      },
      ...{ origin: origin ?? `origin-${serial}`, finishedAt: '2026-03-01T10:00:00Z' },
      report: {
        toolCalls,
        status: 'completed',
        verification: { outcome: n < good ? 'succeeded' : 'failed', source },
      },
    };
  });
}

function cycle(executions: StoredExecution[]): CycleOutcome {
  const known = { orgEntries: [], pendingProposals: [], rejectedFingerprints: [] };
  return runCycle({ executions, ...known, settings: CYCLE_DEFAULTS });
}

const titles = (executions: StoredExecution[]): string[] =>
  cycle(executions).drafts.map(({ text: proposal }) => proposal.title);

describe('a step of successful executions that others leave out', () => {
  it('is proposed with the success rates with it and without it', () => {
    const [draft, ...others] = cycle([...judged(19, 1, CHECKED), ...judged(4, 16, UNCHECKED)]).drafts;
    expect(others).toEqual([]);
    expect(draft?.text).toMatchObject({
      title: 'Run npm run lint before npm publish',
      action: 'Run `npm run lint` first, then `npm publish`.',
    });
    expect(draft?.evidence).toMatchObject({
      granularity: 'success',
      chosen: { outcome: { successes: 19, n: 20 }, lift: 0.95 - 0.2 },
      repeat: { successes: 4, n: 20 },
      counts: { failures: 16, distinctAgents: 9, owners: 2 },
      using: 40,
    });
    expect(draft?.evidence.confidence.basis).toBe('succeeded 19 of 20 with it, 4 of 20 without');
    const { name: _name, confidence: _confidence, ...proposal } = draft?.text ?? { name: '', confidence: 0 };
    expect(ProposedSkill.parse(proposal)).toEqual(proposal);
  });

  it('is not a difference by chance, and not a step that both take', () => {
    expect(titles([...judged(14, 6, CHECKED), ...judged(11, 9, UNCHECKED)])).toEqual([]);
    expect(titles([...judged(5, 0, CHECKED), ...judged(0, 5, UNCHECKED)])).toEqual([]);
    expect(titles([...judged(20, 20, CHECKED)])).toEqual([]);
  });

  it('is not a habit of one agent, a trait of one task, or a claim of the agent', () => {
    const without = judged(4, 16, UNCHECKED);
    expect(titles([...judged(19, 1, CHECKED, { agents: 2 }), ...without])).toEqual([]);
    expect(titles([...judged(19, 1, CHECKED, { origin: 'one task' }), ...without])).toEqual([]);
    expect(titles([...judged(19, 1, CHECKED, { source: 'self' }), ...without])).toEqual([]);
  });

  it('is a whole sequence only if no single step is as good', () => {
    const both = does('npm run lint', 'npm test', 'npm publish');
    const lint = does('npm run lint', 'npm publish');
    const test = does('npm test', 'npm publish');
    const alone = [...judged(2, 38, lint), ...judged(2, 38, test), ...judged(1, 39, UNCHECKED)];
    expect(titles([...judged(40, 0, both), ...alone])).toEqual([
      'Run npm run lint and then npm test before npm publish',
    ]);
    expect(titles([...judged(40, 0, both), ...judged(1, 39, UNCHECKED)])).toEqual([
      'Run npm run lint before npm publish',
    ]);
  });

  it('is not proposed if a failure pattern already teaches it', () => {
    const failing: ToolCall = {
      name: 'Bash',
      action: 'node a.js',
      ok: false,
      errorMessage: 'Error: Cannot find module x',
    };
    const learnt = [failing, ...does('npm install x', 'node a.js')];
    const found = cycle([
      ...judged(20, 0, learnt),
      ...judged(0, 20, [failing]),
      ...judged(20, 0, does('npm install x', 'node a.js')),
    ]);
    expect(found.drafts.map(({ evidence }) => evidence.granularity)).not.toContain('success');
    expect(found.drafts.length).toBeGreaterThan(0);
  });

  it('is tested on other executions than those that taught it', () => {
    const executions = [...judged(38, 2, CHECKED), ...judged(8, 32, UNCHECKED), ...judged(9, 0, does('cargo build'))];
    const [draft] = cycle(executions).drafts;
    if (!draft) throw new Error('nothing was proposed');
    const test = new SuccessBacktest(draft.evidence);
    for (const one of executions) test.add(backtestExecutionOf(observe(one)));
    expect(test.result()).toMatchObject({ verdict: 'tested', read: 89, supporting: 70, nearMisses: 10 });
    const few = new SuccessBacktest(draft.evidence);
    for (const one of judged(2, 1, CHECKED)) few.add(backtestExecutionOf(observe(one)));
    expect(few.result()).toMatchObject({ verdict: 'not_enough_evidence', tested: 0 });
  });
});
