import { describe, expect, it } from '@jest/globals';
import { CycleReport } from '../../evolve/cycle/cycles.schema.js';
import { ServerState } from '../../platform/health/health.schema.js';
import { nextLines as linesOf } from './status.js';

const report = (belowThreshold: number): CycleReport =>
  CycleReport.parse({
    window: { from: '', to: '' },
    executionsRead: 3,
    patterns: 1,
    kept: 0,
    lowConfidence: 0,
    alreadyPending: 0,
    alreadyApproved: 0,
    rememberedRejections: 0,
    conflicts: 0,
    supersessions: 0,
    passing: 0,
    unwordable: 0,
    emitted: 0,
    heldBack: 0,
    belowThreshold,
    support: { unit: 'sessions', needed: 3 },
    excludedFailures: {},
    proposals: [],
    unsolved: [],
    seconds: 1,
    tokens: 0,
  });

const serverWith = (schedule: string | null): ServerState => {
  const job = { name: 'evolver', state: 'waiting', lastRunAt: null, seconds: null, outcome: null, host: null };
  const jobs = schedule === null ? [] : [{ ...job, schedule, nextRunAt: '2026-01-02T03:00:00Z' }];
  return ServerState.parse({ database: 'embedded', processes: [], queues: [], jobs, role: { problem: null, sql: [] } });
};
const EACH_MINUTE = serverWith('* * * * *');

const nextLines = (executions: number, pending: number, server: ServerState | null, report: CycleReport | null) =>
  linesOf({ executions, pending, waiting: 0, server, report, connected: [] });

describe('what guildbook status says of what happens next', () => {
  it('is how to begin, and then what waits for a person', () => {
    expect(nextLines(0, 0, EACH_MINUTE, null)[0]).toContain('No agent has reported yet');
    expect(nextLines(3, 2, EACH_MINUTE, report(1))).toEqual([
      '2 proposals to decide: "guildbook proposals list", or "guildbook login --browser".',
    ]);
  });

  it('also names the lessons that a person can verify, and the command', () => {
    const state = { executions: 3, pending: 0, server: EACH_MINUTE, report: null, connected: [] };
    expect(linesOf({ ...state, waiting: 2 })[0]).toBe(
      '2 private lessons would help if you verify them: "guildbook memory promotions --state waiting".',
    );
    expect(linesOf({ ...state, pending: 1, waiting: 1 })).toEqual([
      expect.stringContaining('1 proposal to decide'),
      '1 private lesson would help if you verify it: "guildbook memory promotions --state waiting".',
    ]);
  });

  it('is a session of the program that is connected, before its first report', () => {
    const nothing = { executions: 0, pending: 0, waiting: 0, server: null, report: null };
    expect(linesOf({ ...nothing, connected: [{ title: 'Claude Code' }] })).toEqual([
      'Start a new session of Claude Code: its report arrives when it ends. Sessions of before: "guildbook import <folder>".',
    ]);
  });

  it('is how much evidence is missing, and when the next cycle runs', () => {
    const cycle = 'A cycle runs a minute after agents have reported, once a person can decide.';
    expect(nextLines(3, 0, EACH_MINUTE, report(1))).toEqual([
      '1 problem waits for more evidence: seen in fewer than 3 tasks.',
      cycle,
    ]);
    expect(nextLines(3, 0, EACH_MINUTE, report(0))).toEqual([cycle]);
    expect(nextLines(3, 0, null, null)).toEqual([cycle]);
  });

  it('is the time of a schedule, or that cycles run on request only', () => {
    expect(nextLines(3, 0, serverWith('0 3 * * *'), null)).toEqual([
      'A cycle runs at 2026-01-02 03:00 UTC if agents have reported, once a person can decide.',
    ]);
    expect(nextLines(3, 0, serverWith(null), null)[0]).toContain('Cycles run on request only');
  });
});
