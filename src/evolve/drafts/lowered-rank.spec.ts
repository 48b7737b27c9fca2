import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CYCLE_DEFAULTS, runCycle } from '../../../test/support/cycles.js';
import { observedWork, run } from '../../../test/support/observed-work.js';
import { REJECTION_REASONS, rejectionKindOf } from '../../approvals/texts/rejection-reason.schema.js';
import { type ComparedDraft, draftKey } from './draft.js';
import { loweredBy, orderedByRejections, type RejectedProposal } from './lowered-rank.js';

const lost = [run('cat app/a.txt', 'cat: app/a.txt: No such file or directory'), run('cat a.txt')];
const [first] = runCycle({
  executions: observedWork([lost]),
  settings: CYCLE_DEFAULTS,
  orgEntries: [],
  pendingProposals: [],
  rejectedFingerprints: [],
}).drafts;
if (!first) throw new Error('no draft');
const found: ComparedDraft = first;

/** A draft about a failure of its own. */
const draft = (name: string, impact: number, more: Partial<ComparedDraft> = {}): ComparedDraft => ({
  ...found,
  fingerprint: name,
  fingerprints: [name],
  actionFingerprint: `remedy of ${name}`,
  evidence: { ...found.evidence, impact, failingAction: `action of ${name}` },
  ...more,
});

const rejected = (more: Partial<RejectedProposal>): RejectedProposal => ({
  fingerprints: ['another'],
  actionFingerprint: 'another',
  tool: 'shell',
  failingAction: 'another',
  reason: 'wrong',
  ...more,
});
const of = (name: string): Partial<RejectedProposal> => ({ actionFingerprint: `remedy of ${name}` });
const onActionOf = (name: string): Partial<RejectedProposal> => ({ failingAction: `action of ${name}` });
const names = (drafts: readonly ComparedDraft[]) => drafts.map(({ fingerprint }) => fingerprint);

describe('the reason of a rejection', () => {
  it('is a predefined one if its text begins with the sentence or the code of one', () => {
    expect(
      ['It is wrong', 'Too narrow: one project or person. Ours', 'unsafe: deletes', 'KNOWN'].map(rejectionKindOf),
    ).toEqual(['wrong', 'narrow', 'unsafe', 'known']);
    expect(['', 'wrongly worded', 'not here'].map(rejectionKindOf)).toEqual(['other', 'other', 'other']);
  });
});

describe('a rejection', () => {
  it('lowers the same remedy against other failures, and says why', () => {
    const ordered = orderedByRejections([draft('a', 100), draft('b', 60), draft('c', 10)], [rejected(of('a'))]);
    expect(names(ordered)).toEqual(['b', 'a', 'c']);
    expect(ordered.map(({ lowered }) => lowered)).toEqual([
      undefined,
      [{ reason: 'wrong', resembles: 'remedy', rejections: 1 }],
      undefined,
    ]);
  });

  it('lowers lessons about the same action only with a second one of the same reason', () => {
    const drafts = [draft('a', 100), draft('b', 60)];
    const [one, two] = [rejected(onActionOf('a')), rejected({ ...onActionOf('a'), fingerprints: ['a third'] })];
    expect(names(orderedByRejections(drafts, [one]))).toEqual(['a', 'b']);
    expect(names(orderedByRejections(drafts, [one, { ...two, reason: 'known' }]))).toEqual(['a', 'b']);
    expect(names(orderedByRejections(drafts, [one, two]))).toEqual(['b', 'a']);
  });

  it('that calls a text unclear says nothing on its remedy', () => {
    expect(loweredBy(draft('a', 100), [rejected({ ...of('a'), reason: 'unclear' })])).toEqual([]);
  });

  it('about the same failure lowers nothing: it is remembered by itself', () => {
    const broader = draft('a', 100, { fingerprints: ['a', 'b'] });
    expect(loweredBy(broader, [rejected({ ...of('a'), fingerprints: ['a'] })])).toHaveLength(1);
    expect(loweredBy(draft('a', 100), [rejected({ ...of('a'), fingerprints: ['a'] })])).toEqual([]);
  });

  it('does not lower a draft below an eighth, nor a confirmed one below an observed one', () => {
    const many = REJECTION_REASONS.flatMap((reason) => [
      rejected({ ...of('a'), reason }),
      rejected({ ...of('a'), reason }),
    ]);
    expect(names(orderedByRejections([draft('a', 100), draft('b', 12)], many))).toEqual(['a', 'b']);
    const observed = draft('b', 90);
    const check = { ...observed.evidence.check, verdict: 'observed' as const };
    const confirmed = { ...found.evidence.check, verdict: 'confirmed' as const };
    const a = draft('a', 100);
    const drafts = [
      { ...a, evidence: { ...a.evidence, check: confirmed } },
      { ...observed, evidence: { ...observed.evidence, check } },
    ];
    expect(names(orderedByRejections(drafts, many))).toEqual(['a', 'b']);
  });

  it('leaves a draft that contradicts another one behind it', () => {
    const a = draft('a', 100);
    const b = draft('b', 90, { conflictsWithDrafts: [draftKey(a)] });
    expect(names(orderedByRejections([a, b, draft('c', 60)], [rejected(of('a'))]))).toEqual(['c', 'a', 'b']);
  });

  it('never takes a draft away, and never raises one above what it was behind, unless that was lowered', () => {
    const reasons = fc.constantFrom(...REJECTION_REASONS, 'other' as const);
    const some = fc.array(fc.record({ at: fc.nat(5), reason: reasons, same: fc.constantFrom(of, onActionOf) }));
    fc.assert(
      fc.property(fc.array(fc.nat(200), { maxLength: 6 }), some, (impacts, verdicts) => {
        const drafts = impacts.sort((a, b) => b - a).map((impact, n) => draft(`d${n}`, impact));
        const all = verdicts.map(({ at, reason, same }) => rejected({ ...same(`d${at}`), reason }));
        const ordered = orderedByRejections(drafts, all);
        expect(names(ordered).sort()).toEqual(names(drafts).sort());
        const plain = ordered.filter(({ lowered }) => lowered === undefined);
        expect(names(plain)).toEqual(names(drafts).filter((name) => names(plain).includes(name)));
      }),
    );
  });
});
