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

/** The answer to a request: a result or an error. */
export const JsonRpcResponse = z
  .object({
    jsonrpc: z.literal('2.0'),
    id: Id.nullable(),
    result: z.record(z.string(), z.unknown()).optional(),
    error: z.object({ code: z.int(), message: z.string(), data: z.unknown().optional() }).optional(),
  })
  .meta({ id: 'JsonRpcResponse' });
