import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { EvidenceKind, EvidenceStance, type ProvenanceEvidence } from '../memory/provenance/evidence.schema.js';
import { EVIDENCE_ORDER, evaluateEvidence, type VerdictInput } from './verdict.js';

const SETTINGS = { executions: 2, otherAgents: 1, owners: 1 };
const OWN = '0a3c0000-0000-4000-8000-000000000001';
const OTHER = '0a3c0000-0000-4000-8000-000000000002';
const NOON = '2026-03-31T12:00:00.000Z';
let count = 0;

function word(
  kind: EvidenceKind,
  stance: EvidenceStance,
  change: Partial<ProvenanceEvidence> = {},
): ProvenanceEvidence {
  count += 1;
  const id = `0a3c0000-0000-4000-8000-${String(count).padStart(12, '0')}`;
  const tool = kind === 'tool_result';
  const whose = { agentId: tool ? OTHER : null, owner: tool ? OTHER : null };
  return { id, memoryId: OWN, kind, stance, source: id, whole: true, ...whose, reason: 'x', at: NOON, ...change };
}
const judge = (evidence: ProvenanceEvidence[], change: Partial<VerdictInput> = {}) =>
  evaluateEvidence({ agentId: OWN, owner: OWN, evidence, grounds: [], ...change }, SETTINGS);
const tools = (supports: number, contradicts = 0) => [
  ...Array.from({ length: supports }, () => word('tool_result', 'supports')),
  ...Array.from({ length: contradicts }, () => word('tool_result', 'contradicts')),
];
const ground = (change: Partial<VerdictInput['grounds'][number]> = {}) => ({
  id: OTHER,
  provenance: 'verified' as const,
  ended: false,
  endedAt: null,
  ...change,
});

describe('the verdict on a memory', () => {
  it('is not verified by nothing, however often it was asserted', () => {
    expect(judge([])).toEqual({ verified: false, because: 'no_evidence', evidence: [] });
  });

  it('follows the order person, primary source, tool result, second model', () => {
    for (const [at, higher] of EVIDENCE_ORDER.entries())
      for (const lower of EVIDENCE_ORDER.slice(at + 1)) {
        const strong = (kind: EvidenceKind, stance: EvidenceStance) => [word(kind, stance), word(kind, stance)];
        expect(judge([...strong(higher, 'supports'), ...strong(lower, 'contradicts')])).toMatchObject({ by: higher });
        expect(judge([...strong(lower, 'supports'), ...strong(higher, 'contradicts')])).toMatchObject({
          verified: false,
          because: 'contradicted',
        });
      }
  });

  it('takes tools for evidence only where enough executions agree, one of them of another agent', () => {
    expect(judge(tools(1))).toMatchObject({ because: 'not_enough_evidence' });
    expect(judge(tools(2))).toMatchObject({ verified: true, by: 'tool_result' });
    const own = tools(5).map((one) => ({ ...one, agentId: OWN, owner: OWN }));
    expect(judge(own)).toMatchObject({ because: 'not_enough_evidence' });
    const twice = tools(2).map((one) => ({ ...one, source: 'the same session' }));
    expect(judge(twice)).toMatchObject({ because: 'not_enough_evidence' });
    const owners = { ...SETTINGS, owners: 3 };
    const standing = { agentId: OWN, owner: OWN, evidence: tools(2), grounds: [] };
    expect(evaluateEvidence(standing, owners)).toMatchObject({ because: 'not_enough_evidence' });
  });

  it('does not take tools for evidence of what they say nothing about', () => {
    const partial = tools(3).map((one) => ({ ...one, whole: false }));
    expect(judge(partial)).toMatchObject({ because: 'not_enough_evidence' });
    expect(judge([...partial, word('second_model', 'supports')])).toMatchObject({ by: 'second_model' });
  });

  it('doubts at one contradiction, and takes one in five for noise', () => {
    expect(judge(tools(0, 1))).toMatchObject({ because: 'contradicted' });
    expect(judge(tools(3, 1))).toMatchObject({ because: 'conflicting_evidence' });
    expect(judge(tools(4, 1))).toMatchObject({ verified: true });
    expect(judge([...tools(3, 1), word('second_model', 'supports')])).toMatchObject({ verified: false });
  });

  it('hears the last word of a person', () => {
    expect(judge([word('person', 'supports'), word('person', 'contradicts')])).toMatchObject({
      because: 'contradicted',
    });
    expect(judge([word('person', 'contradicts'), word('person', 'supports')])).toMatchObject({ by: 'person' });
  });

  it('gives a conclusion no more than what it rests on has', () => {
    const grounds = [ground(), ground({ provenance: 'unverified' as const })];
    expect(judge(tools(2), { grounds })).toMatchObject({ because: 'derived_from_unverified' });
    expect(judge([], { grounds })).toMatchObject({ because: 'derived_from_unverified' });
    // They knew it when they said so, and what came after it they did not know.
    expect(judge([word('person', 'supports')], { grounds })).toMatchObject({ by: 'person' });
    const later = new Date('2026-04-01T00:00:00Z');
    expect(judge([word('person', 'supports')], { grounds: [ground({ ended: true, endedAt: later })] })).toMatchObject({
      because: 'derived_from_unverified',
    });
  });

  it('is verified only with evidence that supports it, never against a higher contradiction, and names its evidence', () => {
    const any = fc.record({
      kind: fc.constantFrom(...EvidenceKind.options),
      stance: fc.constantFrom(...EvidenceStance.options),
      whole: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(any, { maxLength: 12 }), (words) => {
        const evidence = words.map(({ kind, stance, whole }) => word(kind, stance, { whole }));
        const verdict = judge(evidence);
        expect(evidence.map(({ id }) => id)).toEqual(expect.arrayContaining([...verdict.evidence]));
        if (!verdict.verified) return;
        const used = evidence.filter(({ id }) => verdict.evidence.includes(id));
        expect(used.some(({ stance, whole }) => stance === 'supports' && whole)).toBe(true);
        const person = evidence.filter(({ kind }) => kind === 'person').at(-1);
        expect(person?.stance).not.toBe('contradicts');
      }),
    );
  });
});
