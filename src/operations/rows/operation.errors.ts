export type OperationErrorCode =
  | 'backup.exists'
  | 'backup.busy'
  | 'backup.no_key'
  | 'backup.incomplete'
  | 'backup.not_found'
  | 'backup.damaged'
  | 'backup.unknown_format'
  | 'restore.not_empty'
  | 'restore.skills_not_empty'
  | 'restore.other_key'
  | 'restore.other_name'
  | 'move.no_target'
  | 'move.not_empty'
  | 'move.not_migrated'
  | 'database.not_found'
  | 'journal.broken'
  | 'approval.missing';

/** The operation cannot go on. The message tells the operator what to do; nothing was changed. */
export class OperationError extends Error {
  constructor(
    readonly code: OperationErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'OperationError';
  }
}
