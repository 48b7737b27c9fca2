import { describe, expect, it } from '@jest/globals';
import { CYCLE_DEFAULTS, runCycle } from '../../../test/support/cycles.js';
import { observedWork, run, type WorkKind } from '../../../test/support/observed-work.js';
import type { LearnedClaim } from '../../learning/patterns/pattern.schema.js';
import type { CycleOutcome } from '../cycle/cycle.js';
import { DraftClassifier } from '../cycle/draft-classifier.js';
import { type ComparedDraft, type Draft, draftKey } from './draft.js';
import { type KnownClaim, KnownClaims, type KnownClaimsInput } from './known-claims.js';

/** Two programs with a path that does not exist; another path helps both. */
const lostCat = [run('cat app/a.txt', 'cat: app/a.txt: No such file or directory'), run('cat a.txt')];
const lostLs = [run('ls app/a.txt', 'ls: app/a.txt: No such file or directory'), run('ls a.txt')];
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
  const { condition, action } = text;
  const { confidence } = evidence;
  const executions = evidence.counts.executions;
  return { id, condition, action, confidence, evidence: executions, fingerprints, actionFingerprint, applicability };
}

/** The same remedy for two programs. */
const broad = only(cycle({}, lostCat, lostLs).drafts);
const cat = only(cycle({}, lostCat).drafts);
/** As if it were a family of its own. */
const ls = ((found: ComparedDraft): ComparedDraft => {
  const fingerprint = 'sha256:ls';
  return { ...found, fingerprint, fingerprints: [fingerprint, ...found.fingerprints.slice(1)] };
})(only(cycle({}, lostLs).drafts));

describe('two remedies of one failure', () => {
  const failed = run('pytest tests', 'Error: relation is missing');
  const works: WorkKind[] = [
    { of: 6, calls: [failed, failed] },
    { of: 9, calls: [failed, run('python -m pytest tests')] },
    { of: 8, calls: [failed, run('make seed'), run('pytest tests')] },
  ];
  const both = cycle({}, ...works).drafts;

  it('are two proposals on one family', () => {
    expect(both.map(({ evidence }) => evidence.chosen.action)).toEqual(['python -m', 'make seed']);
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
    const sorter = new DraftClassifier(new KnownClaims({ ...NOTHING, ...input }), {
      ...CYCLE_DEFAULTS,
      unit: 'agents',
    });
    for (const draft of drafts) sorter.add(draft, () => draft);
    return { ...cycle({}), ...sorter.result() };
  }
  const prints = (drafts: readonly Draft[]) => drafts.map(({ fingerprint }) => fingerprint);
  const sure = (draft: Draft, confidence: number): Draft => ({
    ...draft,
    evidence: { ...draft.evidence, confidence },
  });

  it('are two new skills if other errors ask for another remedy', () => {
    const { drafts, conflicts } = cycle({}, syntax, value, older);
    expect(drafts).toMatchObject([
      { kind: 'new_skill', text: { title: 'Run `python3 a.py` instead of `python a.py`' } },
      { kind: 'new_skill', text: { title: 'Run `python2 a.py` instead of `python a.py`' } },
    ]);
    expect(conflicts).toBe(0);
  });

  it('are not both new skills if they contradict each other: the second is a conflict with the first', () => {
    const failed = run('pytest tests', 'Error: relation is missing');
    const { drafts, conflicts } = cycle(
      {},
      { of: 6, calls: [failed, failed] },
      { of: 9, calls: [failed, run('python -m pytest tests')] },
      { of: 8, calls: [failed, run('make seed'), run('pytest tests')] },
    );
    expect(drafts.map(({ kind }) => kind)).toEqual(['new_skill', 'conflict']);
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
    const before = classified([sure(cat, 0.85), sure(broad, 0.95)]);
    expect(prints(before.drafts)).toEqual([broad.fingerprint]);
    expect(before.subsumedByDraft).toMatchObject([{ by: draftKey(broad), draft: { fingerprint: cat.fingerprint } }]);
  });

  it('are one if they have the same applicability and action: the more confident one', () => {
    const twin = { ...cat, fingerprint: 'sha256:twin', fingerprints: ['sha256:twin'] };
    expect(prints(classified([sure(cat, 0.9), sure(twin, 0.85)]).drafts)).toEqual([cat.fingerprint]);
    const surer = classified([sure(cat, 0.85), sure(twin, 0.9)]);
    expect(prints(surer.drafts)).toEqual([twin.fingerprint]);
    expect(surer.subsumedByDraft).toMatchObject([{ by: draftKey(twin), draft: { fingerprint: cat.fingerprint } }]);
  });

  const otherwise = (learned: LearnedClaim): LearnedClaim => ({
    ...learned,
    follow: ['+no'],
    conditions: learned.conditions.map((one) => ({ ...one, remedy: ['no'] })),
  });
  const learnedOf = ({ evidence: { predicate } }: Draft) => {
    if (!predicate.learned) throw new Error('not learned');
    return predicate.learned;
  };

  it('are compared with the new content of a refreshed proposal, not with the earlier one', () => {
    const other = { ...known('pending', cat), action: 'Never look elsewhere.' };
    const opposite: Draft = {
      ...sure(cat, 0.9),
      fingerprint: 'sha256:new',
      fingerprints: ['sha256:new'],
      actionFingerprint: 'sha256:other',
      text: { ...cat.text, action: 'Never look elsewhere.' },
      evidence: { ...cat.evidence, confidence: 0.9, predicate: { learned: otherwise(learnedOf(cat)) } },
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
