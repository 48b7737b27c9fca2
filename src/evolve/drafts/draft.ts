import { MAX_COUNTED_EXECUTIONS, type Wording } from '../../approvals/proposals/proposed-skill.schema.js';
import type { KeptEdit } from '../../approvals/texts/kept-edit.schema.js';
import type { LoweredBy } from '../../approvals/texts/rejection-reason.schema.js';
import { actionShape } from '../../capture/actions/action.js';
import { errorKind, kindTool } from '../../capture/errors/error-kind.js';
import { actionFingerprint } from '../../capture/observations/fingerprint.js';
import type { CallPair, ObservedCalls } from '../../evidence/calls/lesson-parts.schema.js';
import type { Dossier } from '../../evidence/gates/dossier.schema.js';
import { type Binding, type Check, pairOf } from '../../evidence/predicate/check.schema.js';
import type { Predicate } from '../../evidence/predicate/predicate.schema.js';
import { skillSlug } from '../../skills/document/slug.js';
import { casePairs } from '../cases/case-pairs.js';
import type { ClaimCase } from '../cases/claim-cases.js';
import { usualError } from '../cases/shown-cases.js';
import { applicabilityText } from '../claims/applicability.js';
import type { Family } from '../evidence/candidate.js';
import { confidenceOf } from '../evidence/confidence.js';
import type { Lesson } from '../examination/lesson.js';
import { type Proportion, wilson } from '../statistics/wilson.js';
import { type CountedDanger, shownDangers } from '../support/danger-counts.js';
import type { EvidenceCounts } from '../support/pattern-evidence.js';
import type { BacktestResult } from './backtest-result.js';
import { type DraftText, wordDraft } from './wording.js';

/** Something that was tried against a failure, with its figures. */
export interface Remedy {
  readonly how: Lesson['main']['how'];
  readonly action: string;
  readonly label: string;
  /** Executions that tried it, and in which it worked: of the comparison that decides, otherwise of all. */
  readonly outcome: Proportion;
  readonly agents: number;
  /** Success rate minus that of the tries without it, -1..1. */
  readonly lift: number;
  /** Its dangerous forms, for the reviewer. */
  readonly dangers?: readonly CountedDanger[];
}

/** The evidence that a reviewer sees beside the words; plain data. */
export interface DraftEvidence {
  readonly tool: string;
  /** The failing action in its coarse form. */
  readonly failingAction: string;
  readonly errorClasses: readonly string[];
  readonly template: string;
  readonly counts: Readonly<EvidenceCounts>;
  /** The ids of the executions that are counted, the last ones. */
  readonly executionIds: readonly string[];
  /** Executions of the window that used the action, those that are counted included. */
  readonly using: number;
  /** 0..1. */
  readonly confidence: number;
  /** Tries that do not follow the lesson. */
  readonly repeat: Readonly<Proportion>;
  readonly chosen: Readonly<Remedy>;
  /** Those for whom it worked. */
  readonly workedFor: { readonly agents: number; readonly owners: number };
  /** What else was tried. */
  readonly alternatives: readonly Readonly<Remedy>[];
  /** The mean of each execution with the failure. */
  readonly callsLost: number;
  readonly impact: number;
  readonly check: Check;
  readonly predicate: Predicate;
  readonly binding: Binding;
  readonly dossier: Dossier;
  /** The half of the origins that it was checked on; undefined if it was learned from all. */
  readonly heldOut?: 'a' | 'b';
}

/** A lesson that may become a draft, before it has words. */
export interface DraftIdentity {
  readonly evidence: DraftEvidence;
  readonly fingerprint: string;
  /** All fingerprints of this draft, by which pending and rejected proposals are found. */
  readonly fingerprints: readonly string[];
  readonly actionFingerprint: string;
  /** The keys of private lessons about this remedy. */
  readonly remedyKeys?: readonly string[];
  /** Becomes {@link Claim.applicability} of the org entry. */
  readonly applicability: string;
}

/** Names a draft within its cycle: a family may have several lessons. */
export const draftKey = ({ fingerprint, actionFingerprint }: DraftIdentity): string =>
  `${fingerprint} ${actionFingerprint}`;

/** A lesson in words, with its own evidence alone. Each later step returns a new value with more facts. */
export interface Draft extends DraftIdentity {
  readonly text: DraftText;
  /** The observed calls that the commands of the text are instances of. */
  readonly calls: ObservedCalls;
  /** What the reviewer reads first. */
  readonly pairs: readonly CallPair[];
}

/** A draft, compared with what is approved, pending, rejected and drafted in the same cycle. */
export interface ComparedDraft extends Draft {
  readonly kind: 'new_skill' | 'supersede' | 'conflict';
  readonly supersedes: readonly string[];
  /** Live skills that contradict it. */
  readonly conflictsWith: readonly string[];
  /** Pending proposals that contradict it; there is nothing to supersede yet. */
  readonly conflictsWithPending: readonly string[];
  /** Drafts of this cycle that contradict it, by their keys; they are submitted before it. */
  readonly conflictsWithDrafts: readonly string[];
  /** Pending proposals that say no more than a part of it. */
  readonly makesObsolete: readonly string[];
  /** Why it waits longer than its impact says. */
  readonly lowered?: readonly LoweredBy[];
}

