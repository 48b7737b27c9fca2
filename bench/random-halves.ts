import { type LearningFigures, measureLearning } from './learned-coverage.js';
import { SeededRandom } from './seeded-random.js';
import type { SetExecution } from './sets/set-reader.js';

/**
 * Draws random halves of the sessions and of their kinds of work. Measures what is learned from one half on the other.
 */
export function randomHalves(
  sessions: readonly SetExecution[],
  times: number,
  seed: number,
): { name: string; learned: LearningFigures[] }[] {
  if (times < 1) return [];
  const random = new SeededRandom(seed);
  const kinds = [...new Set(sessions.map(({ workKind }) => workKind))].sort();
  const half = <T>(all: readonly T[]): Set<T> => new Set(shuffled(all, random).slice(0, Math.floor(all.length / 2)));
  const learn = (isSeen: (session: SetExecution) => boolean): LearningFigures =>
    measureLearning(
      sessions.filter(isSeen).map(({ execution }) => execution),
      sessions.filter((session) => !isSeen(session)).map(({ execution }) => execution),
    );
  const draw = (isSeen: () => (session: SetExecution) => boolean): LearningFigures[] =>
    Array.from({ length: times }, () => learn(isSeen()));
  const bySession = () => {
    const seen = half(sessions);
    return (session: SetExecution) => seen.has(session);
  };
  const byKind = () => {
    const seen = half(kinds);
    return ({ workKind }: SetExecution) => seen.has(workKind);
  };
  return [
    { name: 'random halves of the sessions', learned: draw(bySession) },
    { name: 'random halves of the kinds of work', learned: draw(byKind) },
  ];
}

/** Shuffles by the algorithm of Fisher and Yates. */
export function shuffled<T>(all: readonly T[], random: Pick<SeededRandom, 'uniform'>): T[] {
  const rest = [...all];
  const order: T[] = [];
  while (rest.length > 0) order.push(...rest.splice(Math.floor(random.uniform() * rest.length), 1));
  return order;
}
