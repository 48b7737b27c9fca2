import { z } from 'zod';
import { HOLE } from '../importers/import-tally.js';
import { isFields } from '../importers/json-fields.js';
import { ProductSession, sessionImporter } from '../importers/product-session.js';
import { addGeminiSession } from './gemini-session.js';
import { GeminiHeader, GeminiMessage, GeminiPatch } from './gemini-session.schema.js';

/**
 * Imports session files of Gemini CLI: one report per file, in lines (`session-….jsonl`) or, from older versions, as one
 * document. As for every transcript, conversation and outputs stay on the machine.
 */
export const geminiImporter = sessionImporter({
  product: { format: 'gemini', title: 'Gemini CLI' },
  recognises: (record) => 'projectHash' in record && 'sessionId' in record,
  record: z.unknown(),
  isDocument,
  begin({ seenToolUses }) {
    const session = new ProductSession(seenToolUses);
    const file = new SessionFile();
    return {
      session,
      add: (value) => file.add(value),
      addHole: () => file.addHole(),
      finish: () => addGeminiSession(session, file.header, file.messages.values()),
    };
  },
});

/** Older versions write a formatted document, whose first line is no record. */
function isDocument(lines: readonly string[]): boolean {
  return lines.find((line) => line.trim() !== '')?.trim() === '{';
}

/** The records of a file: its first line, and every message in its last form. */
class SessionFile {
  readonly messages = new Map<string, GeminiMessage | typeof HOLE>();
  header: GeminiHeader | undefined;

  addHole(): void {
    this.messages.set(`hole ${this.messages.size}`, HOLE);
  }

  add(value: unknown): boolean {
    const message = GeminiMessage.safeParse(value);
    const header = GeminiHeader.safeParse(value);
    const patch = GeminiPatch.safeParse(value);
    if (message.success) this.messages.set(message.data.id, message.data);
    else if (header.success) this.header ??= header.data;
    else if (!patch.success) return isFields(value) && '$rewindTo' in value;
    if (message.success) return true;
    for (const one of header.data?.messages ?? patch.data?.$set.messages ?? []) {
      const inner = GeminiMessage.safeParse(one);
      // a message that is known stays in its later form, but for its place
      if (inner.success) this.messages.set(inner.data.id, inner.data);
    }
    return true;
  }
}
