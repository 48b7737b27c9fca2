import { z } from 'zod';
import { Problem } from '../../platform/http/problem.schema.js';

/** What is looked at of a message; the rest goes through as it came. */
const Message = z.looseObject({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().optional(),
  params: z.looseObject({ _meta: z.looseObject({}).optional() }).optional(),
});
export type Message = z.infer<typeof Message>;

/** Undefined for what is no message of the protocol. */
export function messageOf(line: string): Message | undefined {
  const message = Message.safeParse(parsed(line));
  return message.success ? message.data : undefined;
}

/** Of these, the header says what they name. */
const NAMED: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
]);
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const HEADER_TEXT = /^[\x21-\x7e](?:[\x20-\x7e]{0,1000}[\x21-\x7e])?$/;

/**
 * The headers that go with a message over HTTP and not over stdio (formats D, version 2026-07-28): the version, the
 * method and what it names, as the body says them. `agreed`: the version of an older conversation, which stands in no
 * later message of it.
 */
export function headersOf({ method, params, id }: Message, agreed: string | undefined): Record<string, string> {
  const version = params?._meta?.[VERSION_KEY];
  if (typeof version !== 'string' || method === undefined)
    return agreed === undefined || method === 'initialize' ? {} : { 'mcp-protocol-version': agreed };
  const named = params?.[NAMED.get(method) ?? ''];
  return {
    'mcp-protocol-version': version,
    ...(id === undefined ? {} : { 'mcp-method': method }),
    ...(typeof named === 'string' ? { 'mcp-name': headerText(named) } : {}),
  };
}

/** A header holds plain ASCII; anything else goes as base64 that says so. */
const headerText = (text: string): string =>
  HEADER_TEXT.test(text) && !text.startsWith('=?') ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;

/** The messages of an answer: one, or those of an event stream. A refusal becomes an error of the protocol. */
export function answersOf(asked: Message, response: Response, text: string): string[] {
  if (text.trim() === '') return response.ok ? [] : failure(asked, `the server answered ${response.status}`);
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('text/event-stream')) return eventsOf(text);
  const answer = parsed(text);
  if (typeof answer === 'object' && answer !== null && 'jsonrpc' in answer) return [JSON.stringify(answer)];
  const problem = Problem.safeParse(answer);
  const detail = problem.success ? `${problem.data.code}: ${problem.data.detail}` : 'this is not a Guildbook server';
  return failure(asked, detail);
}

/** Nothing answers a notification, so that there is nobody to tell. */
export function failure({ id }: Message, message: string): string[] {
  return id === undefined ? [] : [JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_000, message } })];
}

function eventsOf(text: string): string[] {
  return text.split(/\r?\n\r?\n/).flatMap((event) => {
    const data = event
      .split(/\r?\n/)
      .filter((line) => line.startsWith('data:'))
      .map((line) => line.slice('data:'.length).trim())
      .join('\n');
    const message = parsed(data);
    return message === undefined ? [] : [JSON.stringify(message)];
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
