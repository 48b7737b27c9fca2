import { redactDeep } from '../../untrusted/redaction/redact-deep.js';
import { readSessions } from '../importers/file-sessions.js';
import {
  type FragmentFormat,
  type FragmentIdentifiers,
  LOCAL_IDENTIFIERS,
  type NewFragment,
  type StoredFragment,
} from '../importers/fragment-format.js';
import { ImportTally } from '../importers/import-tally.js';
import { type ImportContext, streamingImporter, type TranscriptImporter } from '../importers/importer.js';
import { type Fields, textAt } from '../importers/json-fields.js';
import { PRODUCT_TITLES } from '../report/product-titles.js';
import { HookRecord } from './hook.schema.js';
import { hookFragment } from './hook-event.js';
import { assembleHookExecution, type HookSource } from './hook-execution.js';
import { type HookProduct, hookPayloadOf, type ProductHook } from './products.js';

const GEMINI_EVENT = /^(?:Before|After)(?:Agent|Tool|Model|ToolSelection)$/;
const sourceOf = (product: HookProduct): HookSource => ({
  format: `${product}-hooks`,
  title: PRODUCT_TITLES[product],
  tag: product,
});

/** The format in which the hook events of a product are stored and assembled. */
export function hooksFormatOf(product: HookProduct): FragmentFormat {
  const source = sourceOf(product);
  return {
    format: source.format,
    assemble: (_key, fragments, stage) => assembleHookExecution(source, fragments, stage),
  };
}

/**
 * The redacted fragment of a hook event and the key of its session; undefined for an event that says nothing about an
 * execution.
 */
export function readHook(
  hook: ProductHook,
  at: Date,
  identifiers: FragmentIdentifiers,
): { sessionKey: string; fragment: NewFragment } | undefined {
  const event = hookFragment(hook, at, identifiers);
  if (event === undefined) return undefined;
  const { sessionKey, key, joinKey, signal, facts } = event;
  // Not the session: two sessions with the same marker would be one.
  const { session, ...texts } = facts;
  const { value, redactions: findings } = redactDeep(texts);
  const stored = { ...value, session };
  return { sessionKey, fragment: { key, parentKey: undefined, joinKey, signal, facts: stored, findings } };
}

/**
 * Reads hook payloads from a file, one per line, each with the name of its event as `hook_event_name`. The line's
 * `received_at` counts as its time, or else the time of the file.
 */
function hooksImporter(product: HookProduct, isOf: (event: unknown, record: Fields) => boolean): TranscriptImporter {
  const source = sourceOf(product);
  return streamingImporter({
    format: source.format,
    byLine: true,
    recognises: (record) => 'hook_event_name' in record && isOf(record['hook_event_name'], record),
    *stream(lines: Iterable<string>, context: ImportContext = {}) {
      const tally = new ImportTally();
      const sessionOf = (record: Fields) =>
        hookPayloadOf(product, textAt(record, 'hook_event_name') ?? '', record)?.session_id;
      const open = new Map<string, SessionEvents>();
      let isEmpty = true;
      yield* readSessions(lines, { context, tally, sessionOf }, () => ({
        add(value) {
          const hook = readHookRecord(product, value, tally);
          const event = hook && readHook(hook, timeOf(value, context), LOCAL_IDENTIFIERS);
          if (hook === undefined || event === undefined) return;
          const known = open.get(hook.session_id) ?? new SessionEvents();
          open.set(hook.session_id, known);
          known.add(event.fragment);
          isEmpty = false;
        },
        addHole() {
          for (const known of open.values()) known.isAfterHole = true;
        },
        close(ended) {
          const events = open.get(ended);
          open.delete(ended);
          return events === undefined ? [] : assembleHookExecution(source, events.fragments(), 'expired', tally);
        },
      }));
      if (isEmpty) tally.omit('no turns');
      return tally.read();
    },
  });
}

/** The events of a session that has not ended. */
class SessionEvents {
  readonly #known = new Map<string, StoredFragment>();
  /** Set if records were lost since its last event. */
  isAfterHole = false;

  add({ joinKey, parentKey: _none, ...fragment }: NewFragment): void {
    if (this.#known.has(fragment.key)) return;
    const facts = this.isAfterHole ? { ...fragment.facts, afterHole: true } : fragment.facts;
    this.isAfterHole = false;
    // A part of a text keeps the whole line in memory.
    this.#known.set(fragment.key, structuredClone({ ...fragment, facts, parentKey: null, joinKey: joinKey ?? null }));
  }

  fragments(): StoredFragment[] {
    return [...this.#known.values()];
  }
}

function readHookRecord(product: HookProduct, value: unknown, tally: ImportTally): ProductHook | undefined {
  const record = HookRecord.safeParse(value);
  if (!record.success) {
    tally.badLines += 1;
    return undefined;
  }
  return hookPayloadOf(product, record.data.hook_event_name, value);
}

// The products share most names. Each of these has something that no later one sends.
export const copilotHooksImporter = hooksImporter('copilot', (_event, record) => 'sessionId' in record);
export const openCodeHooksImporter = hooksImporter(
  'opencode',
  (event, record) => 'worktree' in record || /^[a-z]+\./.test(String(event)),
);
export const codexHooksImporter = hooksImporter('codex', (_event, record) => 'turn_id' in record);
export const geminiHooksImporter = hooksImporter(
  'gemini',
  (event, record) => 'timestamp' in record || GEMINI_EVENT.test(String(event)),
);
export const claudeCodeHooksImporter = hooksImporter('claude-code', () => true);

function timeOf(value: unknown, { recordedAt }: ImportContext): Date {
  const recorded =
    typeof value === 'object' && value !== null && 'received_at' in value ? value.received_at : recordedAt;
  const time = Date.parse(String(recorded ?? recordedAt ?? ''));
  return new Date(Number.isNaN(time) ? 0 : time);
}
