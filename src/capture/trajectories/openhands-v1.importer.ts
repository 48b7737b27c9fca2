import type { ForeignEnd } from '../importers/foreign-end.js';
import { ImportTally, parseDocument, readLine } from '../importers/import-tally.js';
import type { DerivedExecutions, ImportContext, TranscriptImporter } from '../importers/importer.js';
import { isFields } from '../importers/json-fields.js';
import { deriveSession, type Product, ProductSession } from '../importers/product-session.js';
import { V1Event, V1State } from './openhands-v1.schema.js';
import { addV1Event, addV1State, endOfStatus } from './openhands-v1-events.js';
import { nameInstance } from './run-identity.js';

const OPENHANDS: Product = { format: 'openhands-v1', title: 'OpenHands', harness: 'openhands' };
const EVENT_KIND = /^(?:\w{1,40}Event|UserRejectObservation|Condensation|CondensationRequest)$/;

/**
 * Imports conversations of OpenHands from its version 1: one event a line, as a list, or alone in a file, and the state
 * of the conversation (`base_state.json`) as one more record among them.
 */
export const openHandsV1Importer: TranscriptImporter = {
  format: OPENHANDS.format,
  recognises: (record) =>
    ('source' in record && EVENT_KIND.test(String(record['kind']))) ||
    ('agent' in record && 'workspace' in record && 'execution_status' in record),
  derive(lines: Iterable<string>, context: ImportContext = {}): DerivedExecutions {
    const tally = new ImportTally();
    const session = new ProductSession(context.seenToolUses ?? new Map());
    const actions = new Map<string, string>();
    let final: ForeignEnd | undefined;
    let first: string | undefined;
    for (const value of recordsIn([...lines], tally)) {
      const event = V1Event.safeParse(value);
      const state = V1State.safeParse(value);
      first ??= event.data?.id;
      if (event.success) addV1Event(session, event.data, actions);
      else if (state.success) {
        addV1State(session, state.data);
        final = endOfStatus(state.data.execution_status);
      } else tally.badLines += 1;
    }
    // the state is written after the last event
    if (session.end.kind === 'unfinished' && final !== undefined) session.end = final;
    const name = session.id ?? context.sessionHint;
    // without its state, a conversation has no name but that of its file, which others have too
    if (session.id === undefined && first !== undefined) session.id = `${name ?? 'unnamed'}-${first}`;
    nameInstance(session, name);
    if (name !== undefined) session.taskNames.push(name);
    return deriveSession(OPENHANDS, session, context, tally);
  },
};

/** The records of a file: one in each line, or one document over all of them, which can be a list. */
function recordsIn(lines: readonly string[], tally: ImportTally): unknown[] {
  const first = lines.find((line) => line.trim() !== '')?.trim() ?? '';
  const isDocument = /^[[{]$/.test(first) || (lines.length === 1 && first.startsWith('['));
  const read = isDocument ? [parseDocument(lines, tally)] : lines.map((line) => readLine(line, tally));
  return read.flatMap((value) => {
    if (isDocument && Array.isArray(value)) return value;
    if (value !== undefined && !isFields(value)) tally.badLines += 1;
    return isFields(value) ? [value] : [];
  });
}
