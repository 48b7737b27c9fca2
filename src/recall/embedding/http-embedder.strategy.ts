import { z } from 'zod';
import { parseJson } from '../../platform/base/parse-json.js';
import { traceHeaders } from '../../platform/telemetry/spans.js';
import { redact } from '../../untrusted/redaction/redact.js';
import { type Embedder, EmbedderUnavailable, toLengthOne } from './embedder.js';

export interface HttpEmbedderSettings {
  /** The base URL: `https://host/v1` for requests to `https://host/v1/embeddings`. */
  readonly url: string;
  readonly model: string;
  readonly apiKey?: string | undefined;
  readonly timeoutMs: number;
  readonly minSimilarity: number;
  readonly weight: number;
}

/** Texts in one request. */
const BATCH = 64;
/** Maximum length of a text in UTF-16 code units. Models accept about 8,000 tokens. */
const MAX_TEXT = 8_000;
const ATTEMPTS = 3;
const MAX_DIMENSIONS = 8_192;
/** Maximum bytes of a response. 64 vectors of 8,192 numbers with twenty digits each fit. */
const MAX_ANSWER = 16 * 1_024 * 1_024;
/** Upper limit for Retry-After, since a recall may be waiting for this request. */
const MAX_PAUSE_MS = 2_000;

const EmbeddingsResponse = z.object({
  data: z.array(z.object({ index: z.int().min(0), embedding: z.array(z.number()).min(1).max(MAX_DIMENSIONS) })),
});

/**
 * Uses any server with OpenAI's `POST /v1/embeddings` (Ollama, TEI, vLLM, Voyage and others). Texts are clipped and
 * redacted before they leave this process. Redirects are refused, so that texts go only to the configured address.
 */
export class HttpEmbedder implements Embedder {
  readonly name: string;
  readonly knowsMeaning = true;
  readonly minSimilarity: number;
  readonly weight: number;
  private readonly address: string;

  constructor(
    private readonly settings: HttpEmbedderSettings,
    private readonly pause: (milliseconds: number) => Promise<void> = sleep,
  ) {
    this.name = `http/${settings.model}`;
    this.minSimilarity = settings.minSimilarity;
    this.weight = settings.weight;
    this.address = `${settings.url.replace(/\/+$/, '')}/embeddings`;
  }

  async embed(texts: readonly string[]): Promise<Float32Array[]> {
    const vectors: Float32Array[] = [];
    for (let at = 0; at < texts.length; at += BATCH)
      vectors.push(...(await this.embedBatch(texts.slice(at, at + BATCH))));
    const [first] = vectors;
    if (vectors.some(({ length }) => length !== first?.length))
      throw new EmbedderUnavailable('the embedder returned vectors of different lengths');
    return vectors;
  }

  private async embedBatch(texts: readonly string[]): Promise<Float32Array[]> {
    const input = texts.map((text) => redact(text.slice(0, MAX_TEXT)).text);
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.requestVectors(input);
      if ('vectors' in outcome) return outcome.vectors;
      if (!outcome.retry || attempt === ATTEMPTS) throw new EmbedderUnavailable(outcome.problem);
      await this.pause(Math.min(outcome.afterMs ?? 100 * 4 ** (attempt - 1), MAX_PAUSE_MS));
    }
  }

  private async requestVectors(input: readonly string[]): Promise<EmbeddingOutcome> {
    let response: Response;
    let text: string | undefined;
    const signal = AbortSignal.timeout(this.settings.timeoutMs);
    try {
      response = await fetch(this.address, {
        method: 'POST',
        redirect: 'error',
        headers: {
          'content-type': 'application/json',
          ...traceHeaders(),
          ...(this.settings.apiKey ? { authorization: `Bearer ${this.settings.apiKey}` } : {}),
        },
        body: JSON.stringify({ model: this.settings.model, input, encoding_format: 'float' }),
        signal,
      });
      text = await readBounded(response);
    } catch {
      // The details of the error may contain the address or a key, so they are dropped.
      const reason = signal.aborted ? 'timeout' : 'no connection';
      return { problem: `the embedder is unreachable (${reason})`, retry: true };
    }
    if (text === undefined) return { problem: "the embedder's response is too long", retry: false };
    if (!response.ok)
      return {
        problem: `the embedder responded with status ${response.status}`,
        retry: response.status === 429 || response.status >= 500,
        ...pauseOf(response.headers.get('retry-after')),
      };
    return vectorsOf(text, input.length);
  }
}

type EmbeddingOutcome =
  | { readonly vectors: Float32Array[] }
  | { readonly problem: string; readonly retry: boolean; readonly afterMs?: number };

/** The response comes from outside, so its structure, its order and every number are checked. */
function vectorsOf(text: string, expected: number): EmbeddingOutcome {
  const unusable = (problem: string) => ({ problem: `the embedder's response ${problem}`, retry: false });
  const parsed = EmbeddingsResponse.safeParse(parseJson(text));
  if (!parsed.success) return unusable('is not a valid /v1/embeddings response');
  const vectors: Float32Array[] = [];
  for (const { index, embedding } of parsed.data.data) vectors[index] = Float32Array.from(embedding);
  const complete = parsed.data.data.length === expected && vectors.length === expected;
  if (!complete) return unusable('does not contain one vector for each text');
  if (vectors.some((vector) => vector.some((value) => !Number.isFinite(value))))
    return unusable('contains invalid numbers');
  return { vectors: vectors.map(toLengthOne) };
}

/** The body as text; undefined if it is too long. */
async function readBounded(response: Response): Promise<string | undefined> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.length;
    if (size > MAX_ANSWER) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function pauseOf(retryAfter: string | null): { afterMs?: number } {
  return retryAfter !== null && /^\d{1,4}$/.test(retryAfter) ? { afterMs: Number(retryAfter) * 1_000 } : {};
}

const sleep = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
