import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readSql } from './sql-statement.js';
import { pathShape, shownValue, sqlOf, toolArguments } from './tool-arguments.js';

describe('the arguments of a tool call', () => {
  it('are those of the report, else of the JSON in the action, else only names', () => {
    const reported = [{ key: 'limit', type: 'number', value: '5' }] as const;
    expect(toolArguments('search', '{"limit":9}', reported)).toEqual(reported);
    expect(toolArguments('search', '{"limit":9,"all":true,"tags":["a"]}')).toEqual([
      { key: 'limit', type: 'number', value: '9' },
      { key: 'all', type: 'boolean', value: 'true' },
      { key: 'tags', type: 'list', value: '["a"]' },
    ]);
    expect(toolArguments('deploy', 'region service')).toEqual([
      { key: 'region', type: 'text' },
      { key: 'service', type: 'text' },
    ]);
  });

  it('that hold content keep only its length, and what an importer removed is unknown', () => {
    expect(toolArguments('note', '{"body":"private words","url":"[url]"}')).toEqual([
      { key: 'body', type: 'text', length: 13 },
      { key: 'url', type: 'text' },
    ]);
  });

  it.each([
    ['limit', '100', '100'],
    ['encoding', 'utf-8', 'utf-8'],
    ['user_id', 'ada_lovelace_12', '[text]'],
    ['order_id', 'W1001', '[id]'],
    ['email', 'ada@example.com', '[text]'],
    ['to', 'ada@example.com', '[email]'],
    ['target', 'src/plans/secret.ts', '[file:.ts]'],
    ['date', '2024-05-20', '[0000-00-00]'],
    ['goal', 'please book me the flight of last year', '[text]'],
    ['goal', 'Zoë’s plan', '[text]'],
    ['url', 'https://shop.example.com/v1/orders/17?key=secret', '/v1/orders/[id]'],
  ])('%s %s is shown as %s', (key, value, shown) => {
    expect(shownValue({ key, type: 'text', value })).toBe(shown);
  });

  it('that are paths of a request have no host, query and ids', () => {
    expect(pathShape('http://10.0.0.1:8080/a/9f8e7d/b#x')).toBe('/a/[id]/b');
    expect(pathShape('https://example.com')).toBe('/');
  });
});

describe('a SQL statement', () => {
  it.each([
    [
      'SELECT a.name, b.total FROM shop.orders AS a JOIN bills b ON a.id = b.id',
      'select',
      ['bills', 'shop.orders'],
      ['id', 'name', 'total'],
    ],
    ["select count(*) from `order items` where city = 'Oslo' group by city", 'select', ['order items'], ['city']],
    ["INSERT INTO logs (level) VALUES ('x')", 'insert', ['logs'], ['level']],
    ['UPDATE people SET age = 3', 'update', ['people'], ['age']],
    ['SHOW TABLES', 'show tables', [], []],
    ['DESCRIBE people', 'desc', ['people'], []],
    ['SELECT * FROM information_schema.columns', 'show tables', ['information_schema.columns'], []],
    ['WITH t AS (SELECT x FROM y) SELECT x FROM t', 'select', ['t', 'y'], ['x']],
    ['SELECT 1 FROM a, b', 'select', ['a', 'b'], []],
  ])('%s', (text, verb, tables, columns) => {
    expect(readSql(text)).toMatchObject({ verb, tables, columns });
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
    expect(readSql(`select ${'a.'.repeat(5_000)}`)?.columns.length ?? 0).toBeLessThanOrEqual(40);
  });
});
