/** What sessions are read from: one file, or a folder with a file for each record. */
export interface Source {
  /**
   * `file`: a file. `events`: the folder `events` of a conversation of OpenHands, with one numbered file for each event.
   * `opencode`: a session in OpenCode's storage, with one file for each message and for each part of a message.
   */
  readonly kind: 'file' | 'events' | 'opencode';
  /** The file, the folder of the conversation, or the file of the session. It gives the session and the agent a name. */
  readonly path: string;
  /** In the order of the records. */
  readonly files: readonly string[];
  /** Size of the files together. */
  readonly bytes: number;
  /** Set for a log or a text: if its content has no known format, it was never meant to be a transcript. */
  readonly isOfAnyContent?: boolean;
}

/** The reason why a file or a folder is not read. It never holds text of the file. */
export class UnreadSource extends Error {}

/** A source that is a document, is compressed, or has another encoding is held whole. */
export const MAX_HELD = 256 * 1024 * 1024;

const ENDING = /(?:\.traj)?\.(?:jsonl?|ndjson|traj|log|txt)(?:\.gz)?$/i;
/** Without the `.meta.json` files of Claude Code's sub-agents. */
const TRANSCRIPT = /(?<!\.meta)\.(?:jsonl?|ndjson|traj)(?:\.gz)?$/i;
const JSON_LINES = /\.(?:jsonl|ndjson)(?:\.gz)?$/i;
const ANY_CONTENT = /\.(?:log|txt)(?:\.gz)?$/i;

/** What the name of a file in a folder says about its content. */
export function expectedContent(name: string, anyFormat: boolean): 'transcript' | 'any' | 'other' {
  if (!anyFormat) return JSON_LINES.test(name) ? 'transcript' : 'other';
  if (TRANSCRIPT.test(name)) return 'transcript';
  return ANY_CONTENT.test(name) ? 'any' : 'other';
}

/** The name of a file or its path without the ending of a transcript. */
export const withoutEnding = (path: string): string => path.replace(ENDING, '');

/** The reason for a failure of the file system, such as "unreadable (EACCES)"; undefined for another error. */
export function readFailure(error: unknown): string | undefined {
  if (error instanceof UnreadSource) return error.message;
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  return /^E[A-Z0-9]{2,20}$/.test(code) ? `unreadable (${code})` : undefined;
}
