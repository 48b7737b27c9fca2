import { SEEN_ONLY } from '../../evidence/predicate/binding.js';
import { filesOf, SKILL_FILE } from './bundle.js';
import { visibleCode, visibleLine } from './frontmatter.js';
import { APPROVED_BY, MARKED_AS_GATE, REFERENCE_LINES, SEEN_WITH } from './render.js';
import { joinBlocks } from './text-blocks.js';

/** A parsed SKILL.md. Texts are as in the file, with the entities that the renderer wrote. */
export interface ParsedSkill {
  readonly title: string;
  readonly description: string;
  readonly condition: string;
  /** The sentence on where it was seen; empty if there is none. */
  readonly binding: string;
  /** What the environment line lists; empty if there is none. */
  readonly environment: string;
  /** Empty if the file has no such section; so are the rationale and the example. */
  readonly cause: string;
  readonly rationale: string;
  readonly action: string;
  readonly steps: readonly string[];
  readonly gotchas: readonly string[];
  /** The lines of the example's code block. */
  readonly example: readonly string[];
  /** Lines that the renderer writes itself: the other keys, the closing line, the provenance. */
  readonly fixed: readonly { readonly line: number; readonly text: string }[];
}

/** Explains how a part of the file was handled that has no field in the record. */
export interface ParseNote {
  readonly line: number;
  readonly message: string;
  /** False if the record cannot hold it; then it is only in the edited file. */
  readonly carried: boolean;
}

export interface ParseProblem {
  readonly line: number;
  readonly message: string;
}

type Parsing =
  | { readonly skill: ParsedSkill; readonly notes: readonly ParseNote[] }
  | { readonly problems: readonly ParseProblem[] };

/** The closing lines of this template and of earlier ones. */
const CLOSING_LINES: readonly string[] = [
  'If the same failure comes back, do not repeat the steps: go on, and report that this skill did not help.',
  'If the failure is still there after the last step, stop and report that this skill did not help.',
];

type Section = 'condition' | 'cause' | 'rationale' | 'steps' | 'example' | 'gotchas';
const SECTIONS = new Map<string, Section>([
  ['when to use', 'condition'],
  ['cause', 'cause'],
  ['why', 'rationale'],
  ['steps', 'steps'],
  ['example', 'example'],
  ['gotchas', 'gotchas'],
]);

/**
 * Parses a SKILL.md that the renderer wrote and that a person may have edited. Accepts what people type: CRLF, unquoted
 * values, paragraphs of several lines, other list marks. The result becomes a proposal like any other. For the bytes of
 * `renderSkill` there are no notes.
 */
export function parseSkill(bytes: string): Parsing {
  const files = filesOf(bytes.replaceAll('\r\n', '\n'));
  const lines = (files.get(SKILL_FILE) ?? '').replace(/^\ufeff/, '').split('\n');
  const close = lines[0]?.trimEnd() === '---' ? lines.findIndex((line, at) => at > 0 && line.trimEnd() === '---') : -1;
  if (close < 0) return { problems: [{ line: 1, message: 'the frontmatter between two lines `---` is missing' }] };
  const head = readHead(lines.slice(1, close));
  const body = readBody(inlineReferences(fileBlocks(lines, close + 1), files));
  // A single step that says all of it stands alone.
  if (body.texts.action === '' && body.steps.length === 1) body.texts.action = body.steps[0] ?? '';
  const { title, condition, action } = body.texts;
  const empty = [
    ...(head.description === '' ? ['description'] : []),
    ...(title === '' ? ['title'] : []),
    ...(condition === '' ? ['section "When to use"'] : []),
    ...(action === '' ? ['sentence before the numbered steps'] : []),
    ...(body.steps.length === 0 ? ['list of steps'] : []),
  ];
  const problems = [
    ...head.problems,
    ...empty.map((part) => ({ line: 1, message: `the ${part} is missing or empty` })),
  ];
  if (problems.length > 0) return { problems };
  const { texts, steps, gotchas, example, notes } = body;
  const fixed = [...head.fixed, ...body.fixed];
  return { skill: { ...texts, description: head.description, steps, gotchas, example, fixed }, notes };
}

const HEAD_LINE = /^( {0,8})([A-Za-z0-9][A-Za-z0-9_./-]{0,127}):(?:[ \t](.*))?$/;

function readHead(lines: readonly string[]) {
  const head = {
    description: '',
    fixed: [] as ParsedSkill['fixed'][number][],
    problems: [] as ParseProblem[],
  };
  for (const [index, text] of lines.entries()) {
    const line = index + 2;
    const [, , key, raw = ''] = HEAD_LINE.exec(text.trimEnd()) ?? [];
    const value = key === 'description' ? scalarOf(raw) : raw;
    if (value === undefined) head.problems.push({ line, message: `${key} must be text on one line` });
    else if (key === 'description') head.description = value;
    else if (text.trim() !== '') head.fixed.push({ line, text: text.trim() });
  }
  return head;
}

