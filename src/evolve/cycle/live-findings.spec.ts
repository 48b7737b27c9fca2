import { describe, expect, it } from '@jest/globals';
import { CYCLE_DEFAULTS, runCycle } from '../../../test/support/cycles.js';
import { observedWork, run } from '../../../test/support/observed-work.js';
import type { DraftIdentity } from '../drafts/draft.js';
import type { KnownClaim } from '../drafts/known-claims.js';
import { liveFindings } from './live-findings.js';

const BUSY = run('sync books', 'Error: the remote of the books is busy');
const { drafts, examination } = runCycle({
  executions: observedWork([[BUSY, BUSY, run('sync --wait books')]]),
  orgEntries: [],
  pendingProposals: [],
  rejectedFingerprints: [],
  settings: CYCLE_DEFAULTS,
});

function onlyDraft(): DraftIdentity {
  const [draft, ...others] = drafts;
  if (!draft || others.length > 0) throw new Error(`${drafts.length} drafts`);
  return draft;
}
const draft = onlyDraft();
const { learned } = draft.evidence.predicate;
if (!learned) throw new Error('nothing is learned');
const skill: KnownClaim = {
  id: 'skill',
  condition: 'The remote is busy.',
  action: 'Wait.',
  confidence: 0.9,
  fingerprints: draft.fingerprints,
  actionFingerprint: draft.actionFingerprint,
  applicability: draft.applicability,
  learned,
};

/** What is found about the skill if the evidence of a draft is about it. */
const found = (known: Partial<KnownClaim>, evidence: Partial<DraftIdentity['evidence']> = {}) =>
  liveFindings(
    {
      alreadyApproved: [{ entryId: 'skill', draft: { ...draft, evidence: { ...draft.evidence, ...evidence } } }],
      examination: { ...examination, refutations: new Map() },
    },
    [{ ...skill, ...known }],
  );

describe('what a cycle finds about a live skill', () => {
  it('is the check of the same claim, with those for whom it worked', () => {
    const { check, counts, workedFor } = draft.evidence;
    expect(found({})).toEqual([
      { memoryId: 'skill', check, ...workedFor, projects: counts.projects, tasks: counts.tasks },
    ]);
  });

  it('is nothing where the draft says what a merged skill said: its evidence is about another remedy', () => {
    const merged = [{ fingerprints: draft.fingerprints, actionFingerprint: draft.actionFingerprint }];
    expect(found({ merged, actionFingerprint: 'sha256:another' })).toEqual([]);
    expect(found({ merged })).toHaveLength(1);
  });

  it('is nothing where the evidence is bound more narrowly than the skill, but holds for a narrower skill', () => {
    expect(found({}, { binding: { project: 'shop' } })).toEqual([]);
    expect(found({ binding: { project: 'shop' } }, { binding: { project: 'mill' } })).toEqual([]);
    expect(found({ binding: { project: 'shop' } }, { binding: { project: 'shop' } })).toHaveLength(1);
    expect(found({ binding: { project: 'shop' } }, { binding: {} })).toHaveLength(1);
  });

  it('is nothing for another predicate: another remedy, or one that asks for more than the skill', () => {
    const changed = (change: Partial<typeof learned>) =>
      found({}, { predicate: { ...draft.evidence.predicate, learned: { ...learned, ...change } } });
    expect(changed({ key: `${learned.key} another` })).toEqual([]);
    expect(changed({ follow: [...learned.follow, '+another'] })).toEqual([]);
    expect(found({ learned: { ...learned, follow: [...learned.follow, '+another'] } })).toHaveLength(1);
  });

  it('is what refutes it, with no support, unless a draft speaks for it', () => {
    const refuting = { ...draft.evidence.check, verdict: 'refuted' as const };
    const refutations = new Map([[`${draft.fingerprint} ${draft.actionFingerprint}`, refuting]]);
    const refuted = (alreadyApproved: { entryId: string; draft: DraftIdentity }[]) =>
      liveFindings({ alreadyApproved, examination: { ...examination, refutations } }, [skill]);
    expect(refuted([])).toEqual([{ memoryId: 'skill', check: refuting, agents: 0, owners: 0, projects: 0, tasks: 0 }]);
    expect(refuted([{ entryId: 'skill', draft }])).toMatchObject([
      { check: { verdict: draft.evidence.check.verdict } },
    ]);
  });
});
