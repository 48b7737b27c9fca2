import { HOLE, ImportTally, readLine } from './import-tally.js';
import type { DerivedExecution, ImportContext } from './importer.js';
import { type Fields, isFields } from './json-fields.js';

/** The session of a record; undefined for one that belongs to none. */
export type SessionOf = (record: Fields, position: number) => string | undefined;

/** Where the sessions of a file end. */
export interface SessionEnds {
  /** By the position of a line: the sessions of which it has the last record. */
  readonly at: ReadonlyMap<number, readonly string[]>;
  /** Number of sessions. */
  readonly sessions: number;
}

/**
 * Reads a file for the ends of its sessions alone, so that each can be handed on and released when it ends, wherever its
 * records lie.
 */
export function sessionEnds(lines: Iterable<string>, sessionOf: SessionOf): SessionEnds {
  const last = new Map<string, number>();
  const uncounted = new ImportTally();
  let position = 0;
  for (const line of lines) {
    for (const value of readLine(line, uncounted)) {
      const session = isFields(value) ? sessionOf(value, position) : undefined;
      if (session !== undefined) last.set(session, position);
    }
    position += 1;
  }
  const at = new Map<number, string[]>();
  for (const [session, line] of last) at.set(line, [...(at.get(line) ?? []), session]);
  return { at, sessions: last.size };
}

/** The context of one of several executions in a file: a verdict on the file, or without an id, is about none of them. */
export const amongOthers = ({ taskIds: _file, judgements, ...context }: ImportContext): ImportContext => ({
  ...context,
  judgements: judgements?.map((one) => ({ ...one, isOfOne: false })),
});

/** Reads the records of a file that can hold several sessions. */
export interface FileReader {
  add(record: unknown, line: string, position: number): void;
  /** Records were lost, of any session. */
  addHole(): void;
  /** The executions of a session whose last record was read. */
  close(session: string): Iterable<DerivedExecution>;
}

/** Yields the executions of each session when its last record is read. `begin`: with the context of one of them. */
export function* readSessions<R extends FileReader>(
  lines: Iterable<string>,
  { context, tally, sessionOf }: SessionsOfFile,
  begin: (context: ImportContext) => R,
): Generator<DerivedExecution, R> {
  const ends = sessionOf && sessionEnds(context.ahead ?? lines, sessionOf);
  const reader = begin(ends !== undefined && ends.sessions > 1 ? amongOthers(context) : context);
  let position = 0;
  for (const line of lines) {
    for (const value of readLine(line, tally)) {
      if (value === HOLE) reader.addHole();
      else reader.add(value, line, position);
    }
    for (const ended of ends?.at.get(position) ?? []) yield* reader.close(ended);
    position += 1;
  }
  return reader;
}

interface SessionsOfFile {
  readonly context: ImportContext;
  readonly tally: ImportTally;
  /** Without it, the file is one session, which ends with it. */
  readonly sessionOf?: SessionOf | undefined;
}
