import { z } from 'zod';

/** An error of the API (RFC 9457). `code` is stable; `errors` names the fields of an invalid request. */
export const Problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    code: z.string(),
    detail: z.string(),
    /** Names the request in the server's log. Absent where no server made the answer. */
    requestId: z.string().optional(),
    errors: z.array(z.object({ field: z.string(), message: z.string() })).optional(),
  })
  .meta({ id: 'Problem' });
export type Problem = z.infer<typeof Problem>;

/** An error of a route of OTLP/HTTP: google.rpc.Status, with the invalid fields in `details`. */
export const RpcStatus = z
  .object({ code: z.int(), message: z.string(), details: z.array(z.object({ '@type': z.string() })).optional() })
  .meta({ id: 'RpcStatus' });

/** By status. */
export const STATUS_TITLES: Record<number, string> = {
  400: 'Bad request',
  401: 'Not signed in',
  403: 'Not allowed',
  404: 'Not found',
  409: 'Conflict',
  412: 'Precondition failed',
  413: 'Too large',
  415: 'Unsupported media type',
  421: 'Misdirected request',
  429: 'Too many requests',
  500: 'Internal error',
  501: 'Not supported',
  503: 'Unavailable',
};
