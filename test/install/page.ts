/** What a block needs besides bash, Node.js, git and the installed program. */
export const NEEDS = ['docker', 'systemd', 'root', 'postgresql', 'internet', 'claude'] as const;
export type Need = (typeof NEEDS)[number];

export interface Block {
  /** The line of the opening fence, from 1. */
  readonly line: number;
  readonly language: string;
  /** The words after the language. */
  readonly info: readonly string[];
  readonly text: string;
}

/** A block of commands that the test runs. */
export interface Step {
  readonly line: number;
  readonly text: string;
  /** True if it starts a program that keeps running. */
  readonly background: boolean;
  readonly needs: readonly Need[];
}

const FENCE = /^( *)(`{3,}|~{3,})(.*)$/;

/** Returns the fenced blocks of a Markdown text, in order. A fence that is never closed ends with the text. */
export function blocksOf(markdown: string): readonly Block[] {
  const blocks: Block[] = [];
  let open: { line: number; fence: string; info: string[]; lines: string[] } | undefined;
  for (const [index, line] of markdown.split('\n').entries()) {
    const [, , fence, info] = FENCE.exec(line) ?? [];
    if (open === undefined) {
      if (fence === undefined || info === undefined) continue;
      open = { line: index + 1, fence, info: info.trim().split(/\s+/), lines: [] };
    } else if (fence?.startsWith(open.fence) === true && info?.trim() === '') {
      blocks.push(blockOf(open));
      open = undefined;
    } else open.lines.push(line);
  }
  return open === undefined ? blocks : [...blocks, blockOf(open)];
}

function blockOf(open: { line: number; info: readonly string[]; lines: readonly string[] }): Block {
  const [language = '', ...info] = open.info;
  return { line: open.line, language, info, text: `${open.lines.join('\n')}\n` };
}

/** Languages of blocks that a page only shows. */
const SHOWN = new Set(['text', 'json', 'js', 'ts', 'sql', 'yaml', 'ini', 'nginx', 'caddyfile', 'mermaid', 'markdown']);
/** How a line that a reader would type starts. */
const COMMAND = /^\s*(\$ |(sudo |[A-Z_]+=\S* )*(guildbook|npm|npx|node|git|curl|docker|systemctl|psql) [a-z./-])/m;
/** A word in angle brackets is a placeholder; so is an ellipsis, alone or as the end of a token. */
const PLACEHOLDER = /<[A-Za-z][A-Za-z0-9 _-]*>|…|\bgb[a-z]_\.\.\.|(?<![^\s"'=:/@])\.\.\.(?![^\s"'@/])/;

/** Returns one sentence for each block that a reader cannot run as it stands, or that would escape the test. */
export function problemsOf(markdown: string): readonly string[] {
  return blocksOf(markdown).flatMap((block) => {
    const problem = problemOf(block);
    return problem === undefined ? [] : [`line ${block.line}: ${problem}`];
  });
}

function problemOf({ language, info, text }: Block): string | undefined {
  if (language !== 'sh') {
    if (!SHOWN.has(language)) return `a block is "${language}": commands are "sh", output is "text"`;
    const command = COMMAND.exec(text);
    return command ? `"${command[0].trim()}" is a command in a block of "${language}": mark it as "sh"` : undefined;
  }
  const unknown = info.find((word) => word !== 'background' && !isNeeds(word));
  if (unknown !== undefined)
    return `"${unknown}" is unknown after "sh": use "background" or "needs=" with ${NEEDS.join(', ')}`;
  const placeholder = PLACEHOLDER.exec(text);
  return placeholder ? `"${placeholder[0]}" is a placeholder: take the value from a variable or a file` : undefined;
}

const needsIn = (word: string): readonly string[] => word.slice('needs='.length).split(',');
const isNeed = (word: string): word is Need => NEEDS.some((need) => need === word);
const isNeeds = (word: string): boolean => word.startsWith('needs=') && needsIn(word).every(isNeed);

/** Returns the blocks that are run, in order. The page has no problems. */
export function stepsOf(markdown: string): readonly Step[] {
  return blocksOf(markdown)
    .filter(({ language }) => language === 'sh')
    .map(({ line, info, text }) => ({
      line,
      text,
      background: info.includes('background'),
      needs: info.filter(isNeeds).flatMap(needsIn).filter(isNeed),
    }));
}
