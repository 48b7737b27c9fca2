import type { Arm, Check } from './check.schema.js';

/**
 * The pair that a person sees: tries that follow the lesson, and tries that do not. Of the comparison that decides; of an
 * observed lesson of all executions, those that it was learned from included, since no comparison decides it.
 */
export function pairOf({ verdict, by, comparisons, seen }: Check): { readonly with: Arm; readonly without: Arm } {
  const { with: followed, without } =
    (verdict === 'observed' ? undefined : comparisons.find(({ kind }) => kind === by)) ?? seen;
  return { with: followed, without };
}
