import { obstaclesOf } from '../../capture/observations/obstacles.js';
import { commandsOf, isGenericTitle } from '../../capture/observations/session-topic.js';
import type { ExecutionReport } from '../../capture/report/execution-report.schema.js';
import { callText, type ShownCall } from '../../evidence/calls/shown-call.schema.js';
import { compareText } from '../../platform/base/compare-text.js';
import { termsOf } from '../../recall/ranking/terms.js';
import { wordsOf } from '../../recall/ranking/words.js';
import { clip } from '../../untrusted/text/clip.js';
import { generalise } from '../../untrusted/text/generalise.js';
import { endedAs, NOTHING_NOTED } from './empty-summary.js';
import { storedLine } from './entry.js';
import {
  SESSION_LIMITS,
  type SessionEntry,
  type SessionOutcome,
  type SummaryText,
  TAG,
} from './session-memory.schema.js';

const MIN_TAGS = 3;
const MAX_TAGS = 5;
/** How many of a kind a summary names, and how long each may be, in UTF-16 code units. */
const MOST_NAMED = 4;
const LONGEST_NAMED = 120;
const MAX_FILE_KINDS = 4;

/**
 * The summary of a session by rules: what was asked, the kinds of files, the failures that were overcome, what was
 * decided and remembered, and the open threads. One paragraph, and three to five tags. Pure and redacted.
 */
export function summaryByRules(entries: readonly SessionEntry[], { asked, report }: SessionOutcome): SummaryText {
  const kinds = report === undefined ? [] : fileKinds(report);
  const overcome = report === undefined ? [] : failuresOvercome(report);
  const title = report === undefined || isGenericTitle(report.taskTitle) ? '' : generalise(report.taskTitle);
  const request = storedLine(generalise(asked ?? '')) || storedLine(title);
  const commands = request === '' && report !== undefined ? commandsOf(report) : [];
  const parts = [
    request === '' ? '' : `Asked: ${sentence(clip(request, SESSION_LIMITS.asked))}`,
    report === undefined || report.status === 'completed' ? '' : endedAs(report.status),
    commands.length === 0 ? '' : `Ran: ${commands.join(', ')}.`,
    kinds.length === 0 ? '' : `Files: ${kinds.join(', ')}.`,
    overcome.length === 0 ? '' : `Overcame: ${overcome.join('; ')}.`,
    named('Decided', entries, ['decision']),
    named('Remembered', entries, ['fact', 'preference']),
    named('Open', entries, ['open-thread']),
  ];
  const text = parts.filter((part) => part !== '').join(' ');
  const tags = summaryTags(entries, [...kinds, ...commands], [...tellingWords(text), ...originTags(report)]);
  return { text: clip(text || NOTHING_NOTED, SESSION_LIMITS.summary), tags };
}

/** Whether a text and tags of a model can be a summary. Returns it redacted, on one line; undefined if it cannot. */
export function summaryByModel(written: SummaryText): SummaryText | undefined {
  const text = clip(storedLine(written.text), SESSION_LIMITS.summary);
  const tags = [...new Set(written.tags.map((tag) => tag.trim().toLowerCase()))].filter(isTag).slice(0, MAX_TAGS);
  return text === '' || tags.length === 0 ? undefined : { text, tags };
}

function named(label: string, entries: readonly SessionEntry[], kinds: readonly string[]): string {
  const texts = entries
    .filter(({ kind }) => kinds.includes(kind))
    .map(({ content }) => clip(content.replace(/\s+/g, ' '), LONGEST_NAMED).replace(/[.;]+$/, ''));
  if (texts.length === 0) return '';
  const more = texts.length - MOST_NAMED;
  return `${label}: ${texts.slice(0, MOST_NAMED).join('; ')}${more > 0 ? `; and ${more} more` : ''}.`;
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** The most frequent extensions of the files in the calls: `.ts (12)`. */
function fileKinds({ toolCalls }: ExecutionReport): string[] {
  const counts = new Map<string, number>();
  for (const { arguments: args = [] } of toolCalls)
    for (const { fileKind } of args)
      if (fileKind !== undefined && /^\.[A-Za-z0-9]{1,10}$/.test(fileKind))
        counts.set(fileKind, (counts.get(fileKind) ?? 0) + 1);
  return byCount(counts)
    .slice(0, MAX_FILE_KINDS)
    .map(([kind, count]) => `${kind} (${count})`);
}

/** A failed call and the one that worked, as a private lesson may show them. */
function failuresOvercome(report: ExecutionReport): string[] {
  return obstaclesOf(report.toolCalls)
    .flatMap(({ outcome, failed, worked }) =>
      outcome === 'overcome' && failed !== undefined && worked !== undefined
        ? [`"${shownText(failed)}" → "${shownText(worked)}"`]
        : [],
    )
    .slice(0, MOST_NAMED);
}

/** A report on the agent's machine is not redacted yet. */
const shownText = (call: ShownCall): string => clip(storedLine(callText(call)), LONGEST_NAMED);

/** The tags of the entries, most frequent first, then kinds of files and programs; other words only up to three tags. */
function summaryTags(entries: readonly SessionEntry[], work: readonly string[], words: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const { tags } of entries) for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  const fromWork = work.flatMap((one) => /^\.?([\w.+-]+)/.exec(one)?.[1]?.toLowerCase() ?? []);
  const chosen = [...new Set([...byCount(counts).map(([tag]) => tag), ...fromWork])].filter(isTag).slice(0, MAX_TAGS);
  for (const word of [...words, 'session', 'notes', 'memory']) {
    if (chosen.length >= MIN_TAGS) break;
    if (!chosen.includes(word)) chosen.push(word);
  }
  return chosen;
}

const LABELS: ReadonlySet<string> = new Set([
  'asked',
  'files',
  'ran',
  'overcame',
  'decided',
  'remembered',
  'open',
  'redacted',
  'session',
  'ended',
]);

/** The product of a session whose title names no task, and how it ended: `claude-code`, `failed`. */
function originTags(report: ExecutionReport | undefined): string[] {
  if (report === undefined) return [];
  const product = isGenericTitle(report.taskTitle) ? report.taskTitle.split(' ').slice(0, -1).join('-') : '';
  return [product.toLowerCase(), report.status].filter(isTag);
}

function tellingWords(text: string): string[] {
  const counts = new Map<string, number>();
  for (const word of wordsOf(text))
    if (word.length >= 4 && !LABELS.has(word) && isTag(word) && termsOf(word).length > 0)
      counts.set(word, (counts.get(word) ?? 0) + 1);
  return byCount(counts).map(([word]) => word);
}

/** Sorted by count, then by name. */
const byCount = (counts: ReadonlyMap<string, number>): [string, number][] =>
  [...counts].sort(([a, x], [b, y]) => y - x || compareText(a, b));

const isTag = (tag: string): boolean => TAG.test(tag) && tag.length <= SESSION_LIMITS.tag;
