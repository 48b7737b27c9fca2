import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

const EmbeddingsRequest = z.looseObject({ model: z.string(), input: z.array(z.string()) });

export interface EmbeddingsCall {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly model: string;
  readonly input: readonly string[];
}

/** The response to the next requests instead of vectors. */
export type Refusal =
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }
  | 'silence';

export interface EmbeddingsApi {
  /** The base URL up to /v1, as an operator sets it. */
  readonly url: string;
  readonly calls: EmbeddingsCall[];
  /** Computes the vectors; by default from the meaning of the words. */
  embed: (text: string) => number[];
  refuse(...answers: Refusal[]): void;
  close(): Promise<void>;
}

/** Words by meaning: knowledge of a model that spelling does not show. */
const MEANINGS = [
  ['car', 'automobile', 'vehicle'],
  ['money', 'payment', 'invoice'],
  ['bird', 'heron', 'egret'],
];

export const byMeaning = (text: string): number[] => {
  const words = text.toLowerCase().split(/\W+/);
  return [...MEANINGS.map((names) => words.filter((word) => names.includes(word)).length), 0.1];
};

/** Starts a local server with `POST /v1/embeddings` that records its requests. */
export async function startEmbeddingsApi(): Promise<EmbeddingsApi> {
  const refusals: Refusal[] = [];
  const calls: EmbeddingsCall[] = [];
  const api = { calls, embed: byMeaning, refuse: (...answers: Refusal[]) => void refusals.push(...answers) };
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { model, input } = EmbeddingsRequest.parse(JSON.parse(Buffer.concat(parts).toString('utf8')));
      calls.push({ path: request.url ?? '', headers: request.headers, model, input });
      const refusal = refusals.shift();
      if (refusal === 'silence') return;
      if (refusal) return void response.writeHead(refusal.status, refusal.headers).end(refusal.body ?? '');
      answer(response, input.map(self.embed));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on TCP has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  const self: EmbeddingsApi = {
    ...api,
    url: `http://127.0.0.1:${port}/v1`,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return self;
}

/** Sends the vectors in reverse order, so that a client must use the index. */
function answer(response: ServerResponse, vectors: readonly number[][]): void {
  const data = vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })).reverse();
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ object: 'list', data }));
}
