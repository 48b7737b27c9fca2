import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/database.js';
import type { Derivation } from '../store/derivation.js';
import { MemoryReadRepository } from '../store/memory-read.repository.js';
import { MemorySourceRepository } from '../store/memory-source.repository.js';
import type { Reader } from '../store/recallable-memory.js';

/** More than this nobody concludes from; a call that rests on more is not looked through. */
const MAX_DERIVATIONS = 10_000;

export interface DerivationSet {
  /** Those of the given memories that the reader may see, whether they live or have ended. */
  readonly visible: ReadonlySet<string>;
  readonly derivations: readonly Derivation[];
  readonly complete: boolean;
}

/** What memories rest on. */
@Injectable()
export class MemoryDerivations {
  constructor(
    private readonly memories: MemoryReadRepository,
    private readonly sources: MemorySourceRepository,
  ) {}

  /** What one memory rests on, itself left out, as far as it is looked through. */
  async sourcesOf(tx: Tx, id: string): Promise<Derivation[]> {
    return (await this.sources.derivations(tx, [id], MAX_DERIVATIONS)).filter((ground) => ground.id !== id);
  }

  async resolve(tx: Tx, reader: Reader, ids: readonly string[]): Promise<DerivationSet> {
    if (ids.length === 0) return { visible: new Set(), derivations: [], complete: true };
    const grounds = await this.sources.derivations(tx, ids, MAX_DERIVATIONS + 1);
    const visible = await this.memories.visibleOrEnded(tx, reader, ids);
    return {
      visible: new Set(visible),
      derivations: grounds.slice(0, MAX_DERIVATIONS),
      complete: grounds.length <= MAX_DERIVATIONS,
    };
  }
}
