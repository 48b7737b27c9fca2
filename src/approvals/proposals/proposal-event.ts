import { redactDeep } from '../../untrusted/redaction/redact-deep.js';
import type { WebhookMessage } from '../../webhooks/webhook-outbox.service.js';
import type { WebhookEvent } from '../../webhooks/webhooks.schema.js';
import type { ProposalContent } from './proposal.js';

/** What is told outside of an item: enough to find it, whether two people overrode the rules, and nothing of the file. */
export function proposalEvent(
  type: WebhookEvent,
  proposal: ProposalContent & { readonly id: string },
  isOverride = false,
): WebhookMessage {
  const { id, kind, risk, skillName, proposedSkill, evidence } = proposal;
  const { agents, owners, origins, executions, failures } = evidence;
  const told = { id, kind, risk, skillName, title: proposedSkill.title };
  const evidenceTold = { agents, owners, origins, executions, failures };
  const data = { ...told, ...(isOverride ? { override: true } : {}), evidence: evidenceTold };
  return { type, path: `/v1/proposals/${id}`, data: redactDeep(data).value };
}
