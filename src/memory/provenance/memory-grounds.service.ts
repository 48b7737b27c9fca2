import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/database.js';
import type { Ground } from '../store/ground.js';
import { MemoryReadingRepository } from '../store/memory-reading.repository.js';
import { MemorySourceRepository } from '../store/memory-source.repository.js';
import type { Reader } from '../store/readable.js';

/** More than this nobody concludes from; a call that rests on more is not looked through. */
const MOST = 10_000;

export interface Grounds {
  /** Those of the given memories that the reader may see, whether they live or have ended. */
  readonly visible: ReadonlySet<string>;
  readonly grounds: readonly Ground[];
  readonly complete: boolean;
}

/** What memories rest on. */
@Injectable()
export class MemoryGrounds {
  constructor(
    private readonly memories: MemoryReadingRepository,
    private readonly sources: MemorySourceRepository,
  ) {}

  /** What one memory rests on, itself left out, as far as it is looked through. */
  async under(tx: Tx, id: string): Promise<Ground[]> {
    return (await this.sources.grounds(tx, [id], MOST)).filter((ground) => ground.id !== id);
  }

  async of(tx: Tx, reader: Reader, ids: readonly string[]): Promise<Grounds> {
    if (ids.length === 0) return { visible: new Set(), grounds: [], complete: true };
    const grounds = await this.sources.grounds(tx, ids, MOST + 1);
    const visible = await this.memories.visibleOrEnded(tx, reader, ids);
    return { visible: new Set(visible), grounds: grounds.slice(0, MOST), complete: grounds.length <= MOST };
  }
}
