import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/database.js';
import type { Derivation } from '../store/derivation.js';
import { MemoryReadRepository } from '../store/memory-read.repository.js';
import { type Authority, MemorySourceRepository } from '../store/memory-source.repository.js';
import type { Reader } from '../store/recallable-memory.js';

/** Upper bound on the derivations that one call looks through. Beyond it the result is marked incomplete. */
const MAX_DERIVATIONS = 10_000;

export interface DerivationSet {
  /** The given memories that the reader may see, live or ended. */
  readonly visible: ReadonlySet<string>;
  readonly derivations: readonly Derivation[];
  readonly complete: boolean;
}

/** Resolves which memories a memory was derived from. */
@Injectable()
export class MemoryDerivations {
  constructor(
    private readonly memories: MemoryReadRepository,
    private readonly sources: MemorySourceRepository,
  ) {}

  /** Returns the memories that one memory was derived from, without itself, up to the bound. */
  async sourcesOf(tx: Tx, id: string): Promise<Derivation[]> {
    return (await this.sources.derivations(tx, [id], MAX_DERIVATIONS)).filter((derivation) => derivation.id !== id);
  }

  /** Returns what stands for each of these memories; those with neither a person nor two owners are missing. */
  authorities(tx: Tx, ids: readonly string[]): Promise<Map<string, Authority>> {
    return this.sources.authorities(tx, ids);
  }

  async resolve(tx: Tx, reader: Reader, ids: readonly string[]): Promise<DerivationSet> {
    if (ids.length === 0) return { visible: new Set(), derivations: [], complete: true };
    const derivations = await this.sources.derivations(tx, ids, MAX_DERIVATIONS + 1);
    const visible = await this.memories.visibleOrEnded(tx, reader, ids);
    return {
      visible: new Set(visible),
      derivations: derivations.slice(0, MAX_DERIVATIONS),
      complete: derivations.length <= MAX_DERIVATIONS,
    };
  }
}
