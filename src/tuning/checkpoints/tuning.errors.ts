import { DomainError } from '../../platform/base/domain.errors.js';

/** Which gap of the configuration stands against an operation. */
export type UnsupportedReason =
  /** Recall compares words only, so no embedder is asked. */
  | 'retrieval_without_vectors'
  /** The model of a checkpoint cannot be read, or was made for an embedder that is not configured. */
  | 'checkpoint_unusable';

/** What this configuration cannot do: always this class, this code and one line in the log. */
export class NotSupported extends DomainError {
  constructor(
    readonly reason: UnsupportedReason,
    message: string,
  ) {
    super('not_supported', 'not_supported', message);
  }
}

export const busy = (): DomainError =>
  new DomainError('conflict', 'tuning.busy', 'Another tuning run is queued or running.');

export const unknownRun = (id: string): DomainError =>
  new DomainError('not_found', 'tuning.unknown_run', `There is no tuning run ${id}.`);

export const unknownCheckpoint = (id: string): DomainError =>
  new DomainError('not_found', 'tuning.unknown_checkpoint', `There is no checkpoint ${id}.`);
