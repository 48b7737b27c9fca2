import type { SessionEntry } from './session-memory.schema.js';

/** The summary of a session by rules that left nothing to tell. */
export const NOTHING_NOTED = 'Nothing was noted.';

/** How the summary by rules says that a session did not complete. */
export const endedAs = (status: string): string => `The session ended as ${status}.`;

/** Whether an entry is the summary of a session of which there is something to tell. */
export const tellsOfSession = ({ kind, content }: Pick<SessionEntry, 'kind' | 'content'>): boolean =>
  kind === 'session-summary' && !isEmptySummary(content);

/** Whether a summary says no more than how the session ended. It would cost tokens in a prompt and tell nothing. */
const isEmptySummary = (text: string): boolean =>
  text === NOTHING_NOTED || /^The session ended as [a-z_]{1,20}\.$/.test(text);
