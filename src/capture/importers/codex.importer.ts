import { RolloutLine } from './codex-rollout.schema.js';
import { CodexRollout } from './codex-session.js';
import { sessionImporter } from './product-session.js';

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
  begin({ seenToolUses }) {
    const rollout = new CodexRollout(seenToolUses);
    return { session: rollout.session, add: (line) => rollout.add(line), finish: () => rollout.finish() };
  },
});
