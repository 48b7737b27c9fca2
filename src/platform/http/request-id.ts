import { randomUUID } from 'node:crypto';

/** Longer than any id that gateways and tracers write, and short enough for each line of a log. */
const USABLE_ID = /^[A-Za-z0-9][A-Za-z0-9._~:/=+-]{7,63}$/;

export const REQUEST_ID_HEADER = 'x-request-id';

/**
 * Returns the id that the caller sent, or a new one. An id of another form is not used, and none that `isClean` refuses:
 * it would be written into the log, and a caller could have put a credential into it.
 */
export function requestIdOf(given: string | string[] | undefined, isClean: (text: string) => boolean): string {
  return typeof given === 'string' && USABLE_ID.test(given) && isClean(given) ? given : randomUUID();
}
