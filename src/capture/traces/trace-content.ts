import { z } from 'zod';
import { lenient, text } from '../../platform/base/lenient.schema.js';
import { parseJson } from '../importers/import-tally.js';
import { type Attribute, type Attributes, type SpanEventFacts, textAt } from '../otlp/otlp-attributes.js';

const Part = z.object({ type: z.string().optional(), content: z.unknown(), text: z.unknown() }).partial();
const Message = z.object({
  role: text,
  content: z.unknown().optional(),
  parts: lenient(z.array(Part)),
});

/**
 * The user's prompt, if the instrumentation sends it. Callers only hash it, so that two agents with one task are
 * recognised. Reads new and old conventions; Claude Code writes `<REDACTED>` by default.
 */
export function promptOf(attributes: Attributes, events: readonly SpanEventFacts[]): string | undefined {
  const details = events.find(({ name }) => name === 'gen_ai.client.inference.operation.details')?.attributes;
  const messages = attributes.get('gen_ai.input.messages') ?? details?.get('gen_ai.input.messages');
  const whole = textAt(attributes, 'gen_ai.prompt', 'input.value', 'traceloop.entity.input');
  const first =
    textAt(attributes, 'user_prompt') ??
    flatPrompt(attributes) ??
    (messages === undefined ? undefined : firstOfUser(messages)) ??
    (whole === undefined ? undefined : firstOfUser(whole)) ??
    textAt(attributes, 'gen_ai.prompt.0.content') ??
    eventText(events);
  return first === undefined || /^\s*<REDACTED>\s*$/.test(first) ? undefined : first;
}

/** The first messages of a request; a system's instructions can come before the user's. */
const FIRST_MESSAGES = 10;

/** OpenInference has each message in attributes of its own. */
function flatPrompt(attributes: Attributes): string | undefined {
  for (let n = 0; n < FIRST_MESSAGES; n += 1)
    if (attributes.get(`llm.input_messages.${n}.message.role`) === 'user')
      return textAt(
        attributes,
        `llm.input_messages.${n}.message.content`,
        `llm.input_messages.${n}.message.contents.0.message_content.text`,
      );
  return undefined;
}

function firstOfUser(given: Attribute): string | undefined {
  const text = typeof given === 'string' ? given : undefined;
  const messages = z.array(Message).safeParse(text === undefined ? given : parseJson(text));
  if (!messages.success) return text;
  const first = messages.data.find(({ role }) => role === 'user' || role === 'human');
  return first === undefined ? text : textOf(first);
}

function textOf({ content, parts }: z.infer<typeof Message>): string {
  if (typeof content === 'string') return content;
  const texts = (parts ?? []).map((part) => part.content ?? part.text).filter((part) => typeof part === 'string');
  return texts.join('\n');
}

function eventText(events: readonly SpanEventFacts[]): string | undefined {
  const message = events.find(({ name }) => name === 'gen_ai.user.message')?.attributes;
  return message === undefined ? undefined : textAt(message, 'content', 'gen_ai.event.content');
}

const PASSED = /^(?:pass|passed|success|succeeded|correct|resolved|true)$/i;
const FAILED = /^(?:fail|failed|failure|incorrect|unresolved|false)$/i;

/** An evaluator's verdict (`gen_ai.evaluation.result`), if it has a label. A bare score has no known scale. */
export function evaluationOf(events: readonly SpanEventFacts[]): { evaluation?: 'succeeded' | 'failed' } {
  const labels = events
    .filter(({ name }) => name === 'gen_ai.evaluation.result')
    .map(({ attributes }) => textAt(attributes, 'gen_ai.evaluation.score.label') ?? '');
  if (labels.some((label) => FAILED.test(label.trim()))) return { evaluation: 'failed' };
  return labels.length > 0 && labels.every((label) => PASSED.test(label.trim())) ? { evaluation: 'succeeded' } : {};
}
