import { CONSOLIDATION_TEXTS } from './consolidation-texts.js';
import { FRAME_TEXTS } from './frame-texts.js';
import { GATE_TEXTS } from './gate-texts.js';
import { MEMORY_TEXTS } from './memory-texts.js';
import { MERGE_TEXTS } from './merge-texts.js';
import { PAGE_TEXTS } from './page-texts.js';
import { RECALL_TEXTS } from './recall-texts.js';
import { REVIEW_TEXTS } from './review-texts.js';
import { SERVER_TEXTS } from './server-texts.js';
import { SETTINGS_TEXTS } from './settings-texts.js';

/**
 * Every text of the console. `{name}` is replaced by a value, and `{n|proposal|proposals}` is the singular for n = 1
 * and else the plural. Templates use `{{t 'key' n=count}}`; an unknown key is an error.
 */
export const TEXTS: Readonly<Record<string, string>> = {
  ...FRAME_TEXTS,
  ...REVIEW_TEXTS,
  ...GATE_TEXTS,
  ...PAGE_TEXTS,
  ...MEMORY_TEXTS,
  ...MERGE_TEXTS,
  ...CONSOLIDATION_TEXTS,
  ...RECALL_TEXTS,
  ...SETTINGS_TEXTS,
  ...SERVER_TEXTS,
};

const SLOT = /\{([a-z]{1,20})(?:\|([^|{}]{0,60})\|([^|{}]{0,60}))?\}/g;

/**
 * Returns a text with its slots filled in, as plain text: the caller escapes it for HTML. Throws for a missing key or
 * slot.
 */
export function say(key: string, values: Readonly<Record<string, unknown>> = {}): string {
  const text = TEXTS[key];
  if (text === undefined) throw new Error(`there is no text "${key}"`);
  return text.replace(SLOT, (_slot, name: string, one?: string, many?: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`the text "${key}" needs "${name}"`);
    if (one !== undefined && many !== undefined) return value === 1 ? one : many;
    return typeof value === 'number' ? grouped(value) : String(value);
  });
}

export const hasText = (key: string): boolean => Object.hasOwn(TEXTS, key);

/** 12,345. A thin space would be highlighted as a hidden character beside foreign text. */
const grouped = (value: number): string => String(value).replace(/\B(?=(?:\d{3}){1,5}$)/g, ',');
