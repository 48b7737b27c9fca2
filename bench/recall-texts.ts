import { SeededRandom } from './seeded-random.js';

export interface BenchMemory {
  readonly id: string;
  readonly discovery: string;
  readonly condition: string;
  readonly action: string;
  readonly rationale: string;
}

const SYLLABLES = ['ba', 'do', 'fi', 'gu', 'ke', 'lo', 'mi', 'na', 'pe', 'ra', 'su', 'ti', 'vo', 'we', 'zy'];
const VOCABULARY = 20_000;

/** Generates short procedural memories with the word frequencies of a language (Zipf). */
export class BenchTexts {
  private readonly random: SeededRandom;
  private readonly words: readonly string[];

  constructor(seed: number) {
    this.random = new SeededRandom(seed);
    this.words = Array.from({ length: VOCABULARY }, (_, n) => wordOf(n));
  }

  memory(n: number): BenchMemory {
    return {
      id: `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`,
      discovery: this.text(10),
      condition: this.text(12),
      action: this.text(14),
      rationale: this.text(8),
    };
  }

  /** A query with words of a memory among others, as a task mentions an earlier lesson. */
  query(of: BenchMemory): string {
    const own = `${of.discovery} ${of.action}`.split(' ');
    const some = Array.from({ length: 4 }, () => own[Math.floor(this.random.uniform() * own.length)] ?? '');
    return [...some, this.text(3)].join(' ');
  }

  private text(words: number): string {
    return Array.from({ length: words }, () => this.words[this.rank()] ?? '').join(' ');
  }

  private rank(): number {
    return Math.min(VOCABULARY - 1, Math.floor(VOCABULARY ** this.random.uniform()) - 1);
  }
}

function wordOf(n: number): string {
  let word = '';
  for (let rest = n + SYLLABLES.length; rest > 0; rest = Math.floor(rest / SYLLABLES.length))
    word += SYLLABLES[rest % SYLLABLES.length];
  return word;
}

export function percentile(times: readonly number[], share: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
