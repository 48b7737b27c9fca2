import { type Embedder, embedQueries } from './embedder.js';
import { shortHash } from './model-bytes.js';
import { QueryMap } from './query-map.js';

/**
 * Maps the queries of another embedder. Texts that are stored keep the vectors and the name of that embedder, so that
 * nothing is embedded again when a map is deployed or rolled back.
 */
export class AdaptedEmbedder implements Embedder {
  /** Of the embedder below: the name under which vectors are stored. */
  readonly name: string;
  readonly minSimilarity: number;
  readonly weight: number;
  private readonly queryMap: QueryMap;

  /** Throws UnreadableModel for bytes that are not a complete map. */
  constructor(
    private readonly base: Embedder,
    bytes: Uint8Array,
    settings: { readonly weight: number; readonly minSimilarity: number },
  ) {
    this.queryMap = QueryMap.read(bytes);
    this.name = base.name;
    this.minSimilarity = settings.minSimilarity;
    this.weight = settings.weight;
  }

  embed(texts: readonly string[]): Promise<Float32Array[]> {
    return this.base.embed(texts);
  }

  async embedQueries(texts: readonly string[]): Promise<Float32Array[]> {
    return (await embedQueries(this.base, texts)).map((vector) => this.queryMap.map(vector));
  }
}

/** The name of a base with a map: what a run, the journal and the settings show. */
export const adaptedName = (base: string, bytes: Uint8Array): string => `${base}+a${shortHash(bytes)}`;
