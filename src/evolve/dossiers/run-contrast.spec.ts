import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { observe, type StoredExecution } from '../../capture/observations/observation.js';
import type { ToolCall } from '../../capture/report/execution-report.schema.js';
import { Dossier } from '../../evidence/dossier/dossier.schema.js';
import { Predicate } from '../../evidence/predicate/predicate.schema.js';
import { type RecordedExecution, recordedExecution } from '../evidence/recorded-execution.js';
import { runContrasts } from './run-contrast.js';

const does = (...commands: string[]): ToolCall[] => commands.map((action) => ({ name: 'Bash', action, ok: true }));
const CHECKED = does('git status', 'npm run lint', 'npm publish');
const UNCHECKED = does('git status', 'npm publish');

interface Who {
  readonly agents?: number;
  readonly origin?: string;
  readonly source?: 'ci' | 'self';
}

let serial = 0;
/** Executions of different agents and tasks, some of which ended well. */
function judged(good: number, bad: number, toolCalls: ToolCall[], who: Who = {}): RecordedExecution[] {
  const { agents = 9, origin, source = 'ci' } = who;
  return Array.from({ length: good + bad }, (_, n) => {
    serial += 1;
    const agent = `agent-${serial % agents}`;
    const id = `e${serial}`;
    const stored: StoredExecution = {
      id,
      agentId: agent,
      agentName: agent,
      owner: `owner-${serial % 2}`,
      rootExecutionKey: id,
      origin: origin ?? `origin-${serial}`,
      finishedAt: '2026-03-01T10:00:00Z',
      report: {
        toolCalls,
        status: 'completed',
        verification: { outcome: n < good ? 'succeeded' : 'failed', source },
      },
    };
    return recordedExecution({ observed: observe(stored), report: stored.report });
  });
}

const signatures = (executions: readonly RecordedExecution[]): string[] =>
  runContrasts(executions).map(({ dossier }) => dossier.signature);

describe('a contrast of judged runs', () => {
  it('finds the step before an action that runs which ended well take, and gives its predicate and dossier', () => {
    const found = runContrasts([...judged(19, 1, CHECKED), ...judged(4, 16, UNCHECKED)]);
    const one = found.find(({ prior }) => prior !== undefined);
    expect(one).toMatchObject({ action: 'npm publish', prior: 'npm run lint' });
    const [lint, publish] = ['npm run lint', 'npm publish'].map((action) => ({ tool: 'shell', action }));
    expect(Predicate.parse(one?.predicate)).toEqual({
      execution: { where: publish, first: lint, before: publish },
    });
    expect(Dossier.parse(one?.dossier)).toMatchObject({
      kind: 'runs',
      signature: 'npm run lint before the first npm publish',
      executions: 20,
      examined: 40,
    });
  });

  it('is not a difference by chance, too few runs, or a step that both take', () => {
    expect(signatures([...judged(14, 6, CHECKED), ...judged(11, 9, UNCHECKED)])).toEqual([]);
    expect(signatures([...judged(7, 0, CHECKED), ...judged(0, 7, UNCHECKED)])).toEqual([]);
    expect(signatures([...judged(20, 20, CHECKED)])).toEqual([]);
  });

  it('is not a habit of few agents, a trait of one task, or a claim of the agent', () => {
    const without = judged(4, 16, UNCHECKED);
    expect(signatures([...judged(19, 1, CHECKED, { agents: 2 }), ...without])).toEqual([]);
    expect(signatures([...judged(19, 1, CHECKED, { origin: 'one task' }), ...without])).toEqual([]);
    expect(signatures([...judged(19, 1, CHECKED, { source: 'self' }), ...without])).toEqual([]);
  });

  it('is not the ability of an agent: it compares runs of the same agents', () => {
    const able = judged(38, 2, CHECKED).map((one) => ({ ...one, agentId: `able-${one.agentId}` }));
    const others = judged(2, 38, UNCHECKED);
    expect(signatures([...able, ...others])).toEqual([]);
  });

  it('is not the length of a run or the kind of its task', () => {
    const long = does('git status', 'npm publish', 'cargo build', 'cargo test', 'cargo doc');
    expect(signatures([...judged(4, 16, long), ...judged(19, 1, does('git status', 'npm publish'))])).toEqual([]);
    const easy = Array.from({ length: 8 }, (_, n) => judged(9, 1, does('sql easy', 'report'), { origin: `easy-${n}` }));
    const hard = Array.from({ length: 8 }, (_, n) => judged(1, 9, does('report'), { origin: `hard-${n}` }));
    const mixed = judged(9, 1, does('report'), { origin: 'easy-1' });
    const also = judged(1, 9, does('sql easy', 'report'), { origin: 'hard-1' });
    const some = [...easy.flat(), ...hard.flat(), ...mixed, ...also];
    expect(signatures(some.map((one) => ({ ...one, agentId: `agent-${one.id.length}${one.id.slice(-1)}` })))).toEqual(
      [],
    );
  });

  it('does not depend on the order of the executions', () => {
    const executions = [...judged(19, 1, CHECKED), ...judged(4, 16, UNCHECKED)];
    const expected = runContrasts(executions);
    fc.assert(
      fc.property(fc.shuffledSubarray(executions, { minLength: 40 }), (shuffled) => {
        expect(runContrasts(shuffled)).toEqual(expected);
      }),
      { numRuns: 10 },
    );
  });
});
