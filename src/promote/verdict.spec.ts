import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { EvidenceKind, EvidenceStance, type ProvenanceEvidence } from '../memory/provenance/evidence.schema.js';
import { EVIDENCE_ORDER, evaluateEvidence, type VerdictInput } from './verdict.js';

const SETTINGS = { executions: 2, otherAgents: 1, owners: 2, credentials: 2 };
const OWN_REPORT = { owner: 'books', reporterId: '0a3c0000-0000-4000-8000-000000000001' };
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
  const whose = tool
    ? { executionId: id, agentId: OTHER, owner: 'shop', reporterId: OTHER }
    : { executionId: null, agentId: null, owner: null, reporterId: null };
  return { id, memoryId: OWN, kind, stance, source: id, whole: true, ...whose, reason: 'x', at: NOON, ...change };
}
const evaluate = (evidence: ProvenanceEvidence[], change: Partial<VerdictInput> = {}) =>
  evaluateEvidence(
    { agentId: OWN, taughtBy: OWN_REPORT, needsPerson: false, evidence, grounds: [], ...change },
    SETTINGS,
  );
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
    const own = tools(5).map((one) => ({ ...one, agentId: OWN, ...OWN_REPORT }));
    expect(evaluate(own)).toMatchObject({ because: 'not_enough_evidence' });
    const twice = tools(2).map((one) => ({ ...one, source: 'the same session' }));
    expect(evaluate(twice)).toMatchObject({ because: 'not_enough_evidence' });
    const owners = { ...SETTINGS, owners: 3 };
    const input = { agentId: OWN, taughtBy: OWN_REPORT, needsPerson: false, evidence: tools(2), grounds: [] };
    expect(evaluateEvidence(input, owners)).toMatchObject({ because: 'not_independent' });
  });

  const reportedBy = (...witnesses: (readonly [owner: string | null, reporter: number])[]) =>
    witnesses.map(([owner, reporter]) =>
      evidenceOf('tool_result', 'supports', {
        owner,
        reporterId: `0a3c0000-0000-4000-8000-0000000000a${reporter}`,
        agentId: `0a3c0000-0000-4000-8000-0000000000b${reporter}`,
      }),
    );

  it('counts owners and credentials, as reported: the agents of one owner or of one importer are one', () => {
    const verdictOf = (evidence: ProvenanceEvidence[], taughtBy: VerdictInput['taughtBy'] = OWN_REPORT) =>
      evaluate(evidence, { taughtBy });
    expect(verdictOf(reportedBy(['books', 1], ['Books', 2], ['BOOKS', 3]))).toMatchObject({
      because: 'not_independent',
    });
    // One credential reports for the agents of several owners.
    const importer = { owner: 'books', reporterId: '0a3c0000-0000-4000-8000-0000000000a1' };
    expect(verdictOf(reportedBy(['shop', 1], ['yard', 1]), importer)).toMatchObject({ because: 'not_independent' });
    // An agent without a stated owner may belong to any of them.
    expect(verdictOf(reportedBy([null, 2], [null, 3]))).toMatchObject({ because: 'not_independent' });
    expect(verdictOf(reportedBy(['shop', 1], [null, 3]), { owner: null, reporterId: OWN })).toMatchObject({
      because: 'not_independent',
    });
    expect(verdictOf(reportedBy(['books', 1], ['shop', 2]))).toMatchObject({ verified: true, by: 'tool_result' });
    expect(verdictOf(reportedBy(['yard', 1], ['shop', 2]), { owner: null, reporterId: null })).toMatchObject({
      verified: true,
    });
  });

  it('gives each owner one voice: many results of one do not outweigh one contradiction of another', () => {
    const other = evidenceOf('tool_result', 'contradicts', { owner: 'yard', reporterId: OTHER });
    const many = Array.from({ length: 40 }, () => evidenceOf('tool_result', 'supports'));
    expect(evaluate([...many, other])).toMatchObject({ because: 'conflicting_evidence' });
    const contradicted = Array.from({ length: 40 }, () => evidenceOf('tool_result', 'contradicts'));
    expect(evaluate([...reportedBy(['yard', 1], ['yard', 2]), ...contradicted])).toMatchObject({
      because: 'conflicting_evidence',
    });
    const owners = reportedBy(['a', 1], ['b', 2], ['c', 3], ['d', 4]);
    expect(evaluate([...owners, other])).toMatchObject({ verified: true });
  });

  it('leaves a memory that reads like an instruction to a person, whatever else supports it', () => {
    for (const kind of EVIDENCE_ORDER) {
      const verdict = evaluate([evidenceOf(kind, 'supports'), evidenceOf(kind, 'supports')], { needsPerson: true });
      expect(verdict).toMatchObject(kind === 'person' ? { verified: true } : { because: 'needs_person' });
    }
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
