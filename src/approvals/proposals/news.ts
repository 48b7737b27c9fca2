import { redactDeep } from '../../untrusted/redaction/redact-deep.js';
import type { News } from '../../webhooks/webhook-outbox.service.js';
import type { WebhookEvent } from '../../webhooks/webhooks.schema.js';
import type { ItemContent } from './approval-item.js';

/** What is told outside of an item: enough to find it, whether two people overrode the rules, and nothing of the file. */
export function newsOf(type: WebhookEvent, item: ItemContent & { readonly id: string }, isOverride = false): News {
  const { id, kind, risk, skillName, proposal, evidence } = item;
  const { agents, owners, origins, executions, failures } = evidence;
  const told = { id, kind, risk, skillName, title: proposal.title };
  const evidenceTold = { agents, owners, origins, executions, failures };
  const data = { ...told, ...(isOverride ? { override: true } : {}), evidence: evidenceTold };
  return { type, path: `/v1/approvals/${id}`, data: redactDeep(data).value };
}
