import { z } from 'zod';

const Id = z.union([z.string(), z.int()]);

/** What a client sends to /mcp: a request, or a notification without an id. */
export const JsonRpcMessage = z
  .object({
    jsonrpc: z.literal('2.0'),
    id: Id.optional(),
    method: z.string(),
    params: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: 'JsonRpcMessage', example: { jsonrpc: '2.0', id: 1, method: 'tools/list' } });

/** Without what is null in a message or in its parameters: clients send null for what they leave out. */
export function withoutNulls(message: unknown): unknown {
  if (Array.isArray(message)) return message.map(withoutNulls);
  if (!isObject(message) || message['params'] === undefined) return message;
  const { params, ...rest } = message;
  if (params === null) return rest;
  return { ...rest, params: isObject(params) ? withoutNullFields(params) : params };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const withoutNullFields = (fields: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

/** The answer to a request: a result or an error. */
export const JsonRpcResponse = z
  .object({
    jsonrpc: z.literal('2.0'),
    id: Id.nullable(),
    result: z.record(z.string(), z.unknown()).optional(),
    error: z.object({ code: z.int(), message: z.string(), data: z.unknown().optional() }).optional(),
  })
  .meta({ id: 'JsonRpcResponse' });
