/** The run was cancelled, another process has taken it, or this process stops: there is nothing to record. */
export class RunEnded extends Error {
  override readonly name = 'RunEnded';
}
