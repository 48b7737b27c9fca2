import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The input of the rules for a failed call. */
export interface ErrorRow {
  readonly id: string;
  readonly tool: string;
  readonly action: string;
  readonly message: string;
}

type Json = Readonly<Record<string, unknown>>;

const isRow = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);
const text = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
const list = (value: unknown): Json[] =>
  Array.isArray(value) ? value.map((item) => (isRow(item) ? item : { text: item })) : [];

function rowsOf(folder: string, file: string): Json[] {
  const path = join(folder, file);
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .flatMap((line): Json[] => {
      try {
        const value: unknown = JSON.parse(line);
        return isRow(value) ? [value] : [];
      } catch {
        return [];
      }
    });
}

const calls = (folder: string, set: string, key: 'tool_calls' | 'steps', field: string): ErrorRow[] =>
  rowsOf(folder, `${set}/trajectories.jsonl`).flatMap((run) =>
    list(run[key]).map((call, number) => ({
      id: `${set}/${text(run['id'])}/${number}`,
      tool: text(call['tool']),
      action: text(call['args']),
      message: text(call[field]),
    })),
  );

/** Every error text of a data folder, by its id, which is its position. Skips data sets that do not exist. */
export function errorRows(folder: string): Map<string, ErrorRow> {
  const plain = (set: string, file: string, field: string): ErrorRow[] =>
    rowsOf(folder, `${set}/${file}`).map((row, number) => ({
      id: `${set}/${number}`,
      tool: '',
      action: '',
      message: text(row[field]),
    }));
  const shell = rowsOf(folder, 'terminal-bench/trials.jsonl').flatMap((trial) =>
    list(trial['shell_errors']).map((error, number) => ({
      id: `terminal-bench/${text(trial['id'])}/${number}`,
      tool: 'shell',
      action: '',
      message: text(error['text'] ?? error['error']),
    })),
  );
  const rows = [
    ...calls(folder, 'claude-code-swe', 'tool_calls', 'error'),
    ...calls(folder, 'tau', 'tool_calls', 'error'),
    ...calls(folder, 'mint', 'steps', 'obs'),
    ...calls(folder, 'intercode', 'steps', 'obs'),
    ...plain('bfcl', 'failures.jsonl', 'error'),
    ...plain('failure-attribution', 'labelled_failures_sample.jsonl', 'text'),
    ...shell,
  ];
  return new Map(rows.filter(({ message }) => message.trim() !== '').map((row) => [row.id, row]));
}
