import { visibleLine } from './frontmatter.js';
import { FILE_REFERENCE, neutralise, neutraliseCode, revertNeutralised, revertNeutralisedCode } from './neutralise.js';

/** A part of a text: prose, which becomes one line, or a fenced block of code, which keeps its lines. */
export type TextBlock =
  | { readonly kind: 'prose'; readonly text: string }
  | { readonly kind: 'code'; readonly language: string; readonly lines: readonly string[] };

const OPENING = /^ {0,3}(`{3,}|~{3,})[ \t]{0,8}([^`]{0,80})$/;
const CLOSING = /^ {0,3}(`{3,}|~{3,})[ \t]{0,8}$/;
const LANGUAGE = /^[A-Za-z0-9+#.-]{0,20}$/;

/** Splits a text into prose and fenced blocks. A fence that is never closed is prose. */
export function textBlocks(text: string): TextBlock[] {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  const blocks: TextBlock[] = [];
  let prose: string[] = [];
  const endProse = () => {
    const line = prose.join(' ').trim();
    if (line !== '') blocks.push({ kind: 'prose', text: line });
    prose = [];
  };
  let mayOpen = true;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const mark = mayOpen ? OPENING.exec(line) : null;
    const close = mark ? closingLine(lines, at + 1, mark[1] ?? '') : -1;
    if (mark && close < 0) mayOpen = false;
    if (!mark || close < 0) {
      prose.push(line);
      continue;
    }
    endProse();
    blocks.push({ kind: 'code', language: (mark[2] ?? '').trim(), lines: lines.slice(at + 1, close) });
    at = close;
  }
  endProse();
  return blocks;
}

function closingLine(lines: readonly string[], from: number, open: string): number {
  return lines.findIndex((line, at) => at >= from && CLOSING.exec(line)?.[1]?.startsWith(open));
}

/** Writes blocks as the text of a record. `textBlocks` reads the same blocks back. */
export const joinBlocks = (blocks: readonly TextBlock[]): string =>
  blocks
    .flatMap((block) => (block.kind === 'prose' ? [block.text] : fenced(block.language, block.lines)))
    .join('\n')
    .trim();

/** The lines of a fenced block. Its fence is longer than any run of backticks in it, so that no line closes it. */
export function fenced(language: string, lines: readonly string[]): string[] {
  let longest = 2;
  for (const line of lines) for (const [run] of line.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest + 1);
  return [`${fence}${LANGUAGE.test(language) ? language : ''}`, ...lines, fence];
}

/**
 * Renders a text as Markdown that is visible and inert: prose as one line each, code in its fences. `indent` stands
 * before every line but the first, so that code stays in its list item.
 */
export function renderText(text: string, indent = ''): string {
  const lines = textBlocks(text).flatMap((block) => {
    if (block.kind === 'prose') return [neutralise(block.text)].filter((line) => line !== '');
    return fenced(block.language, block.lines.map(neutraliseCode));
  });
  return lines.map((line, at) => (at === 0 || line === '' ? line : `${indent}${line}`)).join('\n');
}

/** Reverts `renderText` for a text of a file, part by part. */
export function revertText(text: string): string {
  return joinBlocks(
    textBlocks(text).map((block) =>
      block.kind === 'prose'
        ? { kind: 'prose', text: revertProse(block.text) }
        : { ...block, lines: block.lines.map(revertNeutralisedCode) },
    ),
  );
}

/** An escaped fence stays escaped, so that it opens none in the record. */
function revertProse(text: string): string {
  const plain = revertNeutralised(text);
  return OPENING.test(plain) ? text : plain;
}

/** Why a file cannot hold a text as it was written; undefined if it can. `mayHoldCode`: the field takes fenced blocks. */
export function lossOf(text: string, mayHoldCode: boolean): string | undefined {
  const blocks = textBlocks(text);
  const isOpen = blocks.some((block) => block.kind === 'prose' && /(?:^|\s)(?:`{3,}|~{3,})/.test(block.text));
  if (isOpen) return 'has a fence of a code block that is not on a line of its own, or is never closed';
  for (const block of blocks) {
    if (block.kind === 'prose') continue;
    if (!mayHoldCode) return 'cannot hold a code block';
    if (!LANGUAGE.test(block.language)) return 'has a code block whose first line names more than a language';
    if (block.lines.every((line) => line.trim() === '')) return 'has an empty code block';
    for (const [at, line] of block.lines.entries()) {
      const reason = lossOfCode(line);
      if (reason !== undefined) return `has a code block that cannot be kept: line ${at + 1} ${reason}`;
    }
  }
  return undefined;
}

function lossOfCode(line: string): string | undefined {
  const kept = neutraliseCode(line);
  if (kept === line.trimEnd()) return undefined;
  if (/!`/.test(line) || /(?:`{3}|~{3})[ \t]{0,8}!/.test(line)) return 'holds a form that runs a command on loading';
  if (new RegExp(`${FILE_REFERENCE}(?! )`).test(line))
    return 'holds an at sign before a word, which attaches a file on loading';
  if (/\$\{?(?:ARGUMENTS|CLAUDE_)/i.test(line)) return 'holds a variable that is substituted on loading';
  if (/\]\(/.test(line)) return 'holds the form of a link';
  if (/[<>]/.test(line) && visibleLine(line) === line.replace(/\s+/g, ' ').trim())
    return 'holds angle brackets that are neither a placeholder nor a redirection';
  return 'holds a hidden character or a character reference';
}
