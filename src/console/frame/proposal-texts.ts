import type { ProposalKind, ProposalSummary } from '../../approvals/proposals/proposals.schema.js';
import {
  type LoweredBy,
  REJECTION_SENTENCES,
  type RejectionKind,
} from '../../approvals/texts/rejection-reason.schema.js';
import { counted } from './in-words.js';

export const KIND_TEXTS: Readonly<Record<ProposalKind, string>> = {
  new_skill: 'new',
  supersede: 'replaces a skill',
  conflict: 'contradicts a skill',
  retire: 'retires a skill',
  amend: 'changes a skill',
};

/** What a proposal does, in two or three words. A merge names the skill that stays. */
export const kindText = ({ kind, mergesInto }: Pick<ProposalSummary, 'kind' | 'mergesInto'>): string =>
  mergesInto === null ? KIND_TEXTS[kind] : `merges into ${mergesInto}`;

export const REASON_TEXTS: Readonly<Record<RejectionKind, string>> = {
  ...REJECTION_SENTENCES,
  other: 'another reason',
};

const RESEMBLES = {
  remedy: 'of the same remedy against other failures',
  action: 'of lessons about the same action',
  writer: 'of lessons by the same kind of writer',
} as const;

/** Why a proposal came later than its figures say; empty if nothing lowered it. */
export const loweredTexts = (lowered: readonly LoweredBy[] = []): string[] =>
  lowered.map(
    ({ reason, resembles, rejections }) =>
      `${counted(rejections, 'rejection')} ${RESEMBLES[resembles]}: ${REASON_TEXTS[reason]}`,
  );
