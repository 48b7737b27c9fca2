import { expect, it } from '@jest/globals';
import { CYCLE_DEFAULTS, runCycle } from '../../../test/support/cycles.js';
import { observedWork, run } from '../../../test/support/observed-work.js';
import type { Draft } from '../drafts/draft.js';
import { KnownClaims, type KnownClaimsInput } from '../drafts/known-claims.js';
import { type ClassifiedDrafts, DraftClassifier } from './draft-classifier.js';

const NOTHING = { orgEntries: [], pendingProposals: [], rejectedFingerprints: [] };
const lost = (file: string, program: string) => [
  run(`${program} app/${file}`, `${program}: app/${file}: No such file or directory`),
  run(`${program} ${file}`),
];
const settings = { ...CYCLE_DEFAULTS, unit: 'agents' as const };
const draftsOf = (...works: ReturnType<typeof lost>[]): readonly Draft[] =>
  runCycle({ executions: observedWork(works), ...NOTHING, settings }).drafts;

function only(drafts: readonly Draft[]): Draft {
  const [draft, ...others] = drafts;
  if (!draft || others.length > 0) throw new Error(`${drafts.length} drafts`);
  return draft;
}

/** From now on, a change from outside throws. */
function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

const cat = frozen(only(draftsOf(lost('a.txt', 'cat'))));
const ls = frozen(only(draftsOf(lost('a.txt', 'ls'))));
const broad = frozen(only(draftsOf(lost('a.txt', 'cat'), lost('a.txt', 'ls'))));

function known(id: string, { text, fingerprints, actionFingerprint, applicability, evidence }: Draft) {
  const { condition, action } = text;
  const { confidence } = evidence;
  const executions = evidence.counts.executions;
  return {
    id,
    condition,
    action,
    confidence,
    evidence: executions,
    fingerprints,
    actionFingerprint,
    applicability,
  };
}

function classified(drafts: readonly Draft[], input: Partial<KnownClaimsInput> = {}): ClassifiedDrafts {
  const classifier = new DraftClassifier(new KnownClaims({ ...NOTHING, ...input }), settings);
  for (const draft of drafts) classifier.add(draft, () => draft);
  return classifier.result();
}

it('facts about a draft are added to a new draft; the given one does not change', () => {
  const [alone] = classified([cat]).drafts;
  expect(alone).toMatchObject({ kind: 'new_skill', supersedes: [], text: cat.text, evidence: cat.evidence });
  expect(alone).not.toBe(cat);
  const [replacing] = classified([broad], { orgEntries: [known('of cat', { ...cat, fingerprints: [] })] }).drafts;
  expect(replacing).toMatchObject({ kind: 'supersede', supersedes: ['of cat'] });
  const pendingProposals = [known('of cat', cat), known('of ls', ls)];
  expect(classified([broad], { pendingProposals }).alreadyPending).toHaveLength(1);
  const counts = { agents: 8, projects: 1, tasks: 8 };
  const rejection = { ...counts, fingerprint: cat.fingerprint, actionFingerprint: 'another', reason: 'not here' };
  expect(classified([cat], { rejectedFingerprints: [rejection] }).drafts).toHaveLength(1);
});

it('every draft is in exactly one list, and patterns without words are counted', () => {
  const classifier = new DraftClassifier(new KnownClaims(NOTHING), { ...settings, maxProposalsPerCycle: 1 });
  classifier.add(cat, () => undefined);
  for (const draft of [ls, cat, broad]) classifier.add(draft, () => draft);
  const { drafts, heldBack, subsumedByDraft, lowConfidence, unwordable } = classifier.result();
  expect(unwordable).toBe(1);
  expect(drafts.length + heldBack.length + subsumedByDraft.length + lowConfidence.length).toBe(3);
});
