import { describe, expect, it } from '@jest/globals';
import { observedWork, run, type WorkKind } from '../../../test/support/observed-work.js';
import { CYCLE_DEFAULTS, type CycleOutcome, runCycle } from '../cycle/cycle.js';
import { DraftClassifier } from '../cycle/draft-classifier.js';
import { type ComparedDraft, type Draft, draftKey } from './draft.js';
import { type KnownClaim, KnownClaims, type KnownClaimsInput } from './known-claims.js';

/** Three programs with a path that does not exist; another path helps each of them. */
const lostCat = [run('cat app/a.txt', 'cat: app/a.txt: No such file or directory'), run('cat a.txt')];
const lostLs = [run('ls app/a.txt', 'ls: app/a.txt: No such file or directory'), run('ls a.txt')];
const lostWc = [run('wc app/a.txt', 'wc: app/a.txt: No such file or directory'), run('wc a.txt')];
/** Here the file has to be created, so often that another path is surely no better. */
const unmade = [
  run('wc app/b.txt', 'wc: app/b.txt: No such file or directory'),
  run('wc app/b.txt', 'wc: app/b.txt: No such file or directory'),
  run('make seed'),
  run('wc app/b.txt'),
];

/** Another path is tried often enough, and does not help. */
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

/** Returns what a draft becomes once it is pending or approved. */
function known(id: string, { text, fingerprints, actionFingerprint, applicability, evidence }: Draft): KnownClaim {
  const { condition, action, confidence } = text;
  const executions = evidence.counts.executions;
  return { id, condition, action, confidence, evidence: executions, fingerprints, actionFingerprint, applicability };
}

/** The kind of error of a broad lesson; undefined for a case. */
const kinds = (drafts: readonly Draft[]) => drafts.map(({ evidence }) => evidence.kind);
const broad = only(cycle({}, lostCat, lostLs).drafts);
const cat = only(cycle({}, lostCat).drafts);
/** As if it were a family of its own. */
const ls = ((found: ComparedDraft): ComparedDraft => {
  const fingerprint = 'sha256:ls';
  return { ...found, fingerprint, fingerprints: [fingerprint, ...found.fingerprints.slice(1)] };
})(only(cycle({}, lostLs).drafts));

