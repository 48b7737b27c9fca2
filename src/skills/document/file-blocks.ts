import { filesOf } from './bundle.js';
import { visibleCode, visibleLine } from './frontmatter.js';
import { REFERENCE_LINES } from './render.js';
import { joinBlocks } from './text-blocks.js';

/** A block of a file. The text of an item or a paragraph may hold code blocks, as in a record. */
export interface FileBlock {
  readonly line: number;
  readonly kind: 'heading' | 'item' | 'text' | 'code';
  readonly level: number;
  readonly text: string;
}

/** A fence may begin an item; its lines are indented by the width of what stands before it. */
const FENCE = /^( {0,8}(?:(?:\d{1,9}[.)]|[-*+]) {1,4})?)(`{3,}|~{3,})[ \t]{0,8}([^`]{0,80})$/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/;
const ITEM = /^ {0,3}(?:\d{1,9}[.)]|[-*+])[ \t]+(.*)$/;
const MARK = /^ {0,8}(?:\d{1,9}[.)]|[-*+]) {1,4}$/;

type Part = { readonly prose: string } | { readonly language: string; readonly lines: readonly string[] };
type OpenBlock = Omit<FileBlock, 'text'> & { parts: Part[] };

/**
 * Splits lines into headings, list items, paragraphs and code. An indented line or code block continues the item above.
 */
export function fileBlocks(lines: readonly string[], from: number): FileBlock[] {
  const blocks: OpenBlock[] = [];
  let open: OpenBlock | undefined;
  for (let at = from; at < lines.length; at++) {
    const text = lines[at] ?? '';
    const line = at + 1;
    const last = blocks.at(-1);
    const fence = FENCE.exec(text);
    if (fence) {
      const { code, close } = codeFrom(lines, at, fence);
      const before = fence[1] ?? '';
      if (MARK.test(before)) blocks.push({ line, kind: 'item', level: 0, parts: [code] });
      else if (before.length > 1 && last?.kind === 'item') last.parts.push(code);
      else blocks.push({ line, kind: 'code', level: 0, parts: [code] });
      at = close;
      open = undefined;
      continue;
    }
    const heading = HEADING.exec(text);
    const item = ITEM.exec(text);
    if (text.trim() === '') open = undefined;
    else if (heading) {
      open = undefined;
      blocks.push({ line, kind: 'heading', level: heading[1]?.length ?? 1, parts: [{ prose: heading[2] ?? '' }] });
    } else if (!item && (open ?? (/^[ \t]{2,}/.test(text) && last?.kind === 'item'))) {
      open ??= last;
      open?.parts.push({ prose: text });
    } else {
      open = { line, kind: item ? 'item' : 'text', level: 0, parts: [{ prose: item?.[1] ?? text }] };
      blocks.push(open);
    }
  }
  return blocks
    .map(({ parts, ...block }) => ({ ...block, text: textOf(parts) }))
    .filter(({ kind, text }) => kind === 'heading' || kind === 'code' || text !== '');
}

/** The code block that begins at a line, and the line of its closing fence; an open one ends with the file. */
function codeFrom(lines: readonly string[], at: number, [, before = '', mark = '', info = '']: RegExpExecArray) {
  const closing = lines.findIndex((line, n) => n > at && isClosing(line, mark));
  const close = closing < 0 ? lines.length : closing;
  const indent = new RegExp(`^[ ]{0,${before.length}}`);
  const code = lines.slice(at + 1, close).map((line) => visibleCode(line.replace(indent, '')));
  return { code: { language: info.trim(), lines: code }, close };
}

function isClosing(line: string, mark: string): boolean {
  const text = line.trim();
  return text.startsWith(mark) && text === mark.charAt(0).repeat(text.length) && /^ {0,14}\S/.test(line);
}

/** The text of a record that these parts are: prose on one line, code in its fences. */
function textOf(parts: readonly Part[]): string {
  const blocks: Parameters<typeof joinBlocks>[0][number][] = [];
  let prose: string[] = [];
  const endProse = () => {
    const text = visibleLine(prose.join(' '));
    if (text !== '') blocks.push({ kind: 'prose', text });
    prose = [];
  };
  for (const part of parts) {
    if ('prose' in part) prose.push(part.prose);
    else {
      endProse();
      blocks.push({ kind: 'code', ...part });
    }
  }
  endProse();
  return joinBlocks(blocks);
}

/** Replaces each line that refers to a reference file with the blocks of that file. */
export function inlineReferences(blocks: readonly FileBlock[], files: ReturnType<typeof filesOf>): FileBlock[] {
  const partOf = new Map(Object.entries(REFERENCE_LINES).map(([part, sentence]) => [sentence, part]));
  return blocks.flatMap((block) => {
    const text = block.kind === 'text' ? files.get(`references/${partOf.get(block.text) ?? ''}.md`) : undefined;
    if (text === undefined) return [block];
    const [first, ...rest] = fileBlocks(text.split('\n'), 0);
    const moved = first?.kind === 'heading' ? rest : [...(first ? [first] : []), ...rest];
    return moved.map((it) => ({ ...it, line: block.line }));
  });
}
