import { z } from 'zod';
import type { ForeignEnd } from '../importers/foreign-end.js';
import { ProductSession, sessionImporter } from '../importers/product-session.js';
import { V1Event, V1State } from './openhands-v1.schema.js';
import { addV1Event, addV1State, endOfStatus } from './openhands-v1-events.js';
import { isListStart, nameInstance } from './run-identity.js';

const EVENT_KIND = /^(?:\w{1,40}Event|UserRejectObservation|Condensation|CondensationRequest)$/;

/**
 * Imports conversations of OpenHands from its version 1: one event a line, as a list, or alone in a file, and the state
 * of the conversation (`base_state.json`) as one more record among them.
 */
export const openHandsV1Importer = sessionImporter({
  product: { format: 'openhands-v1', title: 'OpenHands', harness: 'openhands' },
  recognises: (record) =>
    ('source' in record && EVENT_KIND.test(String(record['kind']))) ||
    ('agent' in record && 'workspace' in record && 'execution_status' in record),
  record: z.unknown(),
  isDocument: isListStart,
  begin(context) {
    const session = new ProductSession();
    const actions = new Map<string, string>();
    let final: ForeignEnd | undefined;
    let first: string | undefined;
    const add = (value: unknown): boolean => {
      const event = V1Event.safeParse(value);
      const state = V1State.safeParse(value);
      first ??= event.data?.id;
      if (event.success) addV1Event(session, event.data, actions);
      else if (state.success) {
        addV1State(session, state.data);
        final = endOfStatus(state.data.execution_status);
      }
      return event.success || state.success;
    };
    return {
      sessions: [session],
      add: (value) => (Array.isArray(value) ? value.map(add).every(Boolean) : add(value)),
      finish() {
        // the state is written after the last event
        if (session.end === 'unfinished' && final !== undefined) session.end = final;
        const name = session.id ?? context.sessionHint;
        // without its state, a conversation has no name but that of its file, which others have too
        if (session.id === undefined && first !== undefined) session.id = `${name ?? 'unnamed'}-${first}`;
        nameInstance(session, name);
        if (name !== undefined) session.taskNames.push(name);
      },
    };
  },
});