describe('a lesson on a kind of error and one on a case of it with the same remedy', () => {
  it('are never both proposed in one cycle', () => {
    expect(kinds([broad, cat, ls])).toEqual(['wrong-path', undefined, undefined]);
  });

  it('the broad one replaces the approved case, by another approval', () => {
    const draft = only(cycle({ orgEntries: [known('of cat', cat)] }, lostCat, lostLs).drafts);
    expect(draft).toMatchObject({ kind: 'supersede', supersedes: ['of cat'], evidence: { kind: 'wrong-path' } });
  });

  it('the broad one waits while an approved case has more confidence', () => {
    const entry = { ...known('of cat', cat), confidence: 1 };
    const outcome = cycle({ orgEntries: [entry] }, lostCat, lostLs);
    expect(outcome.drafts).toEqual([]);
    expect(outcome.alreadyApproved).toMatchObject([{ entryId: 'of cat', draft: { evidence: { kind: 'wrong-path' } } }]);
  });

  it('a later case is not proposed beside the approved broad one', () => {
    const outcome = cycle({ orgEntries: [known('of paths', broad)] }, lostWc);
    expect(outcome.drafts).toEqual([]);
    expect(outcome.alreadyApproved).toMatchObject([
      { entryId: 'of paths', draft: { evidence: { failingAction: 'wc' } } },
    ]);
  });

  it('a later case is not proposed beside the pending broad one, and takes nothing from it', () => {
    const outcome = cycle({ pendingProposals: [known('of paths', broad)] }, lostWc);
    expect([outcome.drafts, outcome.alreadyPending]).toEqual([[], []]);
    expect(outcome.subsumedByPending).toMatchObject([{ proposalId: 'of paths' }]);
  });

  it('a case with a proposal of its own refreshes that one, and not the pending broad one', () => {
    const pendingProposals = [known('of paths', broad), known('of cat', cat)];
    const outcome = cycle({ pendingProposals }, lostCat);
    expect(outcome.drafts).toEqual([]);
    expect(outcome.alreadyPending).toMatchObject([{ proposalId: 'of cat' }]);
  });

  it('a case of another family is not proposed beside the pending broad one, and takes nothing from it', () => {
    const elsewhere = { ...known('of paths', broad), fingerprints: ['sha256:elsewhere'] };
    const outcome = cycle({ pendingProposals: [elsewhere] }, lostWc);
    expect([outcome.drafts, outcome.alreadyPending]).toEqual([[], []]);
    expect(outcome.subsumedByPending).toMatchObject([{ proposalId: 'of paths' }]);
  });

  it('of two pending cases, one becomes the broad one and the other is withdrawn', () => {
    const outcome = cycle({ pendingProposals: [known('of cat', cat), known('of ls', ls)] }, lostCat, lostLs);
    expect(outcome.drafts).toEqual([]);
    const [refreshed, ...others] = outcome.alreadyPending;
    expect(others).toEqual([]);
    expect(refreshed?.draft.evidence.kind).toBe('wrong-path');
    expect([refreshed?.proposalId, ...(refreshed?.draft.makesObsolete ?? [])].sort()).toEqual(['of cat', 'of ls']);
  });

  it('the broad one is neither proposed nor refreshed while it fails too often for one of the cases', () => {
    const outcome = cycle({ pendingProposals: [known('of paths', broad)] }, lostCat, lostLs, inVain);
    expect([outcome.drafts, outcome.alreadyPending]).toEqual([[], []]);
    expect(outcome.lowConfidence).toMatchObject([{ evidence: { chosen: { outcome: { successes: 16, n: 24 } } } }]);
  });
});

describe('a case of a kind of error with its own better remedy', () => {
  const often = [lostCat, lostLs, unmade].map((calls) => ({ of: 30, calls }));
  const [paths, made] = [cycle({}, ...often).drafts, only(cycle({}, unmade).drafts)];

  it('is proposed beside the broad lesson, which does not cover it', () => {
    expect(kinds(paths)).toEqual([undefined, 'wrong-path']);
    const lesson = paths.find(({ evidence }) => evidence.kind !== undefined);
    expect(lesson?.fingerprints).not.toContain(made.fingerprint);
    expect(lesson?.evidence.errorClasses).toEqual(['file-not-found']);
    expect(lesson?.evidence.counts.executions).toBe(60);
  });

  it('keeps its proposal beside that of the broad lesson from cycle to cycle', () => {
    const pendingProposals = paths.map((draft) => known(`proposal of a ${draft.evidence.kind ?? 'case'}`, draft));
    const outcome = cycle({ pendingProposals }, ...often);
    expect(outcome.drafts).toEqual([]);
    const kept = outcome.alreadyPending.map(({ proposalId, draft }) => [proposalId, draft.evidence.kind]);
    expect(kept.sort()).toEqual([
      ['proposal of a case', undefined],
      ['proposal of a wrong-path', 'wrong-path'],
    ]);
  });
});

describe('two remedies of one failure', () => {
  const failed = run('pytest tests', 'Error: relation is missing');
  const works: WorkKind[] = [
    { of: 6, calls: [failed, failed] },
    { of: 9, calls: [failed, run('python -m pytest tests')] },
    { of: 8, calls: [failed, run('make seed'), run('pytest tests')] },
  ];
  const both = cycle({}, ...works).drafts;

  it('are two proposals on one family', () => {
    expect(both.map(({ evidence }) => evidence.chosen.action)).toEqual(['python -m pytest', 'make seed']);
    expect(new Set(both.map(({ fingerprint }) => fingerprint)).size).toBe(1);
  });

  it('refresh their own proposals from cycle to cycle', () => {
    const pendingProposals = both.map((draft) => known(draft.evidence.chosen.action, draft)).reverse();
    const outcome = cycle({ pendingProposals }, ...works);
    expect(outcome.drafts).toEqual([]);
    for (const { proposalId, draft } of outcome.alreadyPending) expect(proposalId).toBe(draft.evidence.chosen.action);
  });
});

