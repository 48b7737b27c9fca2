import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { LESSON, USAGE } from './messages-api.js';

const Submitted = z.object({
  requests: z.array(
    z.object({ custom_id: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/), params: z.looseObject({ model: z.string() }) }),
  ),
});

const NONE_COUNTED = { processing: 0, succeeded: 0, errored: 0, canceled: 0, expired: 0 };

/** Returns the result line for the question with this id; undefined leaves it out. */
export type ResultOf = (id: string, index: number) => object | string | undefined;

const text = (value: string) => ({ content: [{ type: 'text', text: value }], stop_reason: 'end_turn', usage: USAGE });
const answered = (lesson: object | null, refusal: object | null = null) =>
  text(JSON.stringify({ update: lesson !== null, lesson, refusal }));
const succeeded = (custom_id: string, message: object) => ({ custom_id, result: { type: 'succeeded', message } });

export const RESULTS = {
  lesson: (id: string) => succeeded(id, answered(LESSON)),
  written: (id: string, change: object) => succeeded(id, answered({ ...LESSON, ...change })),
  declined: (id: string, kind: string) => succeeded(id, answered(null, { kind, reason: 'Known anyway.' })),
  half: (id: string) => succeeded(id, text(JSON.stringify({ update: true, lesson: LESSON }).slice(0, 120))),
  controlFields: (id: string) => succeeded(id, answered({ ...LESSON, provenance: 'verified' })),
  refusal: (id: string) => succeeded(id, { ...text('No.'), stop_reason: 'refusal' }),
  errored: (custom_id: string) => ({ custom_id, result: { type: 'errored', error: { type: 'error' } } }),
  expired: (custom_id: string) => ({ custom_id, result: { type: 'expired' } }),
};

export interface BatchesApi {
  readonly url: string;
  /** The ids of the questions of each submitted batch. */
  readonly submitted: string[][];
  /** The bodies of the submitted batches, byte for byte. */
  readonly bodies: string[];
  /** Number of requests for single messages. */
  readonly singles: () => number;
  status: 'in_progress' | 'ended';
  results: ResultOf;
  /** The HTTP status for batch requests; `hang-up` accepts the batch and closes the connection. */
  refuse: number | 'hang-up' | undefined;
  /** The provider's time when it accepts a batch, for its listing; undefined means that listing fails. */
  clock: (() => Date) | undefined;
  /** Closes the connection after this number of result lines. */
  cutAfter: number | undefined;
  close(): Promise<void>;
}

/** Starts a server on a free local port with the part of the Message Batches API that the proposer uses. */
export async function startBatchesApi(): Promise<BatchesApi> {
  let singles = 0;
  const server = createServer(async (request, response) => {
    const body = await read(request);
    const [, id, what] = /^\/v1\/messages\/batches(?:\/([^/]+))?(?:\/(results))?$/.exec(request.url ?? '') ?? [];
    if (request.url === '/v1/messages') {
      singles += 1;
      json(response, 200, { id: 'msg_scripted', ...text('{"update":true}') });
      return;
    }
    if (request.method === 'POST') {
      submit(response, body);
      return;
    }
    if (id === undefined && api.clock) {
      json(response, 200, { data: taken.map(listed), has_more: false, first_id: null, last_id: null });
      return;
    }
    const payloads = api.submitted[Number(id?.replace('msgbatch_', ''))];
    if (!payloads || what !== 'results') {
      if (payloads) json(response, 200, batch(id ?? ''));
      else json(response, 404, { type: 'error', error: { type: 'not_found_error' } });
      return;
    }
    const lines = payloads.flatMap((payload, index) => api.results(payload, index) ?? []);
    response.writeHead(200, { 'content-type': 'application/x-jsonl' });
    for (const line of lines.slice(0, api.cutAfter ?? lines.length))
      response.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`);
    if (api.cutAfter === undefined) response.end();
    else setTimeout(() => response.destroy(), 50);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const batch = (id: string) => ({
    id,
    type: 'message_batch',
    processing_status: api.status,
    results_url: api.status === 'ended' ? `${url}/v1/messages/batches/${id}/results` : null,
  });
  const taken: Date[] = [];
  const listed = (at: Date, n: number) => ({
    ...batch(`msgbatch_${n}`),
    created_at: at.toISOString(),
    request_counts: { ...NONE_COUNTED, processing: api.submitted[n]?.length ?? 0 },
  });
  function submit(response: ServerResponse, body: string): void {
    if (typeof api.refuse === 'number') {
      json(response, api.refuse, { type: 'error', error: { type: 'x' } });
      return;
    }
    const { requests } = Submitted.parse(JSON.parse(body));
    api.bodies.push(body);
    api.submitted.push(requests.map(({ custom_id }) => custom_id));
    taken.push(api.clock?.() ?? new Date(0));
    if (api.refuse === 'hang-up') response.destroy();
    else json(response, 200, batch(`msgbatch_${api.submitted.length - 1}`));
  }
  const api: BatchesApi = {
    url,
    submitted: [],
    bodies: [],
    singles: () => singles,
    status: 'in_progress',
    results: RESULTS.lesson,
    refuse: undefined,
    clock: undefined,
    cutAfter: undefined,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return api;
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.setHeader('retry-after-ms', '1');
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
