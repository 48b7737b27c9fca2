import type { WebhookEvent } from './webhooks.schema.js';

/**
 * The events that an entry of the journal announces, by its action. Both are written in one transaction, so an event is
 * neither lost nor sent for something that did not happen.
 */
export const ANNOUNCED_EVENTS: ReadonlyMap<string, readonly WebhookEvent[]> = new Map([
  ['SKILL_EVOLVER_PROPOSAL_EMITTED', ['proposal.submitted', 'evolver.proposal_emitted']],
  ['proposal.edit_submitted', ['proposal.submitted']],
  ['proposal.merge_proposed', ['proposal.submitted']],
  ['proposal.rename_requested', ['proposal.submitted']],
  ['proposal.reopened', ['proposal.submitted']],
  ['proposal.retirement_requested', ['proposal.submitted']],
  ['proposal.approved', ['proposal.approved']],
  ['proposal.overridden', ['proposal.approved']],
  ['proposal.rejected', ['proposal.rejected']],
  ['proposal.expired', ['proposal.expired']],
  ['proposal.withdrawn', ['proposal.withdrawn']],
  ['SKILL_EVOLVER_CYCLE_START', ['evolver.cycle_started']],
  ['SKILL_EVOLVER_CYCLE_COMPLETE', ['evolver.cycle_completed']],
  ['SKILL_EVOLVER_CYCLE_FAILED', ['evolver.cycle_failed']],
  ['SKILL_EVOLVER_CONFLICT_DETECTED', ['evolver.conflict_detected']],
  ['SKILL_EVOLVER_DISABLED', ['evolver.disabled']],
  ['ORG_SKILL_SUPERSEDED', ['skill.superseded']],
]);