/** A compared draft with the result of its backtest. */
export interface TestedDraft extends ComparedDraft {
  readonly backtest: BacktestResult;
}

/** A tested draft with its final words, which the evolver submits. */
export interface WordedDraft extends TestedDraft {
  readonly wording: Wording;
  /** What it took over from the edit of an earlier version. */
  readonly kept?: KeptEdit;
}

/**
 * Returns the wanted name, with the start of the fingerprint if an earlier draft of the cycle has the name. Adds it to
 * `names`.
 */
function uniqueName(names: Set<string>, wanted: string, fingerprint: string): string {
  const name = names.has(wanted) ? skillSlug(wanted, fingerprint.slice('sha256:'.length, 15)) : wanted;
  names.add(name);
  return name;
}

/** What identifies the draft of a lesson. `usingOf`: executions of the window that used an action of a tool. */
export function identityOf(lesson: Lesson, usingOf: (tool: string, action: string) => number): DraftIdentity {
  const { main, findings, families, check, counts, evidence } = lesson;
  const { family } = findings;
  const [tool = 'shell', action = ''] = failingOf(main, family);
  const figures = figuresOf(check);
  const isAboutSame = ({ failingAction }: Lesson['main']): boolean =>
    [failingAction, main.failingAction].includes(undefined) || failingAction === main.failingAction;
  return {
    evidence: {
      tool,
      failingAction: action,
      template: main.dossier === undefined ? family.signature : usualError(main.cases ?? []),
      errorClasses: [...new Set(families.flatMap((one) => one.errorClasses))].slice(0, 10),
      counts,
      executionIds: evidence.newest(MAX_COUNTED_EXECUTIONS),
      using: Math.max(usingOf(tool, action), counts.executions),
      confidence: confidenceOf(check),
      repeat: figures.without,
      chosen: remedyOf(main, figures),
      workedFor: { agents: main.workedFor.agents, owners: main.workedFor.owners },
      alternatives: findings.candidates
        .filter((one) => one.key !== main.key && isAboutSame(one))
        .map((one) => remedyOf(one, figuresOf(one.check))),
      callsLost: lesson.callsLost,
      impact: lesson.impact,
      check,
      predicate: lesson.predicate,
      binding: main.binding,
      dossier: main.dossier ?? findings.dossier,
      ...(main.heldOut ? { heldOut: main.heldOut } : {}),
    },
    fingerprint: family.fingerprint,
    fingerprints: [...new Set(families.flatMap((one) => [one.fingerprint, ...one.fingerprints]))],
    actionFingerprint: actionFingerprint(main.how, main.action),
    ...(main.remedyKeys ? { remedyKeys: main.remedyKeys } : {}),
    applicability: applicabilityOf(lesson),
  };
}

interface Figures {
  readonly with: Proportion;
  readonly without: Proportion;
}

/** The pair that the reviewer sees. */
export function figuresOf(check: Check): Figures {
  const pair = pairOf(check);
  return { with: wilson(pair.with.worked, pair.with.n), without: wilson(pair.without.worked, pair.without.n) };
}

function remedyOf({ how, action, label, workedFor, dangers }: Lesson['main'], figures: Figures): Remedy {
  return {
    how,
    action,
    label,
    outcome: figures.with,
    agents: workedFor.agents,
    lift: figures.with.rate - figures.without.rate,
    ...(dangers.length > 0 ? { dangers: shownDangers(dangers) } : {}),
  };
}

/**
 * Words a lesson from its cases; returns undefined if no observed call shows the remedy, or if it teaches nothing.
 * `names`: the names taken in this cycle.
 */
export function draftOf(identity: DraftIdentity, cases: readonly ClaimCase[], names: Set<string>): Draft | undefined {
  const { evidence, fingerprint } = identity;
  const { learned } = evidence.predicate;
  const worded = learned && wordDraft({ ...evidence, claim: learned, cases });
  if (!worded) return undefined;
  const name = uniqueName(names, worded.text.name, fingerprint);
  return { ...identity, text: { ...worded.text, name }, calls: worded.calls, pairs: casePairs(cases) };
}

/** Tool and action that fail; a family may have failures of several. */
const failingOf = ({ failingAction }: Lesson['main'], { tools, actions }: Family) => [
  tools[0],
  failingAction ?? actions[0],
];

/** The current families of a broad lesson do not limit where it applies. */
function applicabilityOf({ main, families, findings: { family } }: Lesson): string {
  const [tool = 'shell', action = ''] = failingOf(main, family);
  const shared = kindTool(tool, actionShape(tool, '').purpose);
  const classes = new Set(families.flatMap((one) => one.errorClasses));
  if (families.length > 1 && classes.size > 1 && new Set(families.flatMap((one) => one.actions)).size === 1)
    return applicabilityText(tool, action.split(' ')[0] ?? action, '*');
  const [errorClass = ''] = family.errorClasses;
  const name = errorKind(errorClass, family.signature);
  const within = name !== undefined && shared !== undefined ? { tool: shared, name } : undefined;
  return applicabilityText(tool, action, errorClass, within);
}
