import { z } from 'zod';
import { readable } from '../../platform/base/lenient.schema.js';
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
  // older versions write a formatted document, whose first line is no record
  isDocument: (firstLine) => firstLine === '{',
  begin() {
    const session = new ProductSession();
    const file = new SessionFile();
    return {
      sessions: [session],
      add: (value) => file.add(value),
      addHole: () => file.addHole(),
      finish: () => addGeminiSession(session, file.header, file.messages.values()),
    };
  },
});

/** The records of a file: its first line, and every message in its last form. */
class SessionFile {
  readonly messages = new Map<string, GeminiMessage | typeof HOLE>();
  header: GeminiHeader | undefined;
  #holes = 0;
  #latest: string | undefined;
  /** The last message before a hole. */
  #cut: string | undefined;

  /** Also where the conversation was taken back: what comes after does not continue what came before. */
  addHole(): void {
    this.#holes += 1;
    this.messages.set(`hole ${this.#holes}`, HOLE);
    this.#cut = this.#latest;
  }

  add(value: unknown): boolean {
    const { data: message } = GeminiMessage.safeParse(value);
    const { data: header } = GeminiHeader.safeParse(value);
    const { data: patch } = GeminiPatch.safeParse(value);
    if (message !== undefined) {
      // what goes on behind a hole may have begun its calls there
      if (message.id === this.#cut) this.messages.delete(message.id);
      this.messages.set(message.id, message);
      this.#latest = message.id;
      return true;
    }
    if (isFields(value) && '$rewindTo' in value) this.addHole();
    else if (header === undefined && patch === undefined) return false;
    this.header ??= header;
    // a message that is known stays in its later form, but for its place
    for (const one of readable(header?.messages ?? patch?.$set.messages, GeminiMessage)) this.messages.set(one.id, one);
    return true;
  }
}
