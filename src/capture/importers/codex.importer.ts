import { RolloutLine } from './codex-rollout.schema.js';
import { CodexRollout } from './codex-session.js';
import { sessionImporter } from './product-session.js';

const NAMED = /^rollout-.{1,40}-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
const TYPES: ReadonlySet<unknown> = new Set(['session_meta', 'event_msg', 'response_item', 'turn_context']);

/**
 * Imports Codex rollouts: one report per file, which is one session. As for every transcript, conversation and outputs
 * stay on the machine.
 */
export const codexImporter = sessionImporter({
  product: { format: 'codex', title: 'Codex' },
  byLine: true,
  recognises: (record) => 'payload' in record && TYPES.has(record['type']),
  record: RolloutLine,
  begin({ sessionHint = '' }) {
    const rollout = new CodexRollout();
    const { session } = rollout;
    return {
      sessions: [session],
      add: (line) => rollout.add(line),
      finish() {
        rollout.finish();
        // Codex finds a session by the name of its file; what a copy or a fork holds can name another one.
        session.id = NAMED.exec(sessionHint)?.[1] ?? session.id;
      },
    };
  },
});
