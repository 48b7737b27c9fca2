import { describe, expect, it } from '@jest/globals';
import { observedWork, run, type WorkKind } from '../../../test/support/observed-work.js';
import { CYCLE_DEFAULTS, type CycleOutcome, runCycle } from '../cycle/cycle.js';
import { DraftClassifier } from '../cycle/draft-classifier.js';
import type { ComparedDraft, Draft } from './draft.js';
import { type KnownClaim, KnownClaims, type KnownClaimsInput } from './known-claims.js';

/** Three programs on a path that is not there; looking elsewhere helps each of them. */
const lostCat = [run('cat app/a.txt', 'cat: app/a.txt: No such file or directory'), run('cat a.txt')];
const lostLs = [run('ls app/a.txt', 'ls: app/a.txt: No such file or directory'), run('ls a.txt')];
const lostWc = [run('wc app/a.txt', 'wc: app/a.txt: No such file or directory'), run('wc a.txt')];
/** Here the file has to be made. So often, that looking elsewhere is surely no better. */
const unmade = [
  run('wc app/b.txt', 'wc: app/b.txt: No such file or directory'),
  run('wc app/b.txt', 'wc: app/b.txt: No such file or directory'),
  run('make seed'),
  run('wc app/b.txt'),
];

/** Looking elsewhere is tried in earnest, and does not help. */
const inVain = [
  run('wc app/a.txt', 'wc: app/a.txt: No such file or directory'),
  run('wc a.txt', 'wc: a.txt: No such file or directory'),
  run('wc b/a.txt', 'wc: b/a.txt: No such file or directory'),
];

const NOTHING = { orgEntries: [], pendingProposals: [], rejectedFingerprints: [] };

function cycle(known: Partial<KnownClaimsInput>, ...kinds: WorkKind[]): CycleOutcome {
  return runCycle({ executions: observedWork(kinds), ...NOTHING, ...known, settings: CYCLE_DEFAULTS });
}

function only(drafts: readonly ComparedDraft[]): ComparedDraft {
  const [draft, ...others] = drafts;
  if (!draft || others.length > 0) throw new Error(`${drafts.length} drafts`);
  return draft;
}

/** What a draft becomes once it is in the queue, or approved. */
function known(id: string, { proposal, fingerprints, actionFingerprint, applicability, evidence }: Draft): KnownClaim {
  const { condition, action, confidence } = proposal;
  const executions = evidence.counts.executions;
  return { id, condition, action, confidence, evidence: executions, fingerprints, actionFingerprint, applicability };
}

const granularities = (drafts: readonly Draft[]) => drafts.map(({ evidence }) => evidence.granularity);
const broad = only(cycle({}, lostCat, lostLs).drafts);
const cat = only(cycle({}, lostCat).drafts);
const ls = only(cycle({}, lostLs).drafts);

describe('a lesson on a kind of error and one on a case of it that says the same', () => {
  it('are never both proposed in one cycle', () => {
    expect(broad.evidence.granularity).toBe('kind');
    expect([cat, ls].map(({ evidence }) => evidence.granularity)).toEqual(['class', 'class']);
  });

  it('the broad one is to replace the approved case, by another approval', () => {
    const draft = only(cycle({ orgEntries: [known('of cat', cat)] }, lostCat, lostLs).drafts);
    expect(draft).toMatchObject({ kind: 'supersede', supersedes: ['of cat'], evidence: { granularity: 'kind' } });
  });

  it('the broad one waits while an approved case of it is surer', () => {
    const entry = { ...known('of cat', cat), confidence: 1 };
    const outcome = cycle({ orgEntries: [entry] }, lostCat, lostLs);
    expect(outcome.drafts).toEqual([]);
    expect(outcome.alreadyApproved).toMatchObject([
      { entryId: 'of cat', draft: { evidence: { granularity: 'kind' } } },
    ]);
  });

  it('a case that came later is not proposed beside the approved broad one', () => {
    const outcome = cycle({ orgEntries: [known('of paths', broad)] }, lostWc);
    expect(outcome.drafts).toEqual([]);
    expect(outcome.alreadyApproved).toMatchObject([
      { entryId: 'of paths', draft: { evidence: { granularity: 'class' } } },
    ]);
  });

  it('a case that came later is not proposed beside the pending broad one, and takes nothing from it', () => {
    const outcome = cycle({ pendingProposals: [known('of paths', broad)] }, lostWc);
    expect([outcome.drafts, outcome.alreadyPending]).toEqual([[], []]);
    expect(outcome.toldInPending).toMatchObject([{ proposalId: 'of paths' }]);
  });

  it('of two pending cases one becomes the broad one, and the other is withdrawn', () => {
    const outcome = cycle({ pendingProposals: [known('of cat', cat), known('of ls', ls)] }, lostCat, lostLs);
    expect(outcome.drafts).toEqual([]);
    const [refreshed, ...others] = outcome.alreadyPending;
    expect(others).toEqual([]);
    expect(refreshed?.draft.evidence.granularity).toBe('kind');
    expect([refreshed?.proposalId, ...(refreshed?.draft.makesNeedless ?? [])].sort()).toEqual(['of cat', 'of ls']);
  });

  it('where the broad one no longer holds, one case takes its pending item further and the other is a proposal', () => {
    const outcome = cycle({ pendingProposals: [known('of paths', broad)] }, lostCat, lostLs, inVain);
    expect(outcome.alreadyPending).toMatchObject([
      { proposalId: 'of paths', draft: { evidence: { granularity: 'class' } } },
    ]);
    expect(granularities(outcome.drafts)).toEqual(['class']);
  });
});

