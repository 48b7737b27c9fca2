import { redactDeep } from '../../untrusted/redaction/redact-deep.js';
import type { GatheredFormat, NewPiece, StoredPiece } from '../importers/gathered-format.js';
import { ImportTally, readLine } from '../importers/import-tally.js';
import type { DerivedExecutions, ImportContext, TranscriptImporter } from '../importers/importer.js';
import { HookPayload } from './hook.schema.js';
import { hookPiece } from './hook-event.js';
import { executionOfHooks, type HookSource } from './hook-execution.js';

const CLAUDE_CODE: HookSource = { format: 'claude-code-hooks', title: 'Claude Code session', tag: 'claude-code' };
const CODEX: HookSource = { format: 'codex-hooks', title: 'Codex session', tag: 'codex' };

const gathered = (source: HookSource): GatheredFormat => ({
  format: source.format,
  assemble: (_key, pieces, stage) => executionOfHooks(source, pieces, stage),
});
export const claudeCodeHooksFormat = gathered(CLAUDE_CODE);
export const codexHooksFormat = gathered(CODEX);

/** What a hook leaves behind, redacted, and the session that it belongs to; undefined for an event that tells nothing. */
export function readHook(hook: HookPayload, at: Date): { gathering: string; piece: NewPiece } | undefined {
  const read = hookPiece(hook, at);
  if (read === undefined) return undefined;
  const { gathering, key, joinKey, says, facts } = read;
  const { value, findings } = redactDeep(facts);
  return { gathering, piece: { key, parentKey: undefined, joinKey, says, facts: value, findings } };
}

/**
 * Payloads that a command hook wrote to a file, one in each line. They have no time in them: a line's `received_at`
 * counts where something wrote one, or else the time of the file.
 */
function hooksImporter(source: HookSource): TranscriptImporter {
  return {
    format: source.format,
    derive(lines: Iterable<string>, context: ImportContext = {}): DerivedExecutions {
      const tally = new ImportTally();
      const sessions = new Map<string, Map<string, StoredPiece>>();
      for (const line of lines) {
        const value = readLine(line, tally);
        if (value === undefined) continue;
        const hook = HookPayload.safeParse(value);
        const read = hook.success ? readHook(hook.data, timeOf(value, context)) : undefined;
        if (!hook.success) tally.badLines += 1;
        if (read === undefined) continue;
        const known = sessions.get(read.gathering) ?? new Map<string, StoredPiece>();
        sessions.set(read.gathering, known);
        const { joinKey, parentKey: _none, ...piece } = read.piece;
        if (!known.has(piece.key)) known.set(piece.key, { ...piece, parentKey: null, joinKey: joinKey ?? null });
      }
      const executions = [...sessions.values()].flatMap((pieces) =>
        executionOfHooks(source, [...pieces.values()], 'expired', tally),
      );
      if (sessions.size === 0) tally.leave('no turns');
      return {
        reports: executions.map(({ report }) => report),
        skillUses: executions.flatMap(({ skillUses }) => skillUses),
        counts: tally.counts(),
        left: tally.left(),
      };
    },
  };
}

export const claudeCodeHooksImporter = hooksImporter(CLAUDE_CODE);
export const codexHooksImporter = hooksImporter(CODEX);

function timeOf(value: unknown, { recordedAt }: ImportContext): Date {
  const given = typeof value === 'object' && value !== null && 'received_at' in value ? value.received_at : recordedAt;
  const time = Date.parse(String(given ?? recordedAt ?? ''));
  return new Date(Number.isNaN(time) ? 0 : time);
}
