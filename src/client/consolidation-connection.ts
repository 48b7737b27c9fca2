import type { MergeSearch } from '../consolidate/merges/merges.schema.js';
import type {
  ConsolidationPause,
  ConsolidationPauseList,
  ConsolidationRun,
  ConsolidationRunList,
  ConsolidationStarted,
  ConsolidationUndoResult,
  NewConsolidationPause,
  StartConsolidation,
} from '../consolidate/store/consolidation-run.schema.js';
import type { Query } from './connection.js';
import { SessionMemoryConnection } from './session-memory-connection.js';

/** The part of the API about consolidation. */
export class ConsolidationConnection extends SessionMemoryConnection {
  readonly consolidation = {
    run: (start: Partial<StartConsolidation>) =>
      this.call<ConsolidationStarted>('POST', '/v1/consolidation/runs', start),
    list: (query: Query = {}) => this.call<ConsolidationRunList>('GET', '/v1/consolidation/runs', undefined, query),
    show: (id: string) => this.call<ConsolidationRun>('GET', `/v1/consolidation/runs/${encodeURIComponent(id)}`),
    undo: (id: string) =>
      this.call<ConsolidationUndoResult>('POST', `/v1/consolidation/runs/${encodeURIComponent(id)}/undo`),
    pauses: () => this.call<ConsolidationPauseList>('GET', '/v1/consolidation/pauses'),
    pause: (pause: NewConsolidationPause) => this.call<ConsolidationPause>('POST', '/v1/consolidation/pauses', pause),
    resume: (id: string) => this.call<void>('DELETE', `/v1/consolidation/pauses/${encodeURIComponent(id)}`),
  };
  readonly mergeSkills = (dryRun: boolean) => this.call<MergeSearch>('POST', '/v1/consolidation/merges', { dryRun });
}
