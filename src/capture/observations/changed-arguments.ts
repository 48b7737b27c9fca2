import type { ActionShape } from '../actions/action-shape.js';
import type { SqlStatement } from '../actions/sql-statement.js';
import { isHttpCall, isSqlArgument, shownValue, type ToolArgument } from '../actions/tool-arguments.js';
import { CHANGE_LIMITS, type ComparedCalls, pairChanges, type SlotValue, type TrialChange } from './trial-change.js';

/**
 * Compares the arguments of two calls of one tool. The key of the later call names the changed arguments, with their
 * values if they are short and not private: `search limit=10`, `book passengers:list`, `sql select table=orders`.
 */
export function compareArguments(failed: ActionShape, later: ActionShape): ComparedCalls {
  const isHttp = isHttpCall(later.tool, later.arguments);
  const before = new Map(failed.arguments.map((argument) => [argument.key, argument]));
  const after = new Map(later.arguments.map((argument) => [argument.key, argument]));
  const changes: TrialChange[] = [];
  if (failed.sql && later.sql) changes.push(...compareStatements(failed.sql, later.sql));
  for (const [key, now] of after) {
    if (changes.length >= CHANGE_LIMITS.changes) break;
    const old = before.get(key);
    if (!old) changes.push({ slot: key, kind: 'added', to: shownValue(now, isHttp) });
    else if (failed.sql && later.sql && isSqlArgument(now)) {
      if (changes.length === 0 && differs(old, now)) changes.push({ slot: key, kind: 'changed', to: '[text]' });
    } else if (differs(old, now)) changes.push(changeOfArgument(old, now, isHttp));
  }
  for (const [key, old] of before)
    if (!after.has(key) && changes.length < CHANGE_LIMITS.changes)
      changes.push({ slot: key, kind: 'removed', from: shownValue(old, isHttp) });
  const kept = changes.slice(0, CHANGE_LIMITS.changes);
  return { changes: kept, fine: [later.coarse, ...kept.map(keyPart)].join(' ').slice(0, CHANGE_LIMITS.fine) };
}

function changeOfArgument(old: ToolArgument, now: ToolArgument, isHttp: boolean): TrialChange {
  const [from, to] = [shownValue(old, isHttp), shownValue(now, isHttp)];
  // `"10"` and `10` differ in their type only
  const isOfType = old.type !== now.type;
  return {
    slot: now.key,
    kind: 'changed',
    from: isOfType ? `[${old.type}]` : from,
    to: isOfType ? `[${now.type}]` : to,
  };
}

/** False also if the report holds neither the values nor the lengths. */
export function differs(old: ToolArgument, now: ToolArgument): boolean {
  if (old.type !== now.type) return true;
  if (old.value !== undefined && now.value !== undefined) return old.value !== now.value;
  return old.length !== undefined && now.length !== undefined && old.length !== now.length;
}

const STATEMENT_SLOT = /^(?:table|column|clause)$/;

function keyPart({ slot, kind, from = '', to = '' }: TrialChange): string {
  if (kind === 'removed') return STATEMENT_SLOT.test(slot) ? `without ${slot}=${from}` : `without ${slot}`;
  const inner = /^\[(.{1,40})\]$/.exec(to)?.[1];
  return inner === undefined ? `${slot}=${to}` : `${slot}:${inner}`;
}

/** The tables, columns and clauses that differ. A statement with too many differences is another statement. */
function compareStatements(failed: SqlStatement, later: SqlStatement): TrialChange[] {
  const slots = (statement: SqlStatement, other: SqlStatement): SlotValue[] => [
    ...valuesOf('table', statement.tables, other.tables),
    ...valuesOf('column', statement.columns, other.columns),
    ...valuesOf('clause', statement.clauses, other.clauses),
  ];
  const changes = pairChanges(slots(failed, later), slots(later, failed));
  return changes.length < CHANGE_LIMITS.changes ? changes : changes.filter(({ slot }) => slot === 'table');
}

const valuesOf = (slot: string, values: readonly string[], others: readonly string[]): SlotValue[] =>
  values.filter((value) => !others.includes(value)).map((value) => ({ slot, value }));
