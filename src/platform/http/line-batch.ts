import type { z } from 'zod';
import { Yielder } from '../background/yielder.js';
import { DomainError } from '../base/domain.errors.js';
import { CONSTANTS } from '../config/constants.js';
import { jsonProblem } from './json-bounds.js';
import type { LINE_FIELDS } from './line-receipt.schema.js';
import { invalidRequest } from './request.pipe.js';
import { MAX_JSON_DEPTH, prototypeKeyError, prototypeKeyIn } from './web-server.js';

type LineFields = z.infer<z.ZodObject<typeof LINE_FIELDS>>;

/** The answer to a line: what the verb returned, or the problem. */
type LineAnswer<Out> = LineFields & Partial<Out>;

interface LineResults<Out> {
  readonly new: number;
  readonly duplicate: number;
  readonly refused: number;
  readonly lines: LineAnswer<Out>[];
}

type Outcome<Out> = { readonly line: LineAnswer<Out> } | { readonly error: unknown };

/**
 * Hands each line of a batch to a verb and returns one answer for each line that is not blank, in order. A line that the
 * verb refuses (`invalid`, `conflict`) is answered with its problem. Returns once all lines are settled. Throws errors
 * that are not caused by a line; the caller can then send the same batch again.
 */
export async function receiveLines<In, Out extends object>(
  lines: readonly string[],
  schema: z.ZodType<In>,
  receive: (document: In) => Promise<Out & { readonly duplicate: boolean }>,
): Promise<LineResults<Out>> {
  const outcomes: Promise<Outcome<Out>>[] = [];
  // Parsing a document takes up to half a millisecond: yield to other requests in between.
  const yielder = new Yielder();
  for (const [n, text] of lines.entries()) {
    if (text.trim() === '') continue;
    await yielder.yieldIfDue();
    outcomes.push(receiveLine(n + 1, async () => receive(documentIn(text, schema))));
  }
  const received = (await Promise.all(outcomes)).map((outcome) => {
    if ('error' in outcome) throw outcome.error;
    return outcome.line;
  });
  const count = (of: LineFields['outcome']) => received.filter(({ outcome }) => outcome === of).length;
  return { new: count('new'), duplicate: count('duplicate'), refused: count('refused'), lines: received };
}

/** Never rejects: the caller awaits it only after all later lines are read. */
async function receiveLine<Out extends object>(
  line: number,
  receive: () => Promise<Out & { readonly duplicate: boolean }>,
): Promise<Outcome<Out>> {
  try {
    const { duplicate, ...result } = await receive();
    // What is left of the verb's answer without `duplicate` is an Out.
    return { line: { line, outcome: duplicate ? 'duplicate' : 'new', ...(result as unknown as Out) } };
  } catch (error) {
    if (!(error instanceof DomainError) || (error.kind !== 'invalid' && error.kind !== 'conflict')) return { error };
    const { code, message: detail, fields } = error;
    // A refused line has no field of the verb's answer.
    return { line: { line, outcome: 'refused', problem: { code, detail, errors: [...fields] } } as LineAnswer<Out> };
  }
}

function documentIn<In>(line: string, schema: z.ZodType<In>): In {
  const problem = jsonProblem(line, { depth: MAX_JSON_DEPTH, values: CONSTANTS.bodyLimitValues });
  if (problem !== undefined) throw new DomainError('invalid', problem.code, `The line ${problem.detail}.`);
  const parsed = schema.safeParse(jsonIn(line));
  if (!parsed.success) throw invalidRequest(parsed.error.issues, undefined);
  return parsed.data;
}

function jsonIn(line: string): unknown {
  const parsed = parsedJson(line);
  const key = prototypeKeyIn(line, parsed);
  if (key !== undefined) throw prototypeKeyError(key);
  return parsed;
}

function parsedJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    // The parser's message would quote the line.
    throw new DomainError('invalid', 'request.malformed_json', 'The line is not valid JSON.');
  }
}
