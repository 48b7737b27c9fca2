import type { z } from 'zod';
import type {
  ActiveEmbedder,
  CancelledRun,
  EmbedderCheckpoint,
  EmbedderCheckpointList,
  GuardedOperation,
  TuningPlan,
  TuningPreflight,
  TuningRun,
  TuningRunPage,
  TuningStatus,
} from '../tuning/checkpoints/tuning.schema.js';
import type { Query } from './connection.js';
import { ConsolidationConnection } from './consolidation-connection.js';

const ROOT = '/v1/memory/tuning';
const checkpoint = (id: string): string => `${ROOT}/checkpoints/${encodeURIComponent(id)}`;

/** The part of the API about the tuning of the embedder. */
export class TuningConnection extends ConsolidationConnection {
  readonly tuning = {
    preflight: (plan: z.input<typeof TuningPlan> = {}) => this.call<TuningPreflight>('POST', `${ROOT}/preflight`, plan),
    start: (plan: z.input<typeof TuningPlan> = {}) => this.call<TuningRun>('POST', `${ROOT}/runs`, plan),
    resume: (id: string) => this.call<TuningRun>('POST', `${ROOT}/runs/${encodeURIComponent(id)}/resume`),
    status: (id?: string) =>
      this.call<TuningStatus>('GET', id === undefined ? `${ROOT}/status` : `${ROOT}/runs/${encodeURIComponent(id)}`),
    cancel: (operation: GuardedOperation) => this.call<CancelledRun>('POST', `${ROOT}/cancel`, operation),
    runs: (query: Query = {}) => this.call<TuningRunPage>('GET', `${ROOT}/runs`, undefined, query),
    active: () => this.call<ActiveEmbedder>('GET', `${ROOT}/embedder`),
    checkpoints: () => this.call<EmbedderCheckpointList>('GET', `${ROOT}/checkpoints`),
    rollback: (id: string, operation: GuardedOperation) =>
      this.call<ActiveEmbedder>('POST', `${checkpoint(id)}/rollback`, operation),
    delete: (id: string, operation: GuardedOperation) =>
      this.call<EmbedderCheckpoint>('POST', `${checkpoint(id)}/delete`, operation),
  };
}