/** Decodes a value if all readers of skills agree on it; undefined for other YAML. */
function scalarOf(raw: string): string | undefined {
  const text = raw.trim();
  if (text.startsWith('"')) {
    try {
      const value: unknown = JSON.parse(text);
      return typeof value === 'string' ? visibleLine(value) : undefined;
    } catch {
      return undefined;
    }
  }
  if (text.startsWith("'"))
    return text.length > 1 && text.endsWith("'") ? text.slice(1, -1).replaceAll("''", "'") : undefined;
  return /^[|>&*!%@[\]{}#`,]/.test(text) ? undefined : visibleLine(text);
}

interface Body {
  readonly texts: Record<'title' | 'condition' | 'binding' | 'environment' | 'cause' | 'rationale' | 'action', string>;
  readonly steps: string[];
  readonly gotchas: string[];
  readonly example: string[];
  readonly fixed: { line: number; text: string }[];
  readonly notes: ParseNote[];
}

function readBody(blocks: readonly FileBlock[]): Body {
  const body: Body = {
    texts: { title: '', condition: '', binding: '', environment: '', cause: '', rationale: '', action: '' },
    steps: [],
    gotchas: [],
    example: [],
    fixed: [],
    notes: [],
  };
  let section: Section | 'top' | 'unknown' = 'top';
  for (const block of blocks) {
    if (block.kind !== 'heading') {
      placeBlock(body, section, block);
      continue;
    }
    if (block.level === 1 && body.texts.title === '') {
      body.texts.title = block.text;
      continue;
    }
    section = SECTIONS.get(block.text.replace(/:$/, '').trim().toLowerCase()) ?? 'unknown';
    if (section === 'unknown')
      noteDropped(body, block.line, `a section "${block.text}" cannot be part of a skill's record`);
  }
  return body;
}

const FIXED_LINES = [APPROVED_BY, MARKED_AS_GATE];
const NO_CODE = "a block of code cannot be part of a skill's record here";

function placeBlock(body: Body, section: Section | 'top' | 'unknown', { kind, line, text }: FileBlock): void {
  if (section === 'unknown') return;
  if (kind === 'text' && FIXED_LINES.some((start) => text.startsWith(start))) body.fixed.push({ line, text });
  else if (section === 'example') placeExample(body, kind, line, text);
  else if (section === 'cause' || section === 'rationale') appendText(body, section, text);
  else if (section === 'steps') placeStep(body, kind, line, text);
  else if (kind === 'code' && section === 'gotchas' && body.gotchas.length > 0) appendToLast(body.gotchas, text);
  else if (kind !== 'item' && text.includes('```')) noteDropped(body, line, NO_CODE);
  else if (section === 'condition' && isBindingLine(body, text)) body.texts.binding = text;
  else if (section === 'condition' && text.startsWith(SEEN_WITH)) body.texts.environment = listOf(text);
  else if (section === 'condition') appendText(body, section, text);
  else if (section === 'gotchas' && kind === 'item') body.gotchas.push(text);
  else {
    body.gotchas.push(text);
    body.notes.push({ line, message: 'is outside the sections, and is proposed as a gotcha', carried: true });
  }
}

/** The sentence on the binding is a paragraph behind the condition, which may begin with the same words. */
const isBindingLine = ({ texts: { condition, binding } }: Body, text: string): boolean =>
  condition !== '' && binding === '' && text.startsWith(SEEN_ONLY);

const listOf = (text: string): string => text.slice(SEEN_WITH.length).replace(/\.$/, '');

function placeExample(body: Body, kind: FileBlock['kind'], line: number, text: string): void {
  if (kind === 'code' && body.example.length === 0) body.example.push(...text.split('\n').slice(1, -1));
  else noteDropped(body, line, 'is in the example outside of its one block of code');
}

function placeStep(body: Body, kind: FileBlock['kind'], line: number, text: string): void {
  if (kind === 'item') body.steps.push(text);
  else if (body.steps.length === 0) appendText(body, 'action', text);
  else if (kind === 'code') appendToLast(body.steps, text);
  else if (CLOSING_LINES.includes(text)) body.fixed.push({ line, text });
  else {
    body.steps.push(text);
    body.notes.push({
      line,
      message: 'is below the numbered steps, and is proposed as the next step',
      carried: true,
    });
  }
}

function appendToLast(list: string[], text: string): void {
  list[list.length - 1] = joined(list.at(-1) ?? '', text);
}

function appendText(body: Body, field: keyof Body['texts'], text: string): void {
  body.texts[field] = joined(body.texts[field], text);
}

/** Code stands on lines of its own. */
function joined(before: string, text: string): string {
  if (before === '') return text;
  return `${before}${before.endsWith('```') || text.startsWith('```') ? '\n' : ' '}${text}`;
}

function noteDropped(body: Body, line: number, message: string): void {
  body.notes.push({ line, message, carried: false });
}

/** A block of a file. The text of an item or a paragraph may hold code blocks, as in a record. */
interface FileBlock {
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
function inlineReferences(blocks: readonly FileBlock[], files: ReturnType<typeof filesOf>): FileBlock[] {
  const partOf = new Map(Object.entries(REFERENCE_LINES).map(([part, sentence]) => [sentence, part]));
  return blocks.flatMap((block) => {
    const text = block.kind === 'text' ? files.get(`references/${partOf.get(block.text) ?? ''}.md`) : undefined;
    if (text === undefined) return [block];
    const [first, ...rest] = fileBlocks(text.split('\n'), 0);
    const moved = first?.kind === 'heading' ? rest : [...(first ? [first] : []), ...rest];
    return moved.map((it) => ({ ...it, line: block.line }));
  });
}
