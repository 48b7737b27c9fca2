import { describe, expect, it } from '@jest/globals';
import type { Check, Verdict } from '../../evidence/predicate/check.schema.js';
import type { LearnedClaim } from '../../learning/patterns/pattern.schema.js';
import { PatternEvidence } from '../support/pattern-evidence.js';
import type { ExaminedCandidate, FamilyFindings } from './family-examination.js';
import { NO_OUTCOMES } from './family-outcomes.js';
import { lessonsOf } from './lesson.js';

const claimAbout = (error: string): LearnedClaim => ({
  key: '+python3',
  follow: ['+python3'],
  rivals: [],
  conditions: [
    { tool: 'shell', call: ['python'], error: [error], remedy: ['python3'], values: {}, closed: {}, said: [error] },
  ],
});

function candidate(key: string, verdict: Verdict, change: Partial<ExaminedCandidate> = {}): ExaminedCandidate {
  const check: Check = {
    verdict,
    split: 'origin',
    by: null,
    comparisons: [],
    scope: null,
    seen: { with: { worked: 6, n: 6 }, without: { worked: 0, n: 3 } },
    withoutOneAgent: null,
    withoutOneHarness: null,
  };
  return {
    key,
    how: 'replace',
    action: key,
    label: key,
    taught: [key],
    avoided: [],
    predicate: { learned: claimAbout(key) },
    check,
    binding: {},
    workedFor: { parties: 3, agents: 3, owners: 2 },
    dangers: [],
    treated: new Set<string>(),
    ...change,
  };
}

/** `size` only orders the families; their dossiers are not read. */
function findings(name: string, candidates: readonly ExaminedCandidate[]): FamilyFindings {
  return {
    family: {
      fingerprint: `sha256:${name}`,
      signature: name,
      templates: new Set([name]),
      fingerprints: [name],
      tools: ['shell'],
      actions: ['python'],
      errorClasses: [name],
      evidence: new PatternEvidence(),
    },
    dossier: {} as FamilyFindings['dossier'],
    candidates,
    outcomes: NO_OUTCOMES,
    examined: 6,
    read: [],
    split: 'origin',
    isMember: () => false,
  };
}

const keys = (all: readonly FamilyFindings[], owners = 1) => lessonsOf(all, owners).map(({ main }) => main.key);

describe('what may reach the queue', () => {
  it('is confirmed or observed; refuted and undecided candidates never are', () => {
    const all = (['confirmed', 'observed', 'undecided', 'refuted'] as const).map((one) => candidate(one, one));
    expect(keys([findings('a', all)])).toEqual(['confirmed', 'observed']);
  });

  it('has worked for two agents, and for as many owners as the organisation asks for', () => {
    expect(
      keys([findings('a', [candidate('x', 'confirmed', { workedFor: { parties: 1, agents: 1, owners: 1 } })])]),
    ).toEqual([]);
    expect(keys([findings('a', [candidate('x', 'confirmed')])], 2)).toEqual(['x']);
    expect(keys([findings('a', [candidate('x', 'confirmed')])], 3)).toEqual([]);
  });

  it('is one lesson for candidates with one action against several errors', () => {
    const other = { predicate: { learned: claimAbout('other') } };
    const all = [
      findings('import', [candidate('python3', 'observed', other)]),
      findings('syntax', [candidate('python3', 'confirmed')]),
    ];
    const [lesson, ...others] = lessonsOf(all, 1);
    expect(others).toEqual([]);
    expect(lesson?.families.map(({ signature }) => signature)).toEqual(['syntax', 'import']);
    expect(lesson?.predicate.learned?.conditions).toEqual(
      ['python3', 'other'].flatMap((name) => claimAbout(name).conditions),
    );
    expect(lesson?.check.verdict).toBe('confirmed');
    expect(lessonsOf([...all].reverse(), 1)).toEqual([lesson]);
  });

  it('is ordered: confirmed lessons before observed ones', () => {
    expect(keys([findings('a', [candidate('x', 'observed')]), findings('b', [candidate('y', 'confirmed')])])).toEqual([
      'y',
      'x',
    ]);
  });

  it('counts the failures of the action that it is about, of a family of several actions', () => {
    const ofPush = new PatternEvidence();
    const found = findings('refused', [
      candidate('x', 'confirmed', { failingAction: 'git push' }),
      candidate('y', 'observed'),
    ]);
    const { family } = found;
    const evidenceByAction = new Map([['git push', ofPush]]);
    const several = { ...found, family: { ...family, actions: ['pip install', 'git push'], evidenceByAction } };
    const [special, general] = lessonsOf([several], 1);
    expect(special?.evidence).toBe(ofPush);
    expect(general?.evidence).toBe(family.evidence);
  });
});
