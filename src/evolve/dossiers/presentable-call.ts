import type { ShownCall } from '../../evidence/calls/shown-call.schema.js';
import { FifoCache } from '../../platform/background/fifo-cache.js';
import { isShellTool } from '../../untrusted/shell/shell-tool.js';
import { clip } from '../../untrusted/text/clip.js';
import { generalise } from '../../untrusted/text/generalise.js';
import { placed } from '../../untrusted/text/placeholder.js';
import { suspicions } from '../../untrusted/text/suspicions.js';

/** Commands consist of program names, so `curl` and `sudo` are normal there; sentences to the reader are not. */
const ADDRESSES_READER =
  /\b(?:ignore|disregard|forget|override|previous|instructions?|prompt|assistant|reviewers?|approved?|you|your|must)\b/i;
/** A short flag such as `--ignore-case` is no sentence. */
const SHORT_FLAG = /(?:^|(?<=\s))--?[a-z]{1,14}(?:-[a-z]{1,12})?(?==|\s|$)/gi;
/** Hints that only ask the reviewer to look: dangers have a rule of their own. */
const REVIEWED = new Set(['destructive-command', 'skipped-check', 'protection-off', 'foreign-source', 'link']);
/** What a reader sees in place of a placeholder, where that has another name. */
const MARKERS = { path: 'folder', email: 'address' };
const PLACEHOLDERS: Readonly<Record<string, string>> = { folder: 'path', address: 'email' };
const LONGEST_ERROR = 300;
const REMEMBERED = { texts: 8_000, length: 400 } as const;
/** A name with a long number, such as that of a customer or an order. */
const ID = /\b[a-z]{2,20}(?:_[a-z]{1,20}){0,4}_\d{4,20}\b/gi;

/** Returns a call as people and agents may read it; undefined if it is hostile, unreadable or breaks a code span. */
export function presentableCall(given: ShownCall | undefined): ShownCall | undefined {
  const call = given && withoutQuotedNames(given);
  if (call === undefined || !/^[\x20-\x7e]{1,600}$/.test(call.call) || call.call.includes('`')) return undefined;
  if (!/^[\w.:/ -]{1,80}$/.test(call.tool) || addressesReader(call.tool) || addressesReader(call.call))
    return undefined;
  const text = generalCall(call.call);
  return text.length > 600 ? undefined : { tool: call.tool, call: text };
}

/** A database may want its names in backticks; to the reader they say the same without. */
const withoutQuotedNames = ({ tool, call }: ShownCall): ShownCall => ({
  tool,
  call: isShellTool(tool) ? call : call.replace(/`([\w.-]{1,200})`/g, '$1'),
});

/** Returns the decisive line of an error as it may be shown; empty if it is hostile. */
export const presentableError = remembered(readableError);

function readableError(line: string): string {
  const plain = general(line)
    .replace(ID, '<id>')
    .normalize('NFKC')
    .replace(/[^\x20-\x7e]{1,300}/g, ' ')
    .replaceAll('`', "'")
    .replace(/ {2,300}/g, ' ')
    .trim();
  // A single word such as "must" says nothing to the reader without the others; a whole phrase does.
  const shown = withoutAddress(plain);
  return isSuspicious(plain) || addressesReader(shown) ? '' : clip(shown, LONGEST_ERROR);
}

const EACH_ADDRESS = new RegExp(ADDRESSES_READER, 'gi');
const withoutAddress = (text: string): string => text.replace(EACH_ADDRESS, '...');

const addressesReader = remembered(isSentence);

function isSentence(text: string): boolean {
  const words = text.replace(SHORT_FLAG, ' ').replace(/[_.:=+,/[\]-]/g, ' ');
  return ADDRESSES_READER.test(words) || isSuspicious(text);
}

const isSuspicious = (text: string): boolean => suspicions(text).some(({ kind }) => !REVIEWED.has(kind));

const generalCall = remembered(general);

/** What the reader of a skill may not see becomes a placeholder. One that is there already stays as it is. */
function general(text: string): string {
  const marked = text.replace(
    /<(folder|url|host|address|user|value)>/g,
    (_, name: string) => `[${PLACEHOLDERS[name] ?? name}]`,
  );
  return placed(generalise(marked), MARKERS);
}

/** A cycle shows the same texts for many candidates, and each takes dozens of searches. Longer ones are not kept. */
function remembered<T>(compute: (text: string) => T): (text: string) => T {
  const known = new FifoCache<T>(REMEMBERED.texts);
  return (text) => (text.length > REMEMBERED.length ? compute(text) : known.getOrCreate(text, () => compute(text)));
}
