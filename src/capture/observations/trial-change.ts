/** What a later call changed of the failed one: a flag, a variable, an operand, a set-up step, or an argument's key. */
export interface TrialChange {
  /** `--network`, `NODE_ENV`, `operand`, `subcommand`, `nvm`; for other tools the argument's key, or `table`, `column`. */
  slot: string;
  kind: 'added' | 'removed' | 'changed';
  /** The values before and after; a kind such as `[file:.py]` for paths, private values and content. Empty for a switch. */
  from?: string;
  to?: string;
}

/** The difference of two calls, and the fine grouping key of the later one, which names it. */
export interface ComparedCalls {
  readonly changes: readonly TrialChange[];
  readonly fine: string;
}

/** Bounds of what is kept of a difference. `fine`: characters of a grouping key. */
export const CHANGE_LIMITS = { changes: 5, value: 120, fine: 300 } as const;

export interface SlotValue {
  readonly slot: string;
  readonly value: string;
}

/**
 * Pairs the values that only the failed call has with those that only the later one has: by slot, otherwise in their
 * order. A value that only moved is no change.
 */
export function pairChanges(removed: readonly SlotValue[], added: readonly SlotValue[]): TrialChange[] {
  const left = [...added];
  const take = (isMatch: (one: SlotValue) => boolean): SlotValue | undefined => {
    const at = left.findIndex(isMatch);
    return at < 0 ? undefined : left.splice(at, 1)[0];
  };
  const unmoved = removed.filter(({ slot, value }) => !take((one) => one.slot === slot && one.value === value));
  const changes = unmoved.map(({ slot, value }): TrialChange => {
    const now = take((one) => one.slot === slot);
    return now ? changeOf(slot, value, now.value) : { slot: clip(slot), kind: 'removed', from: clip(value) };
  });
  return [...changes, ...left.map(({ slot, value }) => changeOf(slot, undefined, value))].slice(
    0,
    CHANGE_LIMITS.changes,
  );
}

function changeOf(slot: string, from: string | undefined, to: string): TrialChange {
  if (from === undefined) return { slot: clip(slot), kind: 'added', to: clip(to) };
  return { slot: clip(slot), kind: 'changed', from: clip(from), to: clip(to) };
}

function clip(text: string): string {
  return text.slice(0, CHANGE_LIMITS.value);
}
