import { Injectable, Logger } from '@nestjs/common';
import { messageOf } from '../../platform/base/error-text.js';
import { redact } from '../../untrusted/redaction/redact.js';
import { ClaimMeanings, type TextEmbedder } from './claim-meanings.js';

/** Texts of one request to an embedder. */
const BATCH = 128;
/** Rounds until all texts have vectors: drafts that change by a comparison may bring new texts. */
const MAX_ROUNDS = 4;

/**
 * Gives cycles the meaning of claims, if an embedder that knows meanings is configured. Without one, or while it is away,
 * claims are compared by their words alone.
 */
@Injectable()
export class ClaimEmbedding {
  private readonly logger = new Logger(ClaimEmbedding.name);
  private embedder: TextEmbedder | undefined;
  /** Of the texts that the last comparison read, so that a cycle asks for new texts only. */
  private vectors = new Map<string, Float32Array>();

  use(embedder: TextEmbedder): void {
    this.embedder = embedder;
  }

  /**
   * Runs `compare` until it has read no text without a vector, and returns its last result. `compare` depends on nothing
   * but its argument.
   */
  async during<T>(compare: (meanings: ClaimMeanings | undefined) => Promise<T>): Promise<T> {
    const { embedder } = this;
    if (embedder === undefined) return compare(undefined);
    for (let round = 1; ; round++) {
      const meanings = new ClaimMeanings(this.vectors, embedder.minSimilarity);
      const result = await compare(meanings);
      if (meanings.missing.size === 0 || round === MAX_ROUNDS) {
        this.vectors = new Map([...this.vectors].filter(([text]) => meanings.read.has(text)));
        return result;
      }
      if (!(await this.learn(embedder, [...meanings.missing]))) return compare(undefined);
    }
  }

  /** Returns false if the embedder cannot answer. */
  private async learn(embedder: TextEmbedder, texts: readonly string[]): Promise<boolean> {
    try {
      for (let from = 0; from < texts.length; from += BATCH) {
        const batch = texts.slice(from, from + BATCH);
        const vectors = await embedder.embed(batch.map((text) => redact(text).text));
        for (const [at, text] of batch.entries()) {
          const vector = vectors[at];
          if (vector === undefined) throw new RangeError('the embedder returned too few vectors');
          this.vectors.set(text, vector);
        }
      }
      return true;
    } catch (error) {
      this.logger.warn(`Claims are compared by words alone, because the embedder cannot answer: ${messageOf(error)}`);
      return false;
    }
  }
}
