import { z } from 'zod';
import { parseJson } from '../../platform/base/parse-json.js';
import { redact } from '../../untrusted/redaction/redact.js';
import { type Embedder, EmbedderUnavailable, toLengthOne } from './embedder.js';

export interface HttpEmbedderSettings {
  /** Without the path of the API: `https://host/v1` is asked at `https://host/v1/embeddings`. */
  readonly url: string;
  readonly model: string;
  readonly apiKey?: string | undefined;
  readonly timeoutMs: number;
  readonly minSimilarity: number;
  readonly weight: number;
}

/** Texts of one request. */
const BATCH = 64;
/** Of one text, in UTF-16 code units: what models take is about 8,000 tokens. */
const MAX_TEXT = 8_000;
const ATTEMPTS = 3;
const MAX_DIMENSIONS = 8_192;
/** Of an answer; 64 vectors of 8,192 numbers with twenty digits are less. */
const MAX_ANSWER = 16 * 1_024 * 1_024;
/** Waited for at most, whatever Retry-After says: somebody may be waiting for the answer. */
const MAX_PAUSE_MS = 2_000;

const EmbeddingsResponse = z.object({
  data: z.array(z.object({ index: z.int().min(0), embedding: z.array(z.number()).min(1).max(MAX_DIMENSIONS) })),
});

/**
 * Any server that speaks `POST /v1/embeddings` as OpenAI does (Ollama, TEI, vLLM, Voyage and others). What leaves this
 * process is redacted and clipped. It does not follow redirects: the address is what the operator wrote.
 */
export class HttpEmbedder implements Embedder {
  readonly name: string;
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
      throw new EmbedderUnavailable('the embedder answered with vectors of several lengths');
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
          ...(this.settings.apiKey ? { authorization: `Bearer ${this.settings.apiKey}` } : {}),
        },
        body: JSON.stringify({ model: this.settings.model, input, encoding_format: 'float' }),
        signal,
      });
      text = await readBounded(response);
    } catch {
      // What went wrong in detail may hold the address or a key: it goes no further.
      const reason = signal.aborted ? 'too slow' : 'no connection';
      return { problem: `the embedder cannot be reached (${reason})`, retry: true };
    }
    if (text === undefined) return { problem: "the embedder's answer is too long", retry: false };
    if (!response.ok)
      return {
        problem: `the embedder answered ${response.status}`,
        retry: response.status === 429 || response.status >= 500,
        ...pauseOf(response.headers.get('retry-after')),
      };
    return vectorsOf(text, input.length);
  }
}

type EmbeddingOutcome =
  | { readonly vectors: Float32Array[] }
  | { readonly problem: string; readonly retry: boolean; readonly afterMs?: number };

/** Whatever the server says is somebody else's: the form, the order and every number are checked. */
function vectorsOf(text: string, expected: number): EmbeddingOutcome {
  const unusable = (problem: string) => ({ problem: `the embedder's answer ${problem}`, retry: false });
  const parsed = EmbeddingsResponse.safeParse(parseJson(text));
  if (!parsed.success) return unusable('is not one of /v1/embeddings');
  const vectors: Float32Array[] = [];
  for (const { index, embedding } of parsed.data.data) vectors[index] = Float32Array.from(embedding);
  const complete = parsed.data.data.length === expected && vectors.length === expected;
  if (!complete) return unusable('does not hold one vector for each text');
  if (vectors.some((vector) => vector.some((value) => !Number.isFinite(value))))
    return unusable('holds numbers that are none');
  return { vectors: vectors.map(toLengthOne) };
}

/** Undefined for an answer that is too long. */
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
