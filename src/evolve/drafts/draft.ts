import type { Wording } from '../../approvals/proposals/proposed-skill.schema.js';
import { type ErrorKind, kindTool } from '../../capture/errors/error-kind.js';
import type { ProjectKind } from '../../capture/observations/project-kind.js';
import type { ObservedCalls } from '../../evidence/parts/lesson-parts.schema.js';
import { skillSlug } from '../../skills/document/slug.js';
import type { Case } from '../cases/case.js';
import { applicabilityText, kindApplicability } from '../claims/applicability.js';
import type { EvidenceCounts } from '../evidence/pattern-evidence.js';
import type { ConfidenceEstimate } from '../patterns/confidence.js';
import type { Alternative } from '../patterns/contrast.js';
import type { Pattern } from '../patterns/pattern.js';
import type { Candidate } from '../patterns/selection.js';
import type { Proportion } from '../statistics/wilson.js';
import type { BacktestResult } from './backtest-result.js';
import { type DraftText, wordDraft } from './wording.js';

/** The evidence that a reviewer sees beside the words; plain data. */
export interface DraftEvidence {
  readonly tool: string;
  readonly purpose: string;
  readonly failingAction: string;
  /** The failing action in its coarse form. */
  readonly coarse: string;
  readonly errorClasses: readonly string[];
  readonly template: string;
  /** `success`: not a failure, but a step that successful executions take before the action. */
  readonly granularity: Pattern['granularity'] | 'success';
  /** Set for a lesson on a kind of error. */
  readonly kind?: ErrorKind;
  /** The kind of project in which it holds, if the same failure differs in other projects. */
  readonly project?: ProjectKind;
  readonly counts: Readonly<EvidenceCounts>;
  readonly using: number;
  readonly confidence: Readonly<ConfidenceEstimate>;
  readonly estimator: string;
  readonly repeat: Readonly<Proportion>;
  readonly chosen: Readonly<Alternative>;
  readonly alternatives: readonly Readonly<Alternative>[];
  readonly windows: Readonly<Pattern['windows']>;
  readonly impact: number;
}

/** A pattern that may become a draft, before it has words. */
export interface DraftIdentity {
  readonly evidence: DraftEvidence;
  readonly fingerprint: string;
  /** All fingerprints of this draft, by which pending and rejected proposals are found. */
  readonly fingerprints: readonly string[];
  readonly actionFingerprint: string;
  /** Becomes {@link Claim.applicability} of the org entry. */
  readonly applicability: string;
}

/** A pattern in words, with its own evidence alone. Each later step returns a new value with more facts. */
export interface Draft extends DraftIdentity {
  readonly text: DraftText;
  /** The observed calls that the commands of the text are instances of. */
  readonly calls: ObservedCalls;
}

/** A draft, compared with what is approved, pending, rejected and drafted in the same cycle. */
export interface ComparedDraft extends Draft {
  readonly kind: 'new_skill' | 'supersede' | 'conflict';
  readonly supersedes: readonly string[];
  /** Live skills that contradict it. */
  readonly conflictsWith: readonly string[];
  /** Pending proposals that contradict it; there is nothing to supersede yet. */
  readonly conflictsWithPending: readonly string[];
  /** Drafts of this cycle that contradict it, by fingerprint; they are submitted before it. */
  readonly conflictsWithDrafts: readonly string[];
  /** Pending proposals that say no more than a part of it. */
  readonly makesObsolete: readonly string[];
  /** Reasons of earlier rejections of this pattern. */
  readonly earlierRejections: readonly string[];
}

/** A compared draft with the result of its backtest. */
export interface TestedDraft extends ComparedDraft {
  readonly backtest: BacktestResult;
}

/** A tested draft with its final words, which the evolver submits. */
export interface WordedDraft extends TestedDraft {
  readonly wording: Wording;
}

/**
 * Returns the wanted name, with the start of the fingerprint if an earlier draft of the cycle has the name. Adds it to
 * `names`.
 */
export function uniqueName(names: Set<string>, wanted: string, fingerprint: string): string {
  const name = names.has(wanted) ? skillSlug(wanted, fingerprint.slice('sha256:'.length, 15)) : wanted;
  names.add(name);
  return name;
}

/** What identifies the draft of a candidate. */
export function identityOf(candidate: Candidate, estimator: string): DraftIdentity {
  const { pattern, counts, using, contrast, chosen, estimate, errorClasses, template } = candidate;
  const { tool, purpose, action, granularity, windows } = pattern;
  return {
    evidence: {
      tool,
      purpose,
      failingAction: action,
      coarse: pattern.coarse,
      errorClasses,
      template,
      granularity,
      ...limitsOf(candidate),
      counts,
      using,
      confidence: estimate,
      estimator,
      repeat: contrast.repeat,
      chosen,
      alternatives: contrast.alternatives.slice(0, 5),
      windows,
      impact: candidate.impact,
    },
    fingerprint: pattern.fingerprint,
    fingerprints: candidate.fingerprints,
    actionFingerprint: candidate.actionFingerprint,
    applicability: applicabilityOf(candidate),
  };
}

/**
 * Words a candidate from its cases; returns undefined if no observed call shows the remedy, or if it teaches nothing.
 * `names`: the names taken in this cycle.
 */
export function draftOf(
  candidate: Candidate,
  identity: DraftIdentity,
  cases: readonly Case[],
  names: Set<string>,
): Draft | undefined {
  const { pattern, contrast, estimate, errorClasses, template } = candidate;
  const { tool, action } = pattern;
  const worded = wordDraft({ tool, action, errorClasses, template, contrast, estimate, ...limitsOf(candidate), cases });
  if (!worded) return undefined;
  const name = uniqueName(names, worded.text.name, pattern.fingerprint);
  return { ...identity, text: { ...worded.text, name }, calls: worded.calls };
}

function limitsOf({ pattern: { granularity, kind, project } }: Candidate): Pick<DraftEvidence, 'kind' | 'project'> {
  return { ...(granularity === 'kind' && kind ? { kind } : {}), ...(project ? { project } : {}) };
}

/** The current members of a broad pattern do not limit where it applies. */
function applicabilityOf({ pattern, chosen }: Candidate): string {
  const { granularity, tool, purpose, coarse, errorClass, program, kind, project } = pattern;
  if (granularity === 'kind') return kindApplicability(tool, kind ?? '');
  if (granularity === 'program') return applicabilityText(tool, program, '*');
  const tools = kindTool(tool, purpose);
  const within = kind !== undefined && tools !== undefined ? { tool: tools, name: kind } : undefined;
  return applicabilityText(tool, coarse, errorClass, { project, kind: within, following: chosen.following });
}
