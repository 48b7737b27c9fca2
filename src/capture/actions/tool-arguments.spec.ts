import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readSql } from './sql-statement.js';
import { sqlOf, toolArguments } from './tool-arguments.js';

describe('the arguments of a tool call', () => {
  it('are those of the report, else of the JSON in the action, else only names', () => {
    const reported = [{ key: 'limit', type: 'number', value: '5' }] as const;
    expect(toolArguments('search', '{"limit":9}', reported)).toEqual([{ key: 'limit', value: '5' }]);
    expect(toolArguments('search', '{"limit":9,"all":true,"tags":["a"]}')).toEqual([
      { key: 'limit', value: '9' },
      { key: 'all', value: 'true' },
      { key: 'tags', value: '["a"]' },
    ]);
    expect(toolArguments('deploy', 'region service')).toEqual([{ key: 'region' }, { key: 'service' }]);
  });

  it('that hold content do not keep it, and what an importer removed is unknown', () => {
    expect(toolArguments('note', '{"body":"private words","url":"[url]"}')).toEqual([{ key: 'body' }, { key: 'url' }]);
  });
});

describe('a SQL statement', () => {
  it.each([
    ['SELECT a.name, b.total FROM shop.orders AS a JOIN bills b ON a.id = b.id', 'select', ['bills', 'shop.orders']],
    ["select count(*) from `order items` where city = 'Oslo' group by city", 'select', ['order items']],
    ["INSERT INTO logs (level) VALUES ('x')", 'insert', ['logs']],
    ['UPDATE people SET age = 3', 'update', ['people']],
    ['SHOW TABLES', 'show tables', []],
    ['DESCRIBE people', 'desc', ['people']],
    ['SELECT * FROM information_schema.columns', 'show tables', ['information_schema.columns']],
    ['WITH t AS (SELECT x FROM y) SELECT x FROM t', 'select', ['t', 'y']],
    ['SELECT 1 FROM a, b', 'select', ['a', 'b']],
  ])('%s', (text, verb, tables) => {
    expect(readSql(text)).toEqual({ verb, tables });
  });

  it('is no other text', () => {
    for (const text of ['please select a seat', 'selection of x', 'drop', '']) expect(readSql(text)).toBeUndefined();
  });

  it('is found in the argument that holds it', () => {
    const args = toolArguments('run', '{"database":"shop","query":"SELECT a FROM t"}');
    expect(sqlOf('run', args)).toMatchObject({ verb: 'select', tables: ['t'] });
    expect(sqlOf('search', toolArguments('search', '{"query":"blue shoes"}'))).toBeUndefined();
  });

  it('is read from any text without an error', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => readSql(`select ${text}`) !== null));
    expect(readSql(`select x from ${'a, '.repeat(500)}`)?.tables.length ?? 0).toBeLessThanOrEqual(10);
  });
});
