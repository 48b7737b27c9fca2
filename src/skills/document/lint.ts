import { filesOf, SKILL_FILE } from './bundle.js';
import { visibleLine } from './frontmatter.js';
import { escapeAngles, splitAtCode } from './markdown-code.js';
import { FILE_REFERENCE, WRITTEN_ENTITIES } from './neutralise.js';
import { SKILL_BUDGET } from './skill-budget.js';
import { readFrontmatter, validateSkill } from './validate.js';

export interface LintIssue {
  /** SKILL.md, or the path of the reference file. */
  path: string;
  rule: LintRule;
  /** Counts from 1. */
  line: number;
  message: string;
}

export type LintRule =
  | 'frontmatter.format'
  | 'frontmatter.field'
  | 'exec.inline'
  | 'exec.fence'
  | 'exec.file'
  | 'exec.substitution'
  | 'markup.angle'
  | 'markup.link'
  | 'markup.entity'
  | 'hidden.character'
  | 'hidden.form'
  | 'size.lines'
  | 'size.tokens';

// Keys that a published skill may have. `allowed-tools` and `hooks` are missing: readers grant rights by them.
const PUBLISHED_KEYS = new Set(['name', 'description', 'license', 'compatibility', 'metadata']);

const LINK_MESSAGE = 'a link hides its address behind its label';

// One pattern per form that a reader executes or that hides text. All are fixed or bounded, so linear in the line.
const FORBIDDEN_FORMS: readonly (readonly [LintRule, RegExp, string])[] = [
  ['exec.inline', /!`/, 'an exclamation mark before a backtick runs a command when the skill is loaded'],
  ['exec.fence', /(?:`{3}|~{3})[ \t]{0,8}!/, 'a fence marked with an exclamation mark is run when the skill is loaded'],
  [
    'exec.file',
    new RegExp(String.raw`${FILE_REFERENCE}["'~./\\\p{L}\p{N}_-]`, 'u'),
    'an at sign before a path attaches that file',
  ],
  ['exec.substitution', /\$\{?(?:ARGUMENTS|CLAUDE_)/i, 'is substituted when the skill is loaded'],
  ['markup.link', /\]\(/, LINK_MESSAGE],
];

const ENTITY = /&#?[0-9A-Za-z]{1,40};/g;
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/u;
const ALLOWED_ENTITIES: ReadonlySet<string> = new Set(WRITTEN_ENTITIES);

/**
 * Lists why a skill must not be published, by file and line; empty for everything that `renderSkill` returns within the
 * budget. It reads bytes, not records: it checks the renderer, and files that come back from an external edit.
 */
export function lintSkill(artifact: string): LintIssue[] {
  return [...filesOf(artifact)].flatMap(([path, text]) => {
    const lines = linesOf(text).flatMap(({ text: line, inFence }, index) => lineIssues(line, index + 1, inFence));
    const issues = path === SKILL_FILE ? [...skillIssues(text), ...lines] : lines;
    const unique = new Map(issues.map((it) => [`${it.line} ${it.rule} ${it.message}`, { path, ...it }]));
    return [...unique.values()].sort((a, b) => a.line - b.line);
  });
}

type IssueInFile = Omit<LintIssue, 'path'>;

function skillIssues(bytes: string): IssueInFile[] {
  const reading = readFrontmatter(bytes);
  return [
    ...reading.problems.map(({ line, message }): IssueInFile => ({ rule: 'frontmatter.format', line, message })),
    ...fieldIssues(bytes, reading),
    // A quoted value may contain escapes, so its decoded text is checked too.
    ...reading.entries.flatMap(({ value, line }) => lineIssues(value, line, false, false)),
    ...sizeIssues(bytes, bytes.split('\n').length),
  ];
}

function fieldIssues(bytes: string, { entries, problems }: ReturnType<typeof readFrontmatter>): IssueInFile[] {
  if (problems.length > 0) return [];
  const lineOf = new Map(entries.filter(({ group }) => group === 'top').map(({ key, line }) => [key, line]));
  const name = entries.find(({ group, key }) => group === 'top' && key === 'name')?.value ?? '';
  const unpublished = [...lineOf].filter(([key]) => !PUBLISHED_KEYS.has(key));
  return [
    ...unpublished.map(
      ([key, line]): IssueInFile => ({
        rule: 'frontmatter.field',
        line,
        message: `${key} is not a field of a published skill`,
      }),
    ),
    ...validateSkill(name, bytes)
      .filter((message) => !message.startsWith('unexpected field'))
      .map((message): IssueInFile => {
        return { rule: 'frontmatter.field', line: lineOf.get(message.split(' ', 1)[0] ?? '') ?? 1, message };
      }),
  ];
}

