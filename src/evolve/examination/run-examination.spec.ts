import { describe, expect, it } from '@jest/globals';
import { observe, type StoredExecution } from '../../capture/observations/observation.js';
import { halfOf } from '../evidence/halves.js';
import { type RecordedExecution, recordedExecution } from '../evidence/recorded-execution.js';
import { Ledger } from '../support/ledger.js';
import { examineRuns, SUCCESS } from './run-examination.js';

const CHECKED = ['git status', 'npm run lint', 'npm publish'];
const UNCHECKED = ['git status', 'npm publish'];
const SETTINGS = { minAgentsForPattern: 3, minOwnersForPattern: 1 };

let serial = 0;
/** Executions of nine agents on tasks of their own, some of which ended well. */
function judged(good: number, bad: number, commands: readonly string[]): RecordedExecution[] {
  return Array.from({ length: good + bad }, (_, n) => {
    serial += 1;
    const [agent, id] = [`agent-${serial % 9}`, `e${serial}`];
    const toolCalls = commands.map((action) => ({ name: 'Bash', action, ok: true }));
    const stored: StoredExecution = {
      id,
      agentId: agent,
      agentName: agent,
      owner: `owner-${serial % 2}`,
      rootExecutionKey: id,
      origin: `origin-${serial}`,
      finishedAt: '2026-03-01T10:00:00Z',
      report: {
        toolCalls,
        status: 'completed',
        verification: { outcome: n < good ? 'succeeded' : 'failed', source: 'ci' },
      },
    };
    return recordedExecution({ observed: observe(stored), report: stored.report });
  });
}

function examine(executions: readonly RecordedExecution[], settings = SETTINGS) {
  const ledger = new Ledger();
  for (const { source } of executions) ledger.add(source.observed);
  return examineRuns(executions, ledger, settings);
}

const runs = [...judged(57, 3, CHECKED), ...judged(12, 48, UNCHECKED)];

describe('the examination of judged runs', () => {
  it('learns a step before an action from one half of the origins, and confirms it on the other', () => {
    const [found, ...others] = examine(runs);
    expect(others).toEqual([]);
    const [candidate] = found?.candidates ?? [];
    expect(candidate).toMatchObject({ how: 'precede', action: 'npm run lint', check: { verdict: 'confirmed' } });
    const held = runs.filter(({ origin }) => halfOf(origin) === candidate?.heldOut);
    const compared = candidate?.check.comparisons.find(({ kind }) => kind === 'execution');
    expect(held.length).toBeGreaterThan(40);
    expect((compared?.with.n ?? 0) + (compared?.without.n ?? 0)).toBe(held.length);
  });

  it('makes a family of the action, whose evidence are the runs that took the step and ended well', () => {
    const [found] = examine(runs);
    expect(found?.family).toMatchObject({ tools: ['shell'], actions: ['npm publish'], errorClasses: [SUCCESS] });
    expect(found?.family.evidence.counts()).toMatchObject({ executions: 57, agents: 9, owners: 2 });
    expect(found?.candidates[0]?.workedFor).toEqual({ agents: 9, owners: 2 });
  });

  it('finds nothing where runs with and without the step end alike, or too few agents took it', () => {
    expect(examine([...judged(40, 20, CHECKED), ...judged(40, 20, UNCHECKED)])).toEqual([]);
    expect(examine(runs, { ...SETTINGS, minAgentsForPattern: 10 })).toEqual([]);
  });

  it('says for no agent that a step worked which turned a protection off', () => {
    const unsafe = ['git status', 'npm config set strict-ssl false', 'npm publish'];
    const found = examine([...judged(57, 3, unsafe), ...judged(12, 48, UNCHECKED)]);
    for (const { candidates } of found)
      for (const { workedFor } of candidates) expect(workedFor).toEqual({ agents: 0, owners: 0 });
  });

  it('does not depend on the order of the executions', () => {
    const keys = (all: readonly RecordedExecution[]) =>
      examine(all).map(({ family, candidates }) => [
        family.fingerprint,
        candidates.map(({ key, heldOut, check }) => [key, heldOut, check]),
      ]);
    expect(keys([...runs].reverse())).toEqual(keys(runs));
  });
});
