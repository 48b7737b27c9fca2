import { plainText } from '../../untrusted/text/plain-text.js';

/** The fields of a JSON object of another program. */
export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The text, if it says anything: one of blanks, visible or not, is no id, name, prompt or title. */
export const stated = (text: string | undefined): string | undefined =>
  text === undefined || plainText(text).trim() === '' ? undefined : text;

/** The value if it is an object; else one without fields. */
export const asFields = (value: unknown): Fields => (isFields(value) ? value : {});

/** The object under a key; without one, an object without fields. */
export const fieldsAt = (fields: unknown, key: string): Fields => asFields(asFields(fields)[key]);

/** The first text under one of the keys. */
export function textAt(fields: Fields, ...keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = fields[key];
    if (typeof value === 'string') return value;
  }
  return undefined;
}

/** The objects in the list under a key. */
export function listAt(fields: Fields, key: string): Fields[] {
  const value = fields[key];
  return Array.isArray(value) ? value.filter(isFields) : [];
}

/** The text of a tool's answer or of a message: a text, a list of parts, or an object with a text. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  const parts: unknown[] = Array.isArray(content) ? content : [content];
  return parts
    .flatMap((part) => {
      if (typeof part === 'string') return [part];
      return isFields(part) ? (textAt(part, 'text', 'content', 'output') ?? []) : [];
    })
    .join('\n');
}

/** The message of an error: a text, or an object that holds one. */
export function messageAt(fields: Fields, key: string): string | undefined {
  const problem = fields[key];
  if (typeof problem === 'string') return problem;
  return isFields(problem) ? textAt(problem, 'message', 'error') : undefined;
}