interface FileLine {
  readonly text: string;
  readonly inFence: boolean;
}

const OPENING = /^( {0,8}(?:(?:\d{1,9}[.)]|[-*+]) )?)(`{3,})[A-Za-z0-9+#.-]{0,20}$/;

/**
 * The lines of a file, with those inside of fences as the renderer writes them: all lines indented like the fence, and
 * closed by a fence of the same length. Any other code is read as prose, which may hold less.
 */
function linesOf(text: string): FileLine[] {
  const lines = text.split('\n');
  const found: FileLine[] = [];
  while (found.length < lines.length) {
    const at = found.length;
    const line = lines[at] ?? '';
    const [, before = '', fence = ''] = OPENING.exec(line) ?? [];
    const close = fence === '' ? -1 : closingLine(lines, at + 1, ' '.repeat(before.length), fence);
    found.push({ text: line, inFence: false });
    if (close > 0) found.push(...lines.slice(at + 1, close).map((code) => ({ text: code, inFence: true })));
  }
  return found;
}

function closingLine(lines: readonly string[], from: number, indent: string, fence: string): number {
  for (let at = from; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (line === indent + fence) return at;
    if (line !== '' && (!line.startsWith(indent) || line.trimStart().startsWith(fence))) return -1;
  }
  return -1;
}

const ANGLE_MESSAGE = 'angle brackets can hide comments or close the frame around the skill';
const LINK_DEFINITION = /^ {0,3}(?:(?:[-*+]|\d{1,9}[.)]) {1,4})?\[[^\]]{0,999}\]:/;

/** In code, placeholders and redirections keep their angle brackets. */
function hasForbiddenAngle(text: string, inFence: boolean): boolean {
  if (!/[<>]/.test(text)) return false;
  if (inFence) return escapeAngles(text) !== text;
  return splitAtCode(text).some((part) =>
    part.isCode ? escapeAngles(part.text) !== part.text : /[<>]/.test(part.text),
  );
}

/** `mayHoldCode`: false for a value of the frontmatter, in which backticks mean nothing. */
function lineIssues(text: string, line: number, inFence = false, mayHoldCode = true): IssueInFile[] {
  const issues = FORBIDDEN_FORMS.filter(([, pattern]) => pattern.test(text)).map(
    ([rule, , message]): IssueInFile => ({ rule, line, message }),
  );
  if (mayHoldCode ? hasForbiddenAngle(text, inFence) : /[<>]/.test(text))
    issues.push({ rule: 'markup.angle', line, message: ANGLE_MESSAGE });
  if (!inFence && LINK_DEFINITION.test(text)) issues.push({ rule: 'markup.link', line, message: LINK_MESSAGE });
  if ((text.match(ENTITY) ?? []).some((entity) => !ALLOWED_ENTITIES.has(entity))) {
    issues.push({ rule: 'markup.entity', line, message: 'a character reference can stand for a hidden character' });
  }
  if (INVISIBLE.test(inFence ? text.replaceAll('\t', ' ') : text)) {
    issues.push({ rule: 'hidden.character', line, message: 'contains an invisible character' });
  } else if (visibleLine(text) !== text.replace(/\s+/g, ' ').trim()) {
    issues.push({ rule: 'hidden.form', line, message: 'is not in Unicode normal form C' });
  }
  return issues;
}

function sizeIssues(bytes: string, lines: number): IssueInFile[] {
  const issues: IssueInFile[] = [];
  const tokens = Math.ceil(bytes.length / 4);
  if (lines >= SKILL_BUDGET.lines) {
    issues.push({ rule: 'size.lines', line: lines, message: `has ${lines} lines, ${SKILL_BUDGET.lines} or more` });
  }
  if (tokens >= SKILL_BUDGET.tokens) {
    issues.push({
      rule: 'size.tokens',
      line: lines,
      message: `about ${tokens} tokens, ${SKILL_BUDGET.tokens} or more`,
    });
  }
  return issues;
}
