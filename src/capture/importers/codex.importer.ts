import { RolloutLine } from './codex-rollout.schema.js';
import { CodexRollout } from './codex-session.js';
import { ImportTally, readLine } from './import-tally.js';
import type { DerivedExecutions, ImportContext, TranscriptImporter } from './importer.js';
import { deriveSession, type Product } from './product-session.js';

const CODEX: Product = { format: 'codex', title: 'Codex' };
const NAMED = /^rollout-.{1,40}-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
const TYPES: ReadonlySet<unknown> = new Set(['session_meta', 'event_msg', 'response_item', 'turn_context']);

/**
 * Imports Codex rollouts: one report per file, which is one session. As for every transcript, conversation and outputs
 * stay on the machine.
 */
export const codexImporter: TranscriptImporter = {
  format: CODEX.format,
  byLine: true,
  recognises: (record) => 'payload' in record && TYPES.has(record['type']),
  derive(lines: Iterable<string>, context: ImportContext = {}): DerivedExecutions {
    const tally = new ImportTally();
    const rollout = new CodexRollout(context.seenToolUses ?? new Map());
    for (const line of lines) {
      const value = readLine(line, tally);
      if (value === undefined) continue;
      const parsed = RolloutLine.safeParse(value);
      if (parsed.success) rollout.add(parsed.data);
      else tally.badLines += 1;
    }
    const session = rollout.finish();
    // Codex finds a session by the name of its file; what a copy or a fork holds can name another one.
    session.id = NAMED.exec(context.sessionHint ?? '')?.[1] ?? session.id;
    return deriveSession(CODEX, session, context, tally);
  },
};
