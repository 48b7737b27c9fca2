import type { ToolCall } from '../src/capture/report/execution-report.schema.js';
import { SeededRandom } from './seeded-random.js';

/** A kind of work of the generated fleet: how one of its steps fails, and what overcomes that. */
interface Category {
  readonly failing: string;
  readonly error: string;
  readonly remedy: readonly string[];
  /** The success rates of the remedy and of repeating. */
  readonly remedyWorks: number;
  readonly repeatWorks: number;
  /** The failure rate of the step. */
  readonly fails: number;
}

export interface Transcript {
  readonly category: number;
  readonly calls: readonly ToolCall[];
}

const FILLERS = ['ls src', 'git status', 'cat README.md', 'git diff', 'grep -rn main src', 'ls tests', 'git log -3'];

/**
 * Returns what the agents of a generated fleet do. Category `n` has a weight of 1 / n (Zipf). One category in five has
 * no remedy, one in seven passes when it is repeated, and the remedies of the others differ in their success rates.
 */
export function transcripts(count: number, categories: number, seed: number): Transcript[] {
  const random = new SeededRandom(seed);
  const kinds = Array.from({ length: categories }, (_, n) => categoryOf(n, random));
  const weights = kinds.map((_, n) => 1 / (n + 1));
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  return Array.from({ length: count }, () => {
    let left = random.uniform() * whole;
    let category = 0;
    while (category < categories - 1 && left > (weights[category] ?? 0)) {
      left -= weights[category] ?? 0;
      category += 1;
    }
    const kind = kinds[category];
    return { category, calls: kind ? callsOf(kind, random) : [] };
  });
}

/** More than a fleet has; separates the words of one category. */
const MOST_CATEGORIES = 10_000;
const SYLLABLES = ['ba', 'de', 'fi', 'go', 'ku', 'la', 'me', 'ni', 'po', 'ru', 'sa', 'te', 'vi', 'wo', 'zu', 'ka'];

/** A word of letters only, a different one for each number below 65,536. */
function wordOf(n: number): string {
  return [0, 4, 8, 12].map((bits) => SYLLABLES[(n >> bits) & 15]).join('');
}

function categoryOf(n: number, random: SeededRandom): Category {
  const fails = 0.2 + 0.6 * random.uniform();
  const usual = { remedyWorks: 0.6 + 0.4 * random.uniform(), repeatWorks: 0.3 * random.uniform(), fails };
  if (n % 10 === 0)
    return {
      ...usual,
      failing: 'python job.py',
      error: `ImportError: No module named ${wordOf(n)}`,
      remedy: ['python3 job.py'],
    };
  const program = wordOf(n);
  const failing = `${program} build site.cfg`;
  // Most words differ between categories, as they do between real programs. Otherwise all would be one family.
  const [thing, state, place] = [1, 2, 3].map((part) => wordOf(n + part * MOST_CATEGORIES));
  const error = `${program}: error: the ${thing} ${state} ${place} is stale`;
  if (n % 5 === 1) return { ...usual, failing, error, remedy: [], remedyWorks: 0 };
  const remedy = n % 3 === 0 ? [`${program} install cache`, failing] : [`${program} build --fresh site.cfg`];
  return { ...usual, failing, error, remedy, ...(n % 7 === 2 ? { repeatWorks: 0.8 } : {}) };
}

function callsOf(kind: Category, random: SeededRandom): ToolCall[] {
  const calls: ToolCall[] = [];
  const does = (action: string): void => void calls.push({ name: 'Bash', action, ok: true });
  const fill = (most: number): void => {
    const wanted = Math.floor(random.uniform() * (most + 1));
    for (let n = 0; n < wanted; n += 1) does(FILLERS[Math.floor(random.uniform() * FILLERS.length)] ?? 'ls');
  };
  const tries = (action: string, works: number): boolean => {
    const ok = random.uniform() < works;
    if (ok) does(action);
    else calls.push({ name: 'Bash', action, ok, errorMessage: kind.error });
    return ok;
  };
  fill(4);
  if (tries(kind.failing, 1 - kind.fails)) {
    fill(4);
    return calls;
  }
  if (random.uniform() < 0.4 && tries(kind.failing, kind.repeatWorks)) return calls;
  fill(1);
  const last = kind.remedy.at(-1);
  if (last !== undefined && random.uniform() < 0.7) {
    for (const step of kind.remedy.slice(0, -1)) does(step);
    tries(last, kind.remedyWorks);
  }
  fill(3);
  return calls;
}
