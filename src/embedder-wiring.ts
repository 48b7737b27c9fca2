import { Inject, Injectable } from '@nestjs/common';
import { ClaimEmbedding } from './evolve/claims/claim-embedding.service.js';
import type { Config } from './platform/config/config.js';
import { CONFIG } from './platform/platform.module.js';
import type { Embedder } from './recall/embedding/embedder.js';
import { EMBEDDER } from './recall/index/memory-vectors.service.js';

/**
 * Gives the evolver the embedder of recalls, which stands below it, if one is configured. The built-in one compares
 * spelling, which the evolver does itself.
 */
@Injectable()
export class EmbedderWiring {
  constructor(@Inject(CONFIG) config: Config, @Inject(EMBEDDER) embedder: Embedder, claims: ClaimEmbedding) {
    if (config.embedderUrl !== undefined) claims.use(embedder);
  }
}
