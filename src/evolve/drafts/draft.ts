import type { Wording } from '../../approvals/proposals/proposed-skill.schema.js';
import { type ErrorKind, kindTool } from '../../capture/errors/error-kind.js';
import type { ProjectKind } from '../../capture/observations/project-kind.js';
import { skillSlug } from '../../skills/document/slug.js';
import { applicabilityText, kindApplicability } from '../claims/applicability.js';
import type { EvidenceCounts } from '../evidence/pattern-evidence.js';
import type { ConfidenceEstimate } from '../patterns/confidence.js';
import type { Alternative } from '../patterns/contrast.js';
import type { Pattern } from '../patterns/pattern.js';
import type { Candidate } from '../patterns/selection.js';
import type { Proportion } from '../statistics/wilson.js';
import type { BacktestResult } from './backtest-result.js';
import { type DraftText, wordDraft } from './wording.js';

/** What a reviewer is shown beside the words; plain data. */
export interface DraftEvidence {
  readonly tool: string;
  readonly purpose: string;
  readonly failingAction: string;
  /** The failing action on the coarse granularity. */
  readonly coarse: string;
  readonly errorClasses: readonly string[];
  readonly template: string;
  /** `success`: no failure, but what is done before the action by those who succeed. */
  readonly granularity: Pattern['granularity'] | 'success';
  /** Of a lesson on a kind of error. */
  readonly kind?: ErrorKind;
  /** The kind of project that it holds in, where the same failure in another is another matter. */
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

/** A pattern in words, judged by its own evidence alone. Each later step returns a new value with its facts added. */
export interface Draft {
  readonly proposal: DraftText;
  readonly evidence: DraftEvidence;
  readonly fingerprint: string;
  /** Every fingerprint this draft answers to, for the memory of pending and rejected items. */
  readonly fingerprints: readonly string[];
  readonly actionFingerprint: string;
  /** For {@link Claim.setting} of the entry it may become. */
  readonly applicability: string;
}

/** A draft beside what is approved, pending, rejected and proposed in the same cycle. */
export interface ComparedDraft extends Draft {
  readonly kind: 'new_skill' | 'supersede' | 'conflict';
  readonly supersedes: readonly string[];
  /** Live skills that say something else for the same situation. */
  readonly conflictsWith: readonly string[];
  /** Pending items that do; there is nothing to supersede yet. */
  readonly conflictsWithPending: readonly string[];
  /** Drafts of this cycle that do, by their fingerprints; they come before it in the queue. */
  readonly conflictsWithDrafts: readonly string[];
  /** Pending items that say no more than a part of it. */
  readonly makesNeedless: readonly string[];
  /** Reasons of earlier rejections of this pattern. */
  readonly earlierRejections: readonly string[];
}

/** A compared draft with the result of its backtest. */
export interface TestedDraft extends ComparedDraft {
  readonly backtest: BacktestResult;
}

/** A tested draft with its last words: what the evolver submits. */
export interface WordedDraft extends TestedDraft {
  readonly wording: Wording;
}

/** The wanted name, or with the start of the fingerprint where an earlier draft of the cycle has it. Adds it to `names`. */
export function uniqueName(names: Set<string>, wanted: string, fingerprint: string): string {
  const name = names.has(wanted) ? skillSlug(wanted, fingerprint.slice('sha256:'.length, 15)) : wanted;
  names.add(name);
  return name;
}

/**
 * Words a candidate; undefined when it cannot be worded without showing somebody's text. `names` are those taken in this
 * cycle.
 */
export function draftOf(candidate: Candidate, estimator: string, names: Set<string>): Draft | undefined {
  const { pattern, counts, using, contrast, chosen, estimate, errorClasses, template } = candidate;
  const { tool, purpose, action, granularity, windows } = pattern;
  const kind = granularity === 'kind' && pattern.kind ? { kind: pattern.kind } : {};
  const project = pattern.project ? { project: pattern.project } : {};
  const proposal = wordDraft({
    tool,
    purpose,
    action,
    errorClasses,
    template,
    counts,
    using,
    contrast,
    estimate,
    ...kind,
    ...project,
  });
  if (!proposal) return undefined;
  return {
    proposal: { ...proposal, name: uniqueName(names, proposal.name, pattern.fingerprint) },
    evidence: {
      tool,
      purpose,
      failingAction: action,
      coarse: pattern.coarse,
      errorClasses,
      template,
      granularity,
      ...kind,
      ...project,
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

/** What a broad pattern happens to be made of this time is no part of where it applies. */
function applicabilityOf({ pattern, chosen }: Candidate): string {
  const { granularity, tool, purpose, coarse, errorClass, program, kind, project } = pattern;
  if (granularity === 'kind') return kindApplicability(tool, kind ?? '');
  if (granularity === 'program') return applicabilityText(tool, program, '*');
  const tools = kindTool(tool, purpose);
  const within = kind !== undefined && tools !== undefined ? { tool: tools, name: kind } : undefined;
  return applicabilityText(tool, coarse, errorClass, { project, kind: within, following: chosen.following });
}
