/**
 * npm run bench:merges -- --data FOLDER [--sets a,b]
 *
 * Measures which lessons the rule for merge proposals takes for one. Each set is mined whole and in three divisions into
 * halves of its tasks, as if seven fleets had learned from it, and all sets are mined together; each lesson of them is a
 * live skill. Two of them are one lesson if their titles, which name the remedy, and their bindings are equal. The last
 * line is JSON.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { ApprovedSkill } from '../src/consolidate/merges/approved-skill.js';
import { isSameLesson, type ReadSkill, readSkill } from '../src/consolidate/merges/same-lesson.js';
import { CYCLE_DEFAULTS, runCycle } from '../src/evolve/cycle/cycle.js';
import type { ComparedDraft } from '../src/evolve/drafts/draft.js';
import { sha256 } from '../src/platform/base/canonical-json.js';
import { type ObservedExecution, observeStored } from './fidelity/product-lessons.js';
import { readSet } from './sets/set-reader.js';
import { findSets } from './transfer/find-sets.js';

const HELP = `npm run bench:merges -- --data FOLDER [--sets a,b]
  --data FOLDER  sets: each folder in it with a trajectories.jsonl
  --sets a,b     only the sets with these names

Last line: {"skills", "pairs", "alike", "found", "right", "wrong", "missed", "limits", "limitsFound"}
  alike        pairs with the same title and binding
  found        pairs that the rule takes for one lesson: right and wrong ones; missed: alike, and not found
  limits       pairs of a skill and a copy to which a person added a limit; limitsFound has to be 0`;

const { values } = parseArgs({
  options: { data: { type: 'string' }, sets: { type: 'string' }, help: { type: 'boolean', default: false } },
});
if (values.help || values.data === undefined) {
  console.log(HELP);
  process.exit(values.help ? 0 : 2);
}

const DIVISIONS = ['a', 'b', 'c'];
const skills: { readonly label: string; readonly read: ReadSkill }[] = [];
const all: ObservedExecution[] = [];
for (const { name, file } of findSets([values.data], values.sets?.split(','))) {
  const executions = readSet(readFileSync(file, 'utf8'), name).executions.map(observeStored);
  all.push(...executions);
  mine(name, executions);
  for (const division of DIVISIONS)
    for (const half of [0, 1])
      mine(
        `${name} ${division}${half}`,
        executions.filter(({ execution }) => halfOf(execution.origin, division) === half),
      );
}
mine('all', all);

const tally = { pairs: 0, alike: 0, found: 0, right: 0, wrong: 0, missed: 0 };
for (const [at, one] of skills.entries())
  for (const other of skills.slice(at + 1)) {
    const isAlike = one.read.skill.title === other.read.skill.title && one.read.place === other.read.place;
    const isFound = isSameLesson(one.read, other.read);
    tally.pairs += 1;
    tally.alike += Number(isAlike);
    tally.found += Number(isFound);
    tally.right += Number(isFound && isAlike);
    tally.wrong += Number(isFound && !isAlike);
    tally.missed += Number(isAlike && !isFound);
    if (isFound || isAlike)
      console.log(
        `${isFound ? (isAlike ? 'right ' : 'WRONG ') : 'missed'} ${one.label} / ${other.label}: ${one.read.skill.title} / ${other.read.skill.title}`,
      );
  }
const limited = skills.map(({ read }) => isSameLesson(read, readSkill(withLimit(read.skill))));
const limits = { limits: limited.length, limitsFound: limited.filter(Boolean).length };
console.log(JSON.stringify({ skills: skills.length, ...tally, ...limits }));

function mine(label: string, executions: readonly ObservedExecution[]): void {
  const outcome = runCycle({
    executions: executions.map(({ execution }) => execution),
    orgEntries: [],
    pendingProposals: [],
    rejectedFingerprints: [],
    settings: CYCLE_DEFAULTS,
  });
  for (const draft of [...outcome.drafts, ...outcome.heldBack])
    skills.push({ label, read: readSkill(skillOf(draft, skills.length)) });
  console.error(`${label}: ${outcome.drafts.length + outcome.heldBack.length} lessons`);
}

function halfOf(origin: string, division: string): number {
  return Number.parseInt(sha256(division + origin).slice(0, 2), 16) % 2;
}

function skillOf({ text, evidence, fingerprints, applicability }: ComparedDraft, at: number): ApprovedSkill {
  const { title, condition, action, steps, name } = text;
  const { binding, predicate, check, counts } = evidence;
  return {
    memoryId: String(at),
    skillName: name,
    version: 1,
    title,
    condition,
    action,
    steps,
    binding,
    predicate,
    fingerprints,
    applicability,
    isGate: false,
    isByRules: true,
    audience: [],
    isConfirmed: check.verdict === 'confirmed',
    agents: counts.distinctAgents,
    executions: counts.executions,
  };
}

/** What an edit by a person changes. The predicate stays. */
function withLimit(skill: ApprovedSkill): ApprovedSkill {
  return { ...skill, condition: `${skill.condition} Only in the nightly build.`, isByRules: false };
}
