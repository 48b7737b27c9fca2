import { describe, expect, it } from '@jest/globals';
import { CYCLE_DEFAULTS, runCycle } from '../../../test/support/cycles.js';
import { execution, PYTHON, run } from '../../../test/support/window-execution.js';
import type { StoredExecution } from '../../capture/observations/observation.js';
import type { RejectedFingerprint } from '../drafts/known-claims.js';
import type { CycleOutcome } from './cycle.js';

const ALONE = { agentId: 'dev', agentName: 'claude-code', owner: 'dev' };

function cycle(
  executions: StoredExecution[],
  minAgentsForPattern: number | 'auto' = 'auto',
  rejectedFingerprints: readonly RejectedFingerprint[] = [],
): CycleOutcome {
  const settings = { ...CYCLE_DEFAULTS, minAgentsForPattern };
  return runCycle({ executions, orgEntries: [], pendingProposals: [], rejectedFingerprints, settings });
}

const sessions = (count: number, more: (n: number) => Partial<StoredExecution>): StoredExecution[] =>
  Array.from({ length: count }, (_, n) => execution(n, PYTHON, more(n)));
/** Executions of other agents, which met nothing. */
const others = (count: number): StoredExecution[] =>
  Array.from({ length: count }, (_, n) => execution(100 + n, [run('ls')]));

describe('the independent support of a lesson', () => {
  it('is three sessions for one developer, and the evidence says so', () => {
    expect(cycle(sessions(2, () => ALONE)).drafts).toEqual([]);
    const { drafts, support } = cycle(sessions(3, () => ALONE));
    expect(support).toEqual({ unit: 'sessions', needed: 3 });
    expect(drafts).toHaveLength(1);
    expect(drafts[0]?.evidence.counts).toMatchObject({ agents: 1, owners: 1, executions: 3, tasks: 3 });
    expect(drafts[0]?.text.rationale).toBe(
      'After this failure it worked each time, for one agent on independent tasks; other tries mostly failed.',
    );
  });

  it('is three sessions with no other call than the one that failed and the one that worked', () => {
    const short = (n: number) =>
      execution(n, [run('python2 a.py', '/bin/bash: line 1: python2: command not found'), run('python3 a.py')], ALONE);
    expect(cycle([short(1), short(2)]).drafts).toEqual([]);
    expect(cycle([short(1), short(2), short(3)]).drafts).toHaveLength(1);
  });

  it('counts a task, and a parent task with its sub-agents, once', () => {
    expect(cycle(sessions(9, () => ({ ...ALONE, origin: 'one prompt' }))).drafts).toEqual([]);
    expect(cycle(sessions(9, () => ({ ...ALONE, rootExecutionKey: 'one session' }))).drafts).toEqual([]);
  });

  it('brings a rejected lesson of one developer back after three more sessions, not before', () => {
    const [draft] = cycle(sessions(3, () => ALONE)).drafts;
    if (!draft) throw new Error('nothing is proposed');
    const { fingerprint, actionFingerprint } = draft;
    const rejectedFingerprints = [
      { fingerprint, actionFingerprint, agents: 1, projects: 1, tasks: 3, reason: 'not here' },
    ];
    const again = (count: number) =>
      cycle(
        sessions(count, () => ALONE),
        'auto',
        rejectedFingerprints,
      );
    expect(again(5)).toMatchObject({ drafts: [], rememberedRejections: [{ reason: 'not here' }] });
    expect(again(6).drafts).toHaveLength(1);
  });

  it('is three sessions of three people together', () => {
    expect(cycle(sessions(3, (n) => ({ agentId: `agent-${n}`, owner: `owner-${n}` }))).drafts).toHaveLength(1);
  });

  it('is agents with their projects where a few agents report', () => {
    const one = [...sessions(5, () => ALONE), ...others(4)];
    expect(cycle(one)).toMatchObject({ support: { unit: 'projects', needed: 3 }, drafts: [] });
    const inProject = (n: number) => {
      const { report } = execution(n, PYTHON);
      return { ...ALONE, report: { ...report, environment: { project: `project-${n % 3}` } } };
    };
    expect(cycle([...sessions(6, inProject), ...others(4)]).drafts).toHaveLength(1);
  });

  it('is three agents where many report, however often one of them met the failure', () => {
    const one = [...sessions(50, () => ALONE), ...others(12)];
    expect(cycle(one)).toMatchObject({ support: { unit: 'agents', needed: 3 }, drafts: [] });
    expect(cycle([...sessions(4, (n) => ({ agentId: `agent-${n}` })), ...others(12)]).drafts).toHaveLength(1);
  });

  it('is so many agents in any organisation, if a setting says so', () => {
    expect(
      cycle(
        sessions(50, () => ALONE),
        2,
      ).drafts,
    ).toEqual([]);
    expect(
      cycle(
        sessions(3, () => ALONE),
        1,
      ).drafts,
    ).toEqual([]);
  });
});
