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
}

/** The reason why a file or a folder is not read. It never holds text of the file. */
export class UnreadSource extends Error {}

/** A source that is a document, is compressed, or has another encoding is held whole. */
export const MAX_HELD = 256 * 1024 * 1024;

const ENDING = /(?:\.traj)?\.(?:jsonl?|ndjson|traj|log|txt)(?:\.gz|\.zst)?$/i;
/** Without the `.meta.json` files of Claude Code's sub-agents. */
const TRANSCRIPT = /(?<!\.meta)\.(?:jsonl?|ndjson|traj)(?:\.gz|\.zst)?$/i;
const JSON_LINES = /\.(?:jsonl|ndjson)(?:\.gz|\.zst)?$/i;

/** Whether a file in a folder may be a transcript by its name. A log or a text is read only if it is named. */
export const mayBeTranscript = (name: string, anyFormat: boolean): boolean =>
  (anyFormat ? TRANSCRIPT : JSON_LINES).test(name);

const DATABASE = /\.(?:db|sqlite3?|vscdb)$/i;
const UNPACKED_BY: Readonly<Record<string, string>> = {
  '7z': '7z x',
  br: 'brotli -d',
  bz2: 'bzip2 -dk',
  lz4: 'lz4 -d',
  lzma: 'xz -dk',
  rar: 'unrar x',
  tar: 'tar -xf',
  tgz: 'tar -xf',
  xz: 'xz -dk',
  z: 'uncompress',
  zip: 'unzip',
};
const PACKED = /\.(\w{1,4})$/;
const ARCHIVE = /\.tar\.\w{1,4}$/i;

/** Why a file of sessions cannot be read, with the command that helps; undefined for a name that says neither. */
export function unreadableReason(path: string): string | undefined {
  if (DATABASE.test(path)) return databaseReason(path);
  const packed = ARCHIVE.test(path) ? 'tar' : (PACKED.exec(path)?.[1] ?? '').toLowerCase();
  const command = UNPACKED_BY[packed];
  return command === undefined ? undefined : `packed with ${packed}; unpack it with: ${command} <file>`;
}

/** Programs keep the newest rows beside the file of a database, and change its tables with each version. */
export const databaseReason = (path: string): string =>
  /opencode[^\\/]{0,40}$/i.test(path)
    ? 'a database of OpenCode; list its sessions with: opencode session list, and write each to a file with: opencode export <id> > <id>.json'
    : 'a database; export its sessions from the program';

/** The name of a file or its path without the ending of a transcript. */
export const withoutEnding = (path: string): string => path.replace(ENDING, '');

/** The reason for a failure of the file system, such as "unreadable (EACCES)"; undefined for another error. */
export function readFailure(error: unknown): string | undefined {
  if (error instanceof UnreadSource) return error.message;
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  return /^E[A-Z0-9]{2,20}$/.test(code) ? `unreadable (${code})` : undefined;
}
