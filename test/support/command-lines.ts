import ts from 'typescript';
import { blocksOf } from '../install/page.js';

/** A `guildbook` command that a text shows to a reader. */
export interface CommandLine {
  /** File and line. */
  readonly at: string;
  readonly text: string;
  /** True in running text, which may name a command without its arguments. */
  readonly isMention: boolean;
}

/** Stands for a value that the text leaves to the reader, such as `<id>`. */
export const PLACEHOLDER = '<value>';

/** The ways to start the program: installed, in a checkout, from the tarball. */
const START =
  /^(?:\$ )?(?:sudo (?:-\w+ \S+ )*)?(?:exec )?(?:[A-Z_]+=(?:"[^"]*"|\S*) )*(?:npx (?:--\S+ )*(?:\.\/)?|npm run (?:--silent )?)?(?:[\w.~$/-]*\/)?(guildbook|demo)(?:-[\d.]+\.tgz)?(?: --)?(?= |$)(.*)$/;

/** Returns the commands in the blocks and in the inline code of a Markdown text. */
export function commandsInMarkdown(file: string, markdown: string): readonly CommandLine[] {
  const blocks = blocksOf(markdown);
  const lines = markdown.split('\n');
  const found: CommandLine[] = [];
  for (const { line, text } of blocks) {
    const body = text.replace(/\\\n\s*/g, ' ').split('\n');
    found.push(...body.flatMap((row) => commandsInShell(`${file}:${line}`, row)));
    for (let index = line; index < line + text.split('\n').length; index += 1) lines[index] = '';
  }
  for (const [index, row] of lines.entries())
    for (const [, code = ''] of row.matchAll(/`([^`]+)`/g))
      found.push(...commandsInShell(`${file}:${index + 1}`, code, true));
  return found;
}

/** Returns the commands of one line of shell: behind `&&`, in `$(…)`, before a pipe. */
export function commandsInShell(at: string, row: string, isMention = false): readonly CommandLine[] {
  const kept: string[] = [];
  // Quotes and placeholders are put aside, so that nothing in them ends a command.
  const plain = row.replace(/'[^']*'|"(?:[^"\\]|\\.)*"|<[A-Za-z][^<>]*>/g, (found) => {
    if (found.includes('$(')) return found;
    kept.push(found.startsWith('<') ? PLACEHOLDER : found);
    return `¤${kept.length - 1}¤`;
  });
  return plain.split(/\|\|?|&&|;|\$\(|(?<!\S)#|&$|\)/).flatMap((part) => {
    const [, program, rest = ''] = START.exec(part.trim()) ?? [];
    if (program === undefined || (program === 'demo' && !part.includes('npm run'))) return [];
    const command = `${program === 'demo' ? 'demo' : ''}${rest}`.trim();
    const text = command.replace(/¤(\d+)¤/g, (_all, index) => kept[Number(index)] ?? '');
    return [{ at, text, isMention }];
  });
}

/** Returns the commands in the literals of a source file: those behind a colon, a quote, a backtick or at a line's start. */
export function commandsInSource(file: string, source: string): readonly CommandLine[] {
  const parsed = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const found: CommandLine[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateExpression(node)) {
      const line = parsed.getLineAndCharacterOfPosition(node.getStart()).line + 1;
      found.push(...commandsInText(`${file}:${line}`, textOf(node)));
    }
    ts.forEachChild(node, visit);
  };
  visit(parsed);
  return found;
}

/** Returns the commands in a text for people, each as far as its sentence goes. */
export function commandsInText(at: string, text: string): readonly CommandLine[] {
  const commands = text.matchAll(
    /(?:^|[`(>]|: +|\bwith |\bby |\brun )((?:npm run (?:--silent )?)?(?:guildbook|demo)(?: --)? [-a-z<][^\n`]*)/gm,
  );
  return [...commands].flatMap(([, command = '']) => {
    const end = /(?:\.(?: |$)|\)|, | \(|<\/)/.exec(
      command.replace(/<value>|"[^"]*"/g, (value) => '_'.repeat(value.length)),
    );
    return commandsInShell(at, command.slice(0, end?.index ?? command.length));
  });
}

/** The text of a literal; what is computed becomes a placeholder. */
function textOf(node: ts.StringLiteral | ts.NoSubstitutionTemplateLiteral | ts.TemplateExpression): string {
  if (!ts.isTemplateExpression(node)) return node.text;
  return node.head.text + node.templateSpans.map(({ literal }) => PLACEHOLDER + literal.text).join('');
}
