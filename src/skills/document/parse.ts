import { filesOf, SKILL_FILE } from './bundle.js';
import { visibleLine } from './frontmatter.js';
import { REFERENCE_LINES } from './render.js';

/** A parsed SKILL.md. Texts are as in the file, with the entities that the renderer wrote. */
export interface ParsedSkill {
  readonly title: string;
  readonly description: string;
  readonly condition: string;
  readonly rationale: string;
  readonly action: string;
  readonly steps: readonly string[];
  readonly gotchas: readonly string[];
  readonly tags: string;
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

export type Parsing =
  | { readonly skill: ParsedSkill; readonly notes: readonly ParseNote[] }
  | { readonly problems: readonly ParseProblem[] };

// Lines of the template.
const CLOSING_LINE = 'If the failure is still there after the last step, stop and report that this skill did not help.';
export const NO_GOTCHAS = 'None recorded yet.';

type Section = 'condition' | 'rationale' | 'steps' | 'gotchas' | 'provenance';
const SECTIONS = new Map<string, Section>([
  ['when to use', 'condition'],
  ['why', 'rationale'],
  ['steps', 'steps'],
  ['gotchas', 'gotchas'],
  ['provenance', 'provenance'],
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
  const body = readBody(inlined(blocksOf(lines, close + 1), files));
  const { title, condition, rationale, action } = body.texts;
  const empty = [
    ...(head.description === '' ? ['description'] : []),
    ...(title === '' ? ['title'] : []),
    ...(condition === '' ? ['section "When to use"'] : []),
    ...(rationale === '' ? ['section "Why"'] : []),
    ...(action === '' ? ['sentence before the numbered steps'] : []),
    ...(body.steps.length === 0 ? ['list of steps'] : []),
  ];
  const problems = [
    ...head.problems,
    ...empty.map((part) => ({ line: 1, message: `the ${part} is missing or empty` })),
  ];
  if (problems.length > 0) return { problems };
  const { steps, gotchas } = body;
  const fixed = [...head.fixed, ...body.fixed];
  const { description, tags } = head;
  const skill = { title, description, condition, rationale, action, steps, gotchas, tags, fixed };
  return { skill, notes: body.notes };
}

const HEAD_LINE = /^( {0,8})([A-Za-z0-9][A-Za-z0-9_./-]{0,127}):(?:[ \t](.*))?$/;

function readHead(lines: readonly string[]) {
  const head = {
    description: '',
    tags: '',
    fixed: [] as ParsedSkill['fixed'][number][],
    problems: [] as ParseProblem[],
  };
  for (const [index, text] of lines.entries()) {
    const line = index + 2;
    const [, , key, raw = ''] = HEAD_LINE.exec(text.trimEnd()) ?? [];
    const isText = key === 'description' || key === 'guildbook/tags';
    const value = isText ? scalarOf(raw) : raw;
    if (value === undefined) head.problems.push({ line, message: `${key} must be text on one line` });
    else if (key === 'description') head.description = value;
    else if (key === 'guildbook/tags') head.tags = value;
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

interface Block {
  readonly line: number;
  readonly kind: 'heading' | 'item' | 'text' | 'code';
  readonly level: number;
  readonly text: string;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/;
const ITEM = /^ {0,3}(?:\d{1,9}[.)]|[-*+])[ \t]+(.*)$/;

/** Splits lines into headings, list items, paragraphs and code. An indented line continues the item above. */
function blocksOf(lines: readonly string[], from: number): Block[] {
  const blocks: (Omit<Block, 'text'> & { parts: string[] })[] = [];
  let open: (typeof blocks)[number] | undefined;
  let fence: string | undefined;
  for (let at = from; at < lines.length; at++) {
    const text = lines[at] ?? '';
    const line = at + 1;
    const mark = FENCE.exec(text)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence)) fence = undefined;
      continue;
    }
    const heading = HEADING.exec(text);
    const item = ITEM.exec(text);
    const last = blocks.at(-1);
    if (mark !== undefined) {
      fence = mark;
      open = undefined;
      blocks.push({ line, kind: 'code', level: 0, parts: [] });
    } else if (text.trim() === '') open = undefined;
    else if (heading) {
      open = undefined;
      blocks.push({ line, kind: 'heading', level: heading[1]?.length ?? 1, parts: [heading[2] ?? ''] });
    } else if (!item && (open ?? (/^[ \t]{2,}/.test(text) && last?.kind === 'item'))) {
      open ??= last;
      open?.parts.push(text);
    } else {
      open = { line, kind: item ? 'item' : 'text', level: 0, parts: [item?.[1] ?? text] };
      blocks.push(open);
    }
  }
  return blocks
    .map(({ parts, ...block }) => ({ ...block, text: visibleLine(parts.join(' ')) }))
    .filter(({ kind, text }) => kind === 'heading' || kind === 'code' || text !== '');
}

/** Replaces each line that refers to a reference file with the blocks of that file. */
function inlined(blocks: readonly Block[], files: ReadonlyMap<string, string>): Block[] {
  const partOf = new Map(Object.entries(REFERENCE_LINES).map(([part, sentence]) => [sentence, part]));
  return blocks.flatMap((block) => {
    const text = block.kind === 'text' ? files.get(`references/${partOf.get(block.text) ?? ''}.md`) : undefined;
    if (text === undefined) return [block];
    const [first, ...rest] = blocksOf(text.split('\n'), 0);
    const moved = first?.kind === 'heading' ? rest : [...(first ? [first] : []), ...rest];
    return moved.map((it) => ({ ...it, line: block.line }));
  });
}

interface Body {
  readonly texts: Record<'title' | 'condition' | 'rationale' | 'action', string>;
  readonly steps: string[];
  readonly gotchas: string[];
  readonly fixed: { line: number; text: string }[];
  readonly notes: ParseNote[];
}

function readBody(blocks: readonly Block[]): Body {
  const body: Body = {
    texts: { title: '', condition: '', rationale: '', action: '' },
    ...{ steps: [], gotchas: [], fixed: [], notes: [] },
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

function placeBlock(body: Body, section: Section | 'top' | 'unknown', { kind, line, text }: Block): void {
  if (section === 'unknown') return;
  if (kind === 'code') noteDropped(body, line, "a block of code cannot be part of a skill's record");
  else if (section === 'condition' || section === 'rationale') appendText(body, section, text);
  else if (section === 'steps') placeStep(body, kind, line, text);
  else if (section === 'gotchas' && kind === 'item') body.gotchas.push(text);
  else if (section === 'provenance' && kind === 'item') body.fixed.push({ line, text });
  else {
    body.gotchas.push(text);
    body.notes.push({ line, message: 'is outside the sections, and is proposed as a gotcha', carried: true });
  }
}

function placeStep(body: Body, kind: Block['kind'], line: number, text: string): void {
  if (kind === 'item') body.steps.push(text);
  else if (body.steps.length === 0) appendText(body, 'action', text);
  else if (text === CLOSING_LINE) body.fixed.push({ line, text });
  else {
    body.steps.push(text);
    body.notes.push({
      line,
      message: 'is below the numbered steps, and is proposed as the next step',
      carried: true,
    });
  }
}

function appendText(body: Body, field: keyof Body['texts'], text: string): void {
  body.texts[field] = body.texts[field] === '' ? text : `${body.texts[field]} ${text}`;
}

function noteDropped(body: Body, line: number, message: string): void {
  body.notes.push({ line, message, carried: false });
}
