import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { EvidenceKind, EvidenceStance, type ProvenanceEvidence } from '../memory/provenance/evidence.schema.js';
import { EVIDENCE_ORDER, evaluateEvidence, type VerdictInput } from './verdict.js';

const SETTINGS = { executions: 2, otherAgents: 1, owners: 1 };
const OWN = '0a3c0000-0000-4000-8000-000000000001';
const OTHER = '0a3c0000-0000-4000-8000-000000000002';
const NOON = '2026-03-31T12:00:00.000Z';
let count = 0;

function evidenceOf(
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
const evaluate = (evidence: ProvenanceEvidence[], change: Partial<VerdictInput> = {}) =>
  evaluateEvidence({ agentId: OWN, owner: OWN, evidence, grounds: [], ...change }, SETTINGS);
const tools = (supports: number, contradicts = 0) => [
  ...Array.from({ length: supports }, () => evidenceOf('tool_result', 'supports')),
  ...Array.from({ length: contradicts }, () => evidenceOf('tool_result', 'contradicts')),
];
const ground = (change: Partial<VerdictInput['grounds'][number]> = {}) => ({
  id: OTHER,
  provenance: 'verified' as const,
  ended: false,
  endedAt: null,
  ...change,
});

describe('the verdict on a memory', () => {
  it('is not verified without evidence, however often the memory was asserted', () => {
    expect(evaluate([])).toEqual({ verified: false, because: 'no_evidence', evidence: [] });
  });

  it('follows the order person, primary source, tool result, verifier model', () => {
    for (const [at, higher] of EVIDENCE_ORDER.entries())
      for (const lower of EVIDENCE_ORDER.slice(at + 1)) {
        const strong = (kind: EvidenceKind, stance: EvidenceStance) => [
          evidenceOf(kind, stance),
          evidenceOf(kind, stance),
        ];
        expect(evaluate([...strong(higher, 'supports'), ...strong(lower, 'contradicts')])).toMatchObject({
          by: higher,
        });
        expect(evaluate([...strong(lower, 'supports'), ...strong(higher, 'contradicts')])).toMatchObject({
          verified: false,
          because: 'contradicted',
        });
      }
  });

  it('accepts tool results only if enough executions agree, one of them of another agent', () => {
    expect(evaluate(tools(1))).toMatchObject({ because: 'not_enough_evidence' });
    expect(evaluate(tools(2))).toMatchObject({ verified: true, by: 'tool_result' });
    const own = tools(5).map((one) => ({ ...one, agentId: OWN, owner: OWN }));
    expect(evaluate(own)).toMatchObject({ because: 'not_enough_evidence' });
    const twice = tools(2).map((one) => ({ ...one, source: 'the same session' }));
    expect(evaluate(twice)).toMatchObject({ because: 'not_enough_evidence' });
    const owners = { ...SETTINGS, owners: 3 };
    const standing = { agentId: OWN, owner: OWN, evidence: tools(2), grounds: [] };
    expect(evaluateEvidence(standing, owners)).toMatchObject({ because: 'not_enough_evidence' });
  });

  it('does not accept tool results for the parts of a lesson that they cannot show', () => {
    const partial = tools(3).map((one) => ({ ...one, whole: false }));
    expect(evaluate(partial)).toMatchObject({ because: 'not_enough_evidence' });
    expect(evaluate([...partial, evidenceOf('second_model', 'supports')])).toMatchObject({ by: 'second_model' });
  });

  it('turns into doubt after one contradiction, and treats one in five as noise', () => {
    expect(evaluate(tools(0, 1))).toMatchObject({ because: 'contradicted' });
    expect(evaluate(tools(3, 1))).toMatchObject({ because: 'conflicting_evidence' });
    expect(evaluate(tools(4, 1))).toMatchObject({ verified: true });
    expect(evaluate([...tools(3, 1), evidenceOf('second_model', 'supports')])).toMatchObject({ verified: false });
  });

  it('follows the last statement of a person', () => {
    expect(evaluate([evidenceOf('person', 'supports'), evidenceOf('person', 'contradicts')])).toMatchObject({
      because: 'contradicted',
    });
    expect(evaluate([evidenceOf('person', 'contradicts'), evidenceOf('person', 'supports')])).toMatchObject({
      by: 'person',
    });
  });

  it('is no better than the verdicts on the grounds of the memory', () => {
    const grounds = [ground(), ground({ provenance: 'unverified' as const })];
    expect(evaluate(tools(2), { grounds })).toMatchObject({ because: 'derived_from_unverified' });
    expect(evaluate([], { grounds })).toMatchObject({ because: 'derived_from_unverified' });
    // The person knew the grounds at that time, and not what happened later.
    expect(evaluate([evidenceOf('person', 'supports')], { grounds })).toMatchObject({ by: 'person' });
    const later = new Date('2026-04-01T00:00:00Z');
    expect(
      evaluate([evidenceOf('person', 'supports')], { grounds: [ground({ ended: true, endedAt: later })] }),
    ).toMatchObject({
      because: 'derived_from_unverified',
    });
  });

  it('is verified only with supporting evidence and no stronger contradiction, and names its evidence', () => {
    const any = fc.record({
      kind: fc.constantFrom(...EvidenceKind.options),
      stance: fc.constantFrom(...EvidenceStance.options),
      whole: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(any, { maxLength: 12 }), (words) => {
        const evidence = words.map(({ kind, stance, whole }) => evidenceOf(kind, stance, { whole }));
        const verdict = evaluate(evidence);
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
