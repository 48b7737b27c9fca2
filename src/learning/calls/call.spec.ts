import { describe, expect, it } from '@jest/globals';
import { callOf } from './call.js';
import { lineOfTokens } from './tokens.js';

const tokens = (action: string, given?: { key: string; type: string; value: string }[]) =>
  callOf({ tool: 'Bash', action, arguments: given, ok: true }, 0).tokens;

describe('a command line as tokens', () => {
  it('keeps the quotes that a word needs, and an empty word', () => {
    expect(tokens('find . -name "*.yml" -not -path \'*/node_modules/*\'')).toEqual([
      'find',
      '.',
      '-name',
      "'*.yml'",
      '-not',
      '-path',
      "'*/node_modules/*'",
    ]);
    expect(tokens('ls *.ts "src"')).toEqual(['ls', '*.ts', 'src']);
    expect(tokens("sed -i '' a.yml")).toEqual(['sed', '-i', "''", 'a.yml']);
  });

  it('has what is printed into a file', () => {
    expect(tokens('echo >> deploy/a.yml')).toEqual(['echo', '>>', 'deploy/a.yml']);
    expect(tokens('npm test > out.log')).toEqual(['npm', 'test']);
  });

  it('has the switches and names among the settings of its tool, and no texts and numbers', () => {
    const given = [
      { key: 'command', type: 'text', value: 'npm test' },
      { key: 'run_in_background', type: 'boolean', value: 'true' },
      { key: 'sandbox_permissions', type: 'text', value: 'require_escalated' },
      { key: 'timeout', type: 'number', value: '120000' },
      { key: 'description', type: 'text', value: 'Runs the tests' },
      { key: 'verbose', type: 'boolean', value: 'false' },
    ];
    const line = ['npm', 'test', '#', 'run_in_background=true', 'sandbox_permissions=require_escalated'];
    expect(tokens('npm test', given)).toEqual(line);
    expect(tokens(lineOfTokens(line))).toEqual(line);
  });

  it('is a line again: a sign alone is not glued to the next word', () => {
    expect(lineOfTokens(tokens('ss -ltnp sport = :3000'))).toBe('ss -ltnp sport = :3000');
    expect(lineOfTokens(tokens('git clone --depth=2 a'))).toBe('git clone --depth=2 a');
  });
});

describe('a statement as tokens', () => {
  it('stands before the other arguments of its tool, which may hold no second one', () => {
    const query = 'SELECT size, COUNT(*) FROM `old-shop.carts` WHERE made_at > 5';
    const read = (input: object, tool = 'mcp__store__run_query') =>
      callOf({ tool, action: JSON.stringify(input), ok: true }, 0);
    const asked = read({ query, database: 'shop', dry_run: true });
    expect(asked.program).toBe('mcp__store__run_query select');
    expect(lineOfTokens(asked.tokens)).toBe(
      'mcp__store__run_query select size count * from old shop carts where made_at [n] database=shop dry_run=true',
    );
    expect(read({ query, other_query: query }).program).toBe('mcp__store__run_query');
    expect(read({ query: 'red shoes in Rome', limit: 5 }).program).toBe('mcp__store__run_query');
    expect(read({ text: query, note: 'x' }, 'mcp__mail__send').program).toBe('mcp__mail__send');
  });
});

describe('the error of a statement', () => {
  it('has the names of a database apart, and no empty words where a sign stands alone', () => {
    const errorLine = "Table 'school.teachers' .. was not found";
    const statement = { tool: 'sql', action: '{"query":"SELECT name FROM teachers"}', ok: false, errorLine };
    expect(callOf(statement, 0).error).toEqual(['Table', 'school', 'teachers', 'was', 'not', 'found']);
  });
});
