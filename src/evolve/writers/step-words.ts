import { wordsOfPattern } from '../../evidence/predicate/pattern-text.js';
import type { Matchers, Predicate } from '../../evidence/predicate/predicate.schema.js';
import { isShellTool } from '../../untrusted/shell/shell-tool.js';
import type { Candidate } from '../evidence/candidate.js';
import { asList } from '../evidence/matched-calls.js';
import type { ShownLesson } from './self-checks.js';

/** Words of any sentence, and of patterns for prose. */
const OF_SENTENCES: ReadonlySet<string> = new Set(
  'an as at be by do if in is it no of on or so to up we the and you this that for with not but its are was has have from into one all any call calls failed task'.split(
    ' ',
  ),
);
const SHORTEST_WORD = 2;

/**
 * Returns whether some step says what the predicate counts: by a name, a word of its patterns, a tool, or a word of the
 * calls that show it. Steps about something else would be proposed with the figures of another lesson.
 */
export function sayWhatIsCounted(
  steps: readonly string[],
  { follow, attempt, start, execution, against }: Predicate,
  { taught, avoided, action }: Pick<Candidate, 'taught' | 'avoided' | 'action'>,
  shown: Pick<ShownLesson, 'steps' | 'after'> | null,
): boolean {
  const parts = [follow, attempt, against, start?.form, start?.prior, execution?.first, execution?.did];
  const calls = shown ? [...shown.steps, shown.after] : [];
  const seen = calls.flatMap(({ text, goal, actions }) => [text, goal, ...actions]);
  const counted = [...taught, ...avoided, action, ...parts.flatMap((one) => namesIn(one)), ...seen].flatMap(wordsOf);
  const said = new Set(steps.flatMap(wordsOf));
  return counted.some((word) => word.length >= SHORTEST_WORD && !OF_SENTENCES.has(word) && said.has(word));
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[a-z][a-z0-9]{0,60}/g) ?? [];

/** What the tests of some matchers name. */
function namesIn(matchers: Matchers | undefined): string[] {
  return (matchers === undefined ? [] : asList(matchers)).flatMap((one) => {
    const { args, notArgs, adds, drops, error, errorValueInArgs, errorValueNotInArgs, sumAmountsEqualsError } = one;
    const patterns = [args, notArgs, adds, drops, error, errorValueInArgs, errorValueNotInArgs, sumAmountsEqualsError];
    const tools = [one.tool, one.notTool]
      .flatMap((tool) => tool?.split('|') ?? [])
      .filter((tool) => !isShellTool(tool));
    const actions = [one.action, one.notAction].filter((name) => name !== undefined);
    return [
      ...patterns.flatMap((pattern) => (pattern === undefined ? [] : wordsOfPattern(pattern))),
      ...tools,
      ...actions,
    ];
  });
}
