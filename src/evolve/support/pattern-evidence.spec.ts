import { describe, expect, it } from '@jest/globals';
import type { ExecutionObservations } from '../../capture/observations/observation.js';
import { Ledger } from './ledger.js';
import { PatternEvidence } from './pattern-evidence.js';

const ledger = new Ledger();

/** The number of an execution of one of three agents, in the ledger. */
function execution(n: number): number {
  const observed: ExecutionObservations = {
    executionId: `execution ${n}`,
    agentName: `Agent ${n % 3}`,
    model: `model ${n % 2}`,
    support: { agentId: `agent ${n % 3}`, owner: 'owner', origin: `origin ${n}`, root: `execution ${n}` },
    finishedAt: new Date(Date.UTC(2026, 0, 1 + n)).toISOString(),
    checks: [],
    episodes: [],
    excludedFailures: [],
    used: [],
  };
  return ledger.add(observed) ?? ledger.numberOf(observed.executionId) ?? -1;
}

const share = (n: number, failures = 1) => ({ execution: execution(n), model: `model ${n % 2}`, failures });

function evidenceOf(...executions: number[]): PatternEvidence {
  const evidence = new PatternEvidence(ledger);
  for (const n of executions) evidence.addExecution(share(n));
  return evidence;
}

describe('the evidence of a family', () => {
  it('is the same as if executions that left the window had never been in it', () => {
    const slid = evidenceOf(1, 2, 3, 4);
    expect(slid.counts().executions).toBe(4);
    slid.removeExecution(share(1));
    slid.removeExecution(share(4));
    expect(slid.counts()).toEqual(evidenceOf(2, 3).counts());
    expect(slid.counts()).toMatchObject({ firstSeen: '2026-01-03T00:00:00Z', models: ['model 0', 'model 1'] });
  });

  it('counts an execution that several groups share once, with all its failures', () => {
    const parts = [evidenceOf(1, 2), evidenceOf(2, 3)];
    const whole = PatternEvidence.merge(parts);
    expect(whole.counts()).toMatchObject({ executions: 3, failures: 4, agents: 3, distinctAgents: 3 });
    whole.addExecution(share(4));
    expect(parts.map((part) => part.counts().executions)).toEqual([2, 2]);
  });

  it('names the agents with the most failures first', () => {
    const evidence = evidenceOf(1, 2, 5);
    evidence.addExecution(share(3, 7));
    expect(evidence.counts().seenBy).toEqual([
      { name: 'Agent 0', owner: 'owner', executions: 1, failures: 7 },
      { name: 'Agent 2', owner: 'owner', executions: 2, failures: 2 },
      { name: 'Agent 1', owner: 'owner', executions: 1, failures: 1 },
    ]);
  });
});
