import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ProposalKind, Risk } from './proposals.schema.js';
import { neverLower, riskOf } from './risk.js';

interface Case {
  kind: ProposalKind;
  steps: string[];
  tries: number;
  suspicious: boolean;
  hints?: string[];
  dangers?: ('check' | 'source')[];
  reach: number;
}

const HARMLESS: Case = { kind: 'new_skill', steps: ['Read the file.'], tries: 9, suspicious: false, reach: 3 };

function levelOf({
  kind,
  steps,
  tries,
  suspicious,
  hints = suspicious ? ['override'] : [],
  dangers = [],
  reach,
}: Case): Risk {
  const alternative = { action: 'x', worked: tries, n: tries, rate: 1, low: 0, high: 1, agents: 3, lift: null };
  const suspicions = hints.map((hint) => ({ kind: hint, count: 1 }));
  const used = dangers.map((it) => ({ class: it, program: 'git', form: '--no-verify', call: 'git commit', times: 1 }));
  const evidence = { alternatives: [alternative], dangers: used };
  return riskOf(kind, { action: 'Look first.', steps }, evidence, { suspicions }, reach);
}

const anything = fc.record({
  kind: fc.constantFrom(...ProposalKind.options),
  steps: fc.array(fc.constantFrom('Read the file.', 'Push it.', 'Wait.', 'chmod the file.'), { maxLength: 4 }),
  tries: fc.nat(20),
  suspicious: fc.boolean(),
  reach: fc.nat(300),
});
const height = (of: Case): number => Risk.options.indexOf(levelOf(of));

describe('the risk of a wrong approval', () => {
  it('is low for a well-tried new skill that changes no state and reaches few agents', () => {
    expect(levelOf(HARMLESS)).toBe('low');
  });

  it.each([
    ['tells agents to change state', { steps: ['Read the file.', 'Restart the service.'] }, 'medium'],
    ['was hardly tried', { tries: 4 }, 'medium'],
    ['changes a live skill', { kind: 'supersede' as const }, 'medium'],
    ['would reach a hundred agents', { reach: 100 }, 'medium'],
    ['skips a check', { hints: ['skipped-check'] }, 'high'],
    ['was only overcome by skipping a check', { dangers: ['check' as const] }, 'critical'],
    ['was overcome from another source', { dangers: ['source' as const] }, 'high'],
    ['turns a protection off', { hints: ['protection-off'] }, 'high'],
    ['changes a source', { hints: ['foreign-source'] }, 'high'],
    ['does so with a hint of injection', { hints: ['foreign-source', 'link'] }, 'critical'],
    ['has a hint of injection', { suspicious: true }, 'high'],
    ['changes state and was tried rarely', { steps: ['Delete it.'], tries: 1 }, 'high'],
    ['combines all reasons', { steps: ['Delete it.'], tries: 1, kind: 'conflict' as const, reach: 500 }, 'critical'],
  ])('rises when it %s', (_what, more, risk) => {
    expect(levelOf({ ...HARMLESS, ...more })).toBe(risk);
  });

  it.each(['delete', 'push', 'drop', 'restart', 'install', 'chmod'])('recognises "%s" as a change of state', (verb) => {
    expect(levelOf({ ...HARMLESS, steps: [`${verb.toUpperCase()} it.`] })).toBe('medium');
    expect(levelOf({ ...HARMLESS, steps: [`Look at the ${verb}er.`] })).toBe('low');
  });

  it('is raised by a command that changes state, but not by the standard words of the evolver', () => {
    expect(levelOf({ ...HARMLESS, steps: ['Carry over only the arguments that still apply.'] })).toBe('low');
    expect(levelOf({ ...HARMLESS, steps: ['Run `terraform apply` first.'] })).toBe('medium');
  });

  it('never decreases with another reason', () => {
    fc.assert(
      fc.property(anything, fc.nat(300), fc.nat(20), (of, more, less) => {
        const worse: Partial<Case>[] = [
          { steps: [...of.steps, 'Delete it.'] },
          { tries: Math.max(0, of.tries - less) },
          { suspicious: true },
          { reach: of.reach + more },
        ];
        for (const change of worse) expect(height({ ...of, ...change })).toBeGreaterThanOrEqual(height(of));
        expect(height({ ...of, kind: 'new_skill' })).toBeLessThanOrEqual(height(of));
      }),
    );
  });

  it('is not lowered by the revision of a job: neither are the votes and the findings', () => {
    const before = { risk: 'high', votesNeeded: 2 } as const;
    const lower = { risk: 'low', votesNeeded: 1 } as const;
    expect(
      neverLower({ ...before, findings: withSuspicions(2) }, { ...lower, findings: withSuspicions(), title: 'new' }),
    ).toEqual({
      ...before,
      findings: withSuspicions(2),
      title: 'new',
    });
    expect(neverLower({ ...lower, findings: withSuspicions(2) }, { ...before, findings: withSuspicions(1) })).toEqual({
      ...before,
      findings: withSuspicions(2),
    });
  });
});

const withSuspicions = (...counts: number[]) => ({
  redactions: [],
  suspicions: counts.map((count) => ({ kind: 'link', count })),
});
