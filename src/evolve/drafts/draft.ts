import type { Wording } from '../../approvals/proposals/proposal.schema.js';
import { type ErrorKind, kindTool } from '../../capture/errors/error-kind.js';
import type { ProjectKind } from '../../capture/observations/project-kind.js';
import { skillSlug } from '../../skills/document/slug.js';
import { kindSetting, settingText } from '../claims/setting.js';
import type { EvidenceCounts } from '../evidence/evidence.js';
import type { ConfidenceEstimate } from '../patterns/confidence.js';
import type { Alternative } from '../patterns/contrast.js';
import type { Pattern } from '../patterns/pattern.js';
import type { Candidate } from '../patterns/selection.js';
import type { Proportion } from '../statistics/wilson.js';
import type { BacktestResult } from './backtest-result.js';
import { type ProposalDraft, wordProposal } from './wording.js';

/** What a reviewer is shown beside the words; plain data. */
export interface ProposalEvidence {
  tool: string;
  purpose: string;
  failingAction: string;
  /** The failing action on the coarse grain. */
  coarse: string;
  errorClasses: string[];
  template: string;
  /** `success`: no failure, but what is done before the action by those who succeed. */
  grain: Pattern['grain'] | 'success';
  /** Of a lesson on a kind of error. */
  kind?: ErrorKind;
  /** The kind of project that it holds in, where the same failure in another is another matter. */
  project?: ProjectKind;
  counts: EvidenceCounts;
  using: number;
  confidence: ConfidenceEstimate;
  estimator: string;
  repeat: Proportion;
  chosen: Alternative;
  alternatives: Alternative[];
  windows: Pattern['windows'];
  impact: number;
}

export interface CycleDraft {
  kind: 'new_skill' | 'supersede' | 'conflict';
  proposal: ProposalDraft;
  evidence: ProposalEvidence;
  fingerprint: string;
  /** Every fingerprint this draft answers to, for the memory of pending and rejected items. */
  fingerprints: string[];
  actionFingerprint: string;
  /** For {@link Claim.setting} of the entry it may become. */
  setting: string;
  supersedes: string[];
  /** Live skills that say something else for the same situation. */
  conflictsWith: string[];
  /** Pending items that do; there is nothing to supersede yet. */
  conflictsWithPending: string[];
  /** Drafts of this cycle that do, by their fingerprints; they come before it in the queue. */
  conflictsWithDrafts: string[];
  /** Pending items that say no more than a part of it. */
  makesNeedless: string[];
  /** Reasons of earlier rejections of this pattern, to be shown (spec E1.6). */
  earlierRejections: string[];
  /** For what goes into the queue. */
  backtest?: BacktestResult;
  wording?: Wording;
}

/**
 * Words a candidate; undefined when it cannot be worded without showing somebody's text. `names` are those taken in this
 * cycle: a second draft of one name gets the start of its fingerprint.
 */
export function draftOf(candidate: Candidate, estimator: string, names: Set<string>): CycleDraft | undefined {
  const { pattern, counts, using, contrast, chosen, estimate, errorClasses, template } = candidate;
  const { tool, purpose, action, grain, windows } = pattern;
  const kind = grain === 'kind' && pattern.kind ? { kind: pattern.kind } : {};
  const project = pattern.project ? { project: pattern.project } : {};
  const proposal = wordProposal({
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
  if (names.has(proposal.name))
    proposal.name = skillSlug(proposal.name, pattern.fingerprint.slice('sha256:'.length, 15));
  names.add(proposal.name);
  return {
    kind: 'new_skill',
    proposal,
    evidence: {
      tool,
      purpose,
      failingAction: action,
      coarse: pattern.coarse,
      errorClasses,
      template,
      grain,
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
    setting: settingOf(candidate),
    supersedes: [],
    conflictsWith: [],
    conflictsWithPending: [],
    conflictsWithDrafts: [],
    makesNeedless: [],
    earlierRejections: [],
  };
}

/** What a broad pattern happens to be made of this time is no part of where it applies. */
function settingOf({ pattern, chosen }: Candidate): string {
  const { grain, tool, purpose, coarse, errorClass, program, kind, project } = pattern;
  if (grain === 'kind') return kindSetting(tool, kind ?? '');
  if (grain === 'program') return settingText(tool, program, '*');
  const tools = kindTool(tool, purpose);
  const within = kind !== undefined && tools !== undefined ? { tool: tools, name: kind } : undefined;
  return settingText(tool, coarse, errorClass, { project, kind: within, following: chosen.following });
}
