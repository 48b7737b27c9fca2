import { z } from 'zod';
import { clip } from '../untrusted/text/clip.js';
import { oneLine } from '../untrusted/text/plain-text.js';
import type { WebhookEvent, WebhookFormat } from './webhooks.schema.js';

/** The message that `webhooks test` sends. */
export const TEST_MESSAGE = 'webhook.test';
/** Of each text from outside. Escaped it is up to five times as long, and Slack takes 3,000 characters. */
const MAX_TEXT = 400;
const BUTTON = 'Open in Guildbook';

const HEADINGS: Readonly<Record<WebhookEvent | typeof TEST_MESSAGE, string>> = {
  'proposal.submitted': 'New proposal to review',
  'proposal.approved': 'Proposal approved',
  'proposal.rejected': 'Proposal rejected',
  'proposal.expired': 'Proposal expired',
  'proposal.withdrawn': 'Proposal withdrawn',
  'evolver.cycle_started': 'Evolver cycle started',
  'evolver.cycle_completed': 'Evolver cycle completed',
  'evolver.cycle_failed': 'Evolver cycle failed',
  'evolver.proposal_emitted': 'The evolver submitted a proposal',
  'evolver.conflict_detected': 'Conflict to resolve',
  'evolver.disabled': 'The evolver is disabled',
  'skill.superseded': 'Skill superseded',
  [TEST_MESSAGE]: 'Test message from Guildbook',
};

/** The figures that a person needs, in this order, as one and as many. */
const FIGURES = [
  ['agents', 'agent', 'agents'],
  ['executions', 'execution', 'executions'],
  ['failures', 'failure', 'failures'],
  ['executionsRead', 'execution read', 'executions read'],
  ['patterns', 'pattern', 'patterns'],
  ['emitted', 'proposal submitted', 'proposals submitted'],
] as const;

const StandardMessage = z.object({
  type: z.string(),
  data: z.looseObject({
    supersededId: z.string().optional(),
    skillName: z.string().optional(),
    version: z.int().optional(),
    override: z.boolean().optional(),
    title: z.string().optional(),
    reason: z.string().optional(),
    evidence: z.record(z.string(), z.unknown()).optional(),
    link: z.string().nullish(),
  }),
});
type StandardMessage = z.infer<typeof StandardMessage>;

/** Returns the body to send for a stored standard body. The same one at every attempt. */
export function writeMessage(format: WebhookFormat, body: string): string {
  if (format === 'standard') return body;
  const message = StandardMessage.parse(JSON.parse(body));
  const write = format === 'slack' ? slackMessage : teamsMessage;
  return JSON.stringify(write(textOf(message), message.data.link ?? null));
}

function textOf({ type, data }: StandardMessage): string {
  const { supersededId, skillName, version, override, title, reason, evidence } = data;
  const heading = Object.entries(HEADINGS).find(([event]) => event === type)?.[1] ?? type;
  const figures = FIGURES.flatMap(([name, one, many]) => {
    const value = evidence?.[name] ?? data[name];
    return typeof value === 'number' ? `${value} ${value === 1 ? one : many}` : [];
  });
  return [
    override === true ? `${heading} by override` : heading,
    ...(supersededId === undefined ? [] : [`${skillName}, by version ${version}`]),
    ...[title, reason].flatMap((text) => (text === undefined ? [] : harmless(text))),
    ...(figures.length === 0 ? [] : [figures.join(', ')]),
  ].join(': ');
}

/**
 * A text from outside on one line, where no chat recognises a mention: its first character is replaced by the full-width
 * form, which is visible.
 */
const harmless = (text: string): string =>
  clip(oneLine(text), MAX_TEXT)
    .replace(/(?<![\p{L}\p{N}])@/gu, '＠')
    .replace(/<(?=\/?at\b)/gi, '＜');

/** `verbatim` keeps Slack from making links of addresses and channels in the text. */
function slackMessage(plain: string, link: string | null) {
  const text = plain.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
  const button = { type: 'button', text: { type: 'plain_text', text: BUTTON }, url: link };
  return {
    text,
    blocks: [
      { type: 'section', text: { type: 'mrkdwn', text, verbatim: true } },
      ...(link === null ? [] : [{ type: 'actions', elements: [button] }]),
    ],
  };
}

/** A text run is shown as it is. A text block would read Markdown, so that a title could be a link. */
function teamsMessage(text: string, link: string | null) {
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [{ type: 'RichTextBlock', inlines: [{ type: 'TextRun', text }] }],
    actions: link === null ? [] : [{ type: 'Action.OpenUrl', title: BUTTON, url: link }],
  };
  return {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
  };
}
