import { redactDeep } from '../../untrusted/redaction/redact-deep.js';
import type { WebhookMessage } from '../../webhooks/webhook-outbox.service.js';
import type { WebhookEvent } from '../../webhooks/webhooks.schema.js';
import type { ProposalContent } from './proposal.js';
import { EvidenceCounts } from './proposals.schema.js';

/** The webhook message about a proposal: enough to find it and whether it was an override, but nothing of the file. */
export function proposalEvent(
  type: WebhookEvent,
  proposal: ProposalContent & { readonly id: string },
  isOverride = false,
): WebhookMessage {
  const { id, kind, risk, skillName, proposedSkill, evidence } = proposal;
  const identity = { id, kind, risk, skillName, title: proposedSkill.title };
  const data = { ...identity, ...(isOverride ? { override: true } : {}), evidence: EvidenceCounts.parse(evidence) };
  return { type, path: `/v1/proposals/${id}`, data: redactDeep(data).value };
}
