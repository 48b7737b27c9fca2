import { describe, expect, it } from '@jest/globals';
import type { Episode, ExecutionObservations, Trial } from '../../capture/observations/observation.js';
import { type Pattern, PatternMiner } from './pattern.js';

function episode(more: Partial<Episode> = {}): Episode {
  return {
    granularity: 'class',
    tool: 'shell',
    purpose: 'run:python',
    coarse: 'python',
    fine: 'python [file:.py]',
    errorClass: 'SyntaxError',
    template: 'SyntaxError: invalid syntax',
    program: 'python',
    failures: 2,
    at: 0,
    trials: [],
    windows: [],
    ...more,
  };
}

function observation(n: number, episodes: Episode[], more: Partial<ExecutionObservations> = {}): ExecutionObservations {
  return {
    executionId: `e${n}`,
    agentName: `Agent ${n}`,
    model: undefined,
    support: { agentId: `a${n}`, owner: 'o', origin: `t${n}`, root: `e${n}` },
    finishedAt: `2026-03-0${n}T10:00:00Z`,
    verified: false,
    checks: [],
    episodes,
    excludedFailures: [],
    used: ['["shell","python"]'],
    ...more,
  };
}

function mine(...observations: ExecutionObservations[]): Pattern[] {
  const miner = new PatternMiner();
  for (const one of observations) miner.add(one);
  return miner.patterns();
}

const worked: Trial = { how: 'replace', coarse: 'python3', fine: 'python3 [file:.py]', worked: true, from: 0, at: 1 };

describe('patterns across executions', () => {
  it('add up the evidence of several executions', () => {
    const [pattern, ...others] = mine(
      observation(2, [episode({ trials: [worked], windows: ['python! > python3'] })]),
      observation(1, [episode({ failures: 1, windows: ['python! > python3'] })], { verified: true }),
      observation(3, [], { used: ['["shell","python"]'] }),
    );
    expect(others).toEqual([]);
    expect(pattern?.counts).toMatchObject({
      distinctAgents: 2,
      executions: 2,
      failures: 3,
      firstSeen: '2026-03-01T10:00:00Z',
      lastSeen: '2026-03-02T10:00:00Z',
    });
    expect(pattern?.using).toBe(3);
    expect(pattern?.windows).toEqual([{ window: 'python! > python3', executions: 2 }]);
    expect(pattern?.contrast.alternatives).toMatchObject([{ action: 'python3', outcome: { successes: 1, n: 1 } }]);
  });

  it('separate granularities, tools, actions and error classes', () => {
    const patterns = mine(
      observation(1, [
        episode(),
        episode({ granularity: 'fine' }),
        episode({ granularity: 'template' }),
        episode({ coarse: 'python2' }),
        episode({ tool: 'terminal' }),
        episode({ errorClass: 'NameError' }),
      ]),
    );
    expect(new Set(patterns.map((pattern) => pattern.fingerprint)).size).toBe(6);
    expect(patterns.find((pattern) => pattern.granularity === 'fine')?.action).toBe('python [file:.py]');
  });

  it('keep their fingerprint when evidence is added', () => {
    const [once] = mine(observation(1, [episode({ template: 'a' })]));
    const [more] = mine(
      observation(1, [episode({ template: 'b' })]),
      observation(2, [episode({ template: 'b', purpose: 'build:python', trials: [worked] })]),
    );
    expect(more?.fingerprint).toBe(once?.fingerprint);
    expect(more?.template).toBe('b');
  });

  it('merge templates that are one message, and keep the fingerprint of each', () => {
    const message = 'ledger of ada is locked by another run';
    const other = 'ledger of bob is locked by another run';
    const template = (n: number, text: string) =>
      observation(n, [episode({ granularity: 'template', template: text, trials: [worked] })]);
    const observations = [template(1, message), template(2, message), template(3, other)];
    const [pattern, ...others] = mine(...observations);
    expect(others).toEqual([]);
    expect(pattern).toMatchObject({ template: message, counts: { distinctAgents: 3, executions: 3 } });
    const [alone] = mine(template(3, other));
    expect(pattern?.alsoKnownAs).toEqual([alone?.fingerprint]);
    expect(mine(...observations.reverse())[0]?.fingerprint).toBe(pattern?.fingerprint);
  });

  it('count verified successes separately', () => {
    const [pattern] = mine(
      observation(1, [episode({ trials: [worked] })], { verified: true }),
      observation(2, [episode({ trials: [worked] })]),
    );
    expect(pattern?.contrast.alternatives[0]).toMatchObject({ verified: 1, outcome: { successes: 2, n: 2 } });
  });

  it('count an agent once, however many reports and tasks it has', () => {
    const flood = Array.from({ length: 500 }, (_, i) =>
      observation(1, [episode()], {
        executionId: `e${i}`,
        support: { agentId: 'a', owner: 'o', origin: `t${i}`, root: `e${i}` },
      }),
    );
    const [pattern] = mine(...flood);
    expect(pattern?.counts).toMatchObject({ distinctAgents: 1, agents: 1, origins: 1, executions: 500 });
  });
});
