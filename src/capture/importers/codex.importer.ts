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
  begin(context) {
    const rollout = new CodexRollout(context.seenToolUses);
    return {
      session: rollout.session,
      add(value) {
        const { data } = RolloutLine.safeParse(value);
        if (data !== undefined) rollout.add(data);
        return data !== undefined;
      },
      finish: () => rollout.finish(),
    };
  },
});