describe('a case of a kind of error that has a better remedy of its own', () => {
  const often = [lostCat, lostLs, unmade].map((calls) => ({ of: 30, calls }));
  const [paths, made] = [cycle({}, ...often).drafts, only(cycle({}, unmade).drafts)];

  it('is told beside the broad lesson, which does not answer to it', () => {
    expect(granularities(paths).sort()).toEqual(['class', 'kind']);
    const lesson = paths.find(({ evidence }) => evidence.granularity === 'kind');
    expect(lesson?.fingerprints).not.toContain(made.fingerprint);
    expect(lesson?.evidence.errorClasses).toEqual(['file-not-found']);
    expect(lesson?.evidence.counts.executions).toBe(60);
  });

  it('keeps its item beside that of the broad lesson from cycle to cycle', () => {
    const pendingProposals = paths.map((draft) => known(`item of a ${draft.evidence.granularity}`, draft));
    const outcome = cycle({ pendingProposals }, ...often);
    expect(outcome.drafts).toEqual([]);
    const kept = outcome.alreadyPending.map(({ proposalId, draft }) => [proposalId, draft.evidence.granularity]);
    expect(kept.sort()).toEqual([
      ['item of a class', 'class'],
      ['item of a kind', 'kind'],
    ]);
  });
});

describe('the proposals of one cycle', () => {
  const python = (error: string, next: string) => {
    const failed = run('python a.py', error);
    return { of: 30, calls: [failed, failed, run(next)] };
  };
  const syntax = python('SyntaxError: invalid syntax', 'python3 a.py');
  const value = python('ValueError: bad value', 'python3 a.py');
  const older = python('ImportError: No module named yaml', 'python2 a.py');

  /** Places drafts as they come, the greatest impact first. */
  function placed(drafts: readonly Draft[], input: Partial<KnownClaimsInput> = {}): CycleOutcome {
    const sorter = new DraftClassifier(new KnownClaims({ ...NOTHING, ...input }), CYCLE_DEFAULTS);
    for (const draft of drafts) sorter.add(draft);
    return { ...cycle({}), ...sorter.result() };
  }
  const prints = (drafts: readonly Draft[]) => drafts.map(({ fingerprint }) => fingerprint);
  const sure = (draft: Draft, confidence: number): Draft => ({
    ...draft,
    proposal: { ...draft.proposal, confidence },
  });

  it('that cannot both hold are no two skills: the second contradicts the first', () => {
    const { drafts, conflicts } = cycle({}, syntax, value, older);
    expect(drafts).toMatchObject([
      { kind: 'new_skill', proposal: { title: 'Use python3 instead of python' }, conflictsWithDrafts: [] },
      { kind: 'conflict', proposal: { title: 'Use python2 instead of python' } },
    ]);
    expect(drafts[1]?.conflictsWithDrafts).toEqual([drafts[0]?.fingerprint]);
    expect(conflicts).toBe(1);
  });

  it('name and count only errors that they answer to', () => {
    const [first] = cycle({}, syntax, value, older).drafts;
    expect(first?.evidence.counts).toMatchObject({ executions: 60, failures: 120 });
    expect(first?.proposal.rationale).toContain('failed this way in 60 of 90 executions');
    expect([...(first?.evidence.errorClasses ?? [])].sort()).toEqual(['SyntaxError', 'ValueError']);
    expect(first?.proposal.condition).not.toContain('ImportError');
  });

  it('that say the same of a part are one: the case is told in the broad one, whichever comes first', () => {
    const after = placed([broad, cat]);
    expect(prints(after.drafts)).toEqual([broad.fingerprint]);
    expect(after.toldInDraft).toMatchObject([{ by: broad.fingerprint, draft: { fingerprint: cat.fingerprint } }]);
    const before = placed([sure(cat, 0.85), sure(ls, 0.85), sure(broad, 0.95)]);
    expect(prints(before.drafts)).toEqual([broad.fingerprint]);
    expect(before.toldInDraft.map(({ by }) => by)).toEqual([broad.fingerprint, broad.fingerprint]);
    expect(prints(before.toldInDraft.map(({ draft }) => draft)).sort()).toEqual(prints([cat, ls]).sort());
  });

  it('of one setting that ask for the same are one, the surer one', () => {
    const twin = { ...cat, fingerprint: 'sha256:twin', fingerprints: ['sha256:twin'] };
    expect(prints(placed([sure(cat, 0.9), sure(twin, 0.85)]).drafts)).toEqual([cat.fingerprint]);
    const surer = placed([sure(cat, 0.85), sure(twin, 0.9)]);
    expect(prints(surer.drafts)).toEqual([twin.fingerprint]);
    expect(surer.toldInDraft).toMatchObject([{ by: twin.fingerprint, draft: { fingerprint: cat.fingerprint } }]);
  });

  it('are compared with what another one makes of a waiting item, and not with what that said before', () => {
    const other = { ...known('item', cat), action: 'Never look elsewhere.', actionFingerprint: 'sha256:other' };
    const opposite: Draft = {
      ...sure(cat, 0.9),
      ...{ fingerprint: 'sha256:new', fingerprints: ['sha256:new'], actionFingerprint: 'sha256:other' },
      proposal: { ...cat.proposal, action: 'Never look elsewhere.', confidence: 0.9 },
    };
    // the item becomes what `cat` says; what it said is nothing that another draft could take further
    const outcome = placed([cat, opposite], { pendingProposals: [other] });
    expect(outcome.alreadyPending).toMatchObject([{ proposalId: 'item' }]);
    expect(outcome.drafts).toMatchObject([{ kind: 'conflict', conflictsWithPending: ['item'] }]);
  });

  it('that take a waiting item further say what that contradicts from now on', () => {
    const opposite = {
      ...known('against', cat),
      ...{ action: 'Never check where the shell stands.', actionFingerprint: 'sha256:other', fingerprints: [] },
    };
    const { alreadyPending } = placed([cat], { pendingProposals: [known('item', cat), opposite] });
    expect(alreadyPending).toMatchObject([{ proposalId: 'item', draft: { conflictsWithPending: ['against'] } }]);
  });

  it('that take a waiting item further are measured against what was approved since', () => {
    const weaker = { ...known('of cat', cat), confidence: 0.6 };
    const [covering] = placed([broad], { orgEntries: [weaker], pendingProposals: [known('item', ls)] }).alreadyPending;
    expect(covering).toMatchObject({ proposalId: 'item', draft: { kind: 'supersede', supersedes: ['of cat'] } });
    const opposite = { ...known('against', cat), action: 'Never check where the shell stands.', fingerprints: [] };
    const entry = { ...opposite, actionFingerprint: 'sha256:other' };
    const [contrary] = placed([cat], { orgEntries: [entry], pendingProposals: [known('item', cat)] }).alreadyPending;
    expect(contrary).toMatchObject({ proposalId: 'item', draft: { kind: 'conflict', conflictsWith: ['against'] } });
  });

  it('that answer to the pattern of another one leave it its own item', () => {
    const both = { ...known('both', ls), fingerprints: [ls.fingerprint, cat.fingerprint] };
    const { alreadyPending } = placed([cat, ls], { pendingProposals: [both, known('own', cat)] });
    expect(alreadyPending.map(({ proposalId }) => proposalId)).toEqual(['own', 'both']);
  });
});