describe('the drafts of one cycle', () => {
  const python = (error: string, next: string) => {
    const failed = run('python a.py', error);
    return { of: 30, calls: [failed, failed, run(next)] };
  };
  const syntax = python('SyntaxError: invalid syntax', 'python3 a.py');
  const value = python('ValueError: bad value', 'python3 a.py');
  const older = python('ImportError: No module named yaml', 'python2 a.py');

  /** Classifies drafts in their order of impact. */
  function classified(drafts: readonly Draft[], input: Partial<KnownClaimsInput> = {}): CycleOutcome {
    const sorter = new DraftClassifier(new KnownClaims({ ...NOTHING, ...input }), CYCLE_DEFAULTS);
    for (const draft of drafts) sorter.add(draft, () => draft);
    return { ...cycle({}), ...sorter.result() };
  }
  const prints = (drafts: readonly Draft[]) => drafts.map(({ fingerprint }) => fingerprint);
  const sure = (draft: Draft, confidence: number): Draft => ({
    ...draft,
    text: { ...draft.text, confidence },
  });

  it('are not both new skills if they contradict each other: the second is a conflict with the first', () => {
    const { drafts, conflicts } = cycle({}, syntax, value, older);
    expect(drafts).toMatchObject([
      { kind: 'new_skill', text: { title: 'Use `python3` instead of `python`' }, conflictsWithDrafts: [] },
      { kind: 'conflict', text: { title: 'Use `python2` instead of `python`' } },
    ]);
    expect(drafts[1]?.conflictsWithDrafts).toEqual(drafts.slice(0, 1).map(draftKey));
    expect(conflicts).toBe(1);
  });

  it('name and count only errors that they cover', () => {
    const [first] = cycle({}, syntax, value, older).drafts;
    expect(first?.evidence.counts).toMatchObject({ executions: 60, failures: 120 });
    expect([...(first?.evidence.errorClasses ?? [])].sort()).toEqual(['SyntaxError', 'ValueError']);
    expect(first?.text.condition).not.toContain('ImportError');
  });

  it('are one if one covers the other, in any order', () => {
    const after = classified([broad, cat]);
    expect(prints(after.drafts)).toEqual([broad.fingerprint]);
    expect(after.subsumedByDraft).toMatchObject([{ by: draftKey(broad), draft: { fingerprint: cat.fingerprint } }]);
    const before = classified([sure(cat, 0.85), sure(ls, 0.85), sure(broad, 0.95)]);
    expect(prints(before.drafts)).toEqual([broad.fingerprint]);
    expect(before.subsumedByDraft.map(({ by }) => by)).toEqual([draftKey(broad), draftKey(broad)]);
    expect(prints(before.subsumedByDraft.map(({ draft }) => draft)).sort()).toEqual(prints([cat, ls]).sort());
  });

  it('are one if they have the same applicability and action: the more confident one', () => {
    const twin = { ...cat, fingerprint: 'sha256:twin', fingerprints: ['sha256:twin'] };
    expect(prints(classified([sure(cat, 0.9), sure(twin, 0.85)]).drafts)).toEqual([cat.fingerprint]);
    const surer = classified([sure(cat, 0.85), sure(twin, 0.9)]);
    expect(prints(surer.drafts)).toEqual([twin.fingerprint]);
    expect(surer.subsumedByDraft).toMatchObject([{ by: draftKey(twin), draft: { fingerprint: cat.fingerprint } }]);
  });

  it('are none for several cases of one pending broad lesson, which keeps what it says', () => {
    const pending = known('of paths', broad);
    for (const cases of [
      [cat, ls],
      [ls, cat],
    ]) {
      const outcome = classified(cases, { pendingProposals: [pending] });
      expect([outcome.drafts, outcome.alreadyPending]).toEqual([[], []]);
      expect(outcome.subsumedByPending.map(({ proposalId }) => proposalId)).toEqual(['of paths', 'of paths']);
    }
  });

  it('are compared with the new content of a refreshed proposal, not with the earlier one', () => {
    const other = { ...known('pending', cat), action: 'Never look elsewhere.' };
    const opposite: Draft = {
      ...sure(cat, 0.9),
      fingerprint: 'sha256:new',
      fingerprints: ['sha256:new'],
      actionFingerprint: 'sha256:other',
      text: { ...cat.text, action: 'Never look elsewhere.', confidence: 0.9 },
    };
    // The proposal becomes what `cat` says; another draft cannot refresh its earlier content.
    const outcome = classified([cat, opposite], { pendingProposals: [other] });
    expect(outcome.alreadyPending).toMatchObject([{ proposalId: 'pending' }]);
    expect(outcome.drafts).toMatchObject([{ kind: 'conflict', conflictsWithPending: ['pending'] }]);
  });

  it('report what a proposal contradicts after they refreshed it', () => {
    const opposite = {
      ...known('against', cat),
      action: 'Never check where the shell stands.',
      actionFingerprint: 'sha256:other',
      fingerprints: [],
    };
    const { alreadyPending } = classified([cat], { pendingProposals: [known('pending', cat), opposite] });
    expect(alreadyPending).toMatchObject([{ proposalId: 'pending', draft: { conflictsWithPending: ['against'] } }]);
  });

  it('are compared with approved skills if they refresh a proposal', () => {
    const weaker = { ...known('of cat', cat), confidence: 0.6 };
    const [covering] = classified([broad], {
      orgEntries: [weaker],
      pendingProposals: [known('pending', ls)],
    }).alreadyPending;
    expect(covering).toMatchObject({ proposalId: 'pending', draft: { kind: 'supersede', supersedes: ['of cat'] } });
    const opposite = { ...known('against', cat), action: 'Never check where the shell stands.', fingerprints: [] };
    const entry = { ...opposite, actionFingerprint: 'sha256:other' };
    const [contrary] = classified([cat], {
      orgEntries: [entry],
      pendingProposals: [known('pending', cat)],
    }).alreadyPending;
    expect(contrary).toMatchObject({ proposalId: 'pending', draft: { kind: 'conflict', conflictsWith: ['against'] } });
  });

  it('leave each pending proposal to the draft with its first fingerprint', () => {
    const both = { ...known('both', ls), fingerprints: [ls.fingerprint, cat.fingerprint] };
    const { alreadyPending } = classified([cat, ls], { pendingProposals: [both, known('own', cat)] });
    expect(alreadyPending.map(({ proposalId }) => proposalId)).toEqual(['own', 'both']);
  });
});

describe('a draft compared by meaning', () => {
  const byHand: KnownClaim = {
    id: 'by-hand',
    condition: 'Reading breaks because the location is off',
    action: 'Look up where it really lies',
    confidence: 0.1,
  };
  const meanings = (similarity: number) => ({ similarity: () => similarity });
  const compared = (entry: KnownClaim, similarity?: number) =>
    only(
      cycle({ orgEntries: [entry], ...(similarity === undefined ? {} : { meanings: meanings(similarity) }) }, lostCat)
        .drafts,
    );

  it('supersedes a skill that says the same in other words', () => {
    expect(compared(byHand)).toMatchObject({ kind: 'new_skill', supersedes: [] });
    expect(compared(byHand, 0.2)).toMatchObject({ kind: 'new_skill', supersedes: [] });
    expect(compared(byHand, 0.9)).toMatchObject({ kind: 'supersede', supersedes: ['by-hand'] });
  });

  it('is still a conflict if it contradicts the skill', () => {
    const opposite = { ...byHand, action: `Do not ${cat.text.action.replace(/^./, (letter) => letter.toLowerCase())}` };
    expect(compared(opposite, 1)).toMatchObject({ kind: 'conflict', conflictsWith: ['by-hand'], supersedes: [] });
  });
});
