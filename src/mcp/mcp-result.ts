import { DomainError } from '../platform/base/domain.errors.js';

/** Nothing here reaches beyond this server, and nothing is ever taken away. */
export const READ_HINTS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
export const WRITE_HINTS = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false };

interface McpToolResult {
  [key: string]: unknown;
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

/** The answer of a verb, as text for a model and as data. What the caller may read of an error, it reads; no more. */
export async function toolResult<T extends object>(
  verb: () => Promise<T>,
  say: (answer: T) => string,
): Promise<McpToolResult> {
  try {
    const answer = await verb();
    return {
      content: [{ type: 'text', text: say(answer) }],
      structuredContent: Object.fromEntries(Object.entries(answer)),
    };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { isError: true, content: [{ type: 'text', text: `${error.code}: ${error.message}` }] };
  }
}

export const textOf = (answer: object): string => JSON.stringify(answer);
