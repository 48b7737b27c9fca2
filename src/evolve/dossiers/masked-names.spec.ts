import { describe, expect, it } from '@jest/globals';
import type { CallArgument, ToolCall } from '../../capture/report/execution-report.schema.js';
import { nameMaskOf } from './masked-names.js';

const call = (...args: [string, string, CallArgument['type']?][]): ToolCall => ({
  name: 'book',
  action: '',
  ok: true,
  arguments: args.map(([key, value, type = 'text']) => ({ key, type, value })),
});

describe('the names of an execution', () => {
  it('are the values of name-like keys, and are masked in every text of it', () => {
    const mask = nameMaskOf([call(['customer_name', 'Zelda Quorn']), call(['note', 'irrelevant'])]);
    expect(mask('Zelda wants a seat; call Ms. Quorn')).toBe('<name> wants a seat; call Ms. <name>');
    expect(mask('zelda.quorn@shop')).not.toMatch(/zelda|quorn/i);
    expect(mask('the seat is irrelevant')).toBe('the seat is irrelevant');
  });

  it('stand in lists and objects, and in the flags and variables of a command', () => {
    const passengers = JSON.stringify([{ first_name: 'Oriel', last_name: 'Vance', dob: '1990-04-01' }]);
    expect(nameMaskOf([call(['passengers', passengers, 'list'])])('Oriel Vance, 1990-04-01')).toBe('<name>, <id>');
    const shell: ToolCall = { name: 'Bash', action: 'git commit --author="Oriel Vance" -m x', ok: true };
    expect(nameMaskOf([shell])('ask Vance')).toBe('ask <name>');
    expect(nameMaskOf([{ name: 'f', action: '{"user":"oriel"}', ok: true }])('oriel')).toBe('<name>');
  });

  it('are also ids, by the key that holds them', () => {
    const mask = nameMaskOf([call(['order_id', 'W-4411-x'])]);
    expect(mask('Order W-4411-x, not W-4412-x.')).toBe('Order <id>, not W-4412-x.');
  });

  it('are not what programs call their things', () => {
    const mask = nameMaskOf(
      [call(['file_name', 'report.pdf'], ['name', 'pdf-tools'], ['user', 'root'], ['name', 'python'])],
      new Set(['python']),
    );
    expect(mask('root ran pdf-tools with python on report.pdf')).toBe('root ran pdf-tools with python on report.pdf');
    const find: ToolCall = { name: 'Bash', action: 'find . -name "*.rst"', ok: true };
    expect(nameMaskOf([find])('index.rst')).toBe('index.rst');
  });

  it('are found in linear time', () => {
    const long = 'a'.repeat(200);
    const calls = Array.from({ length: 5_000 }, (_, n) => call(['name', `${long} N${n}`]));
    const mask = nameMaskOf(calls);
    const started = process.hrtime.bigint();
    for (let n = 0; n < 500; n += 1) mask('x.-@ '.repeat(200));
    expect(Number(process.hrtime.bigint() - started) / 1e6).toBeLessThan(2_000);
  });
});
