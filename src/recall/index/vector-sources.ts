import type { MemoryReadService } from '../../memory/store/memory-read.service.js';
import type { Clock } from '../../platform/base/clock.js';
import type { Database } from '../../platform/database/database.js';
import type { MemoryVectorRepository } from './memory-vector.repository.js';

/** What every set of vectors of a process shares. */
export interface VectorSources {
  readonly database: Database;
  readonly memories: MemoryReadService;
  readonly vectors: MemoryVectorRepository;
  readonly clock: Clock;
  /** The process, for the lease. */
  readonly holder: string;
  readonly configuredName: string;
}
