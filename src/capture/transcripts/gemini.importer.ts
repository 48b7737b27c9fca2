import { ImportTally, parseDocument, readLine } from '../importers/import-tally.js';
import type { DerivedExecutions, ImportContext, TranscriptImporter } from '../importers/importer.js';
import { deriveSession, type Product } from '../importers/product-session.js';
import { geminiSession } from './gemini-session.js';
import { GeminiHeader, GeminiMessage, GeminiPatch } from './gemini-session.schema.js';

const GEMINI: Product = { format: 'gemini', title: 'Gemini CLI' };

/**
 * Imports session files of Gemini CLI: one report per file, in lines (`session-….jsonl`) or, from older versions, as one
 * document. As for every transcript, conversation and outputs stay on the machine.
 */
export const geminiImporter: TranscriptImporter = {
  format: GEMINI.format,
  recognises: (record) => 'projectHash' in record && 'sessionId' in record,
  derive(lines: Iterable<string>, context: ImportContext = {}): DerivedExecutions {
    const tally = new ImportTally();
    const all = [...lines];
    const file = new SessionFile();
    if (isDocument(all)) file.add(parseDocument(all, tally), tally);
    else for (const line of all) file.add(readLine(line, tally), tally);
    const session = geminiSession(file.header, file.messages.values(), context.seenToolUses ?? new Map());
    return deriveSession(GEMINI, session, context, tally);
  },
};

/** Older versions write a formatted document, whose first line is no record. */
const isDocument = (lines: readonly string[]): boolean => lines.find((line) => line.trim() !== '')?.trim() === '{';

/** The records of a file: its first line, and every message in its last form. */
class SessionFile {
  readonly messages = new Map<string, GeminiMessage>();
  header: GeminiHeader | undefined;

  add(value: unknown, tally: ImportTally): void {
    if (value === undefined) return;
    const message = GeminiMessage.safeParse(value);
    if (message.success) {
      this.messages.set(message.data.id, message.data);
      return;
    }
    const header = GeminiHeader.safeParse(value);
    const patch = GeminiPatch.safeParse(value);
    if (header.success) this.header ??= header.data;
    else if (!patch.success) {
      if (typeof value === 'object' && value !== null && '$rewindTo' in value) return;
      tally.badLines += 1;
      return;
    }
    for (const one of header.data?.messages ?? patch.data?.$set.messages ?? []) {
      const inner = GeminiMessage.safeParse(one);
      // a message that is known stays in its later form, but for its place
      if (inner.success) this.messages.set(inner.data.id, inner.data);
    }
  }
}
