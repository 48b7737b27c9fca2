import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SECRET_FORMS } from '../../../test/support/secret-forms.js';
import { ToolCall } from '../report/execution-report.schema.js';
import { callArguments } from './call-arguments.js';

const valuesOf = (tool: string, input: unknown) =>
  Object.fromEntries(callArguments(tool, input).map(({ key, value }) => [key, value]));

describe('the arguments of a tool call', () => {
  it('are reported with their names, types and values', () => {
    const input = {
      query: 'open orders',
      limit: 5,
      exact: true,
      tags: ['a', 'b'],
      filter: { state: 'open' },
      page: null,
    };
    expect(callArguments('search_orders', input)).toEqual([
      { key: 'query', type: 'text', value: 'open orders', length: 11 },
      { key: 'limit', type: 'number', value: '5' },
      { key: 'exact', type: 'boolean', value: 'true' },
      { key: 'tags', type: 'list', value: '["a","b"]', length: 2 },
      { key: 'filter', type: 'object', value: '{"state":"open"}', length: 1 },
      { key: 'page', type: 'null', value: 'null' },
    ]);
  });

  it('have a type that tells a number from its text', () => {
    expect(callArguments('t', { limit: 5 })[0]?.type).toBe('number');
    expect(callArguments('t', { limit: '5' })[0]?.type).toBe('text');
  });

  it('keep of content only its length and the kind of its file', () => {
    const input = { file_path: '/home/jo/shop/src/cart.ts', old_string: 'SECRET A', new_string: 'SECRET B' };
    expect(callArguments('Edit', input)).toEqual([
      { key: 'file_path', type: 'text', value: '[path]/cart.ts', length: 25 },
      { key: 'old_string', type: 'text', length: 8, fileKind: '.ts' },
      { key: 'new_string', type: 'text', length: 8, fileKind: '.ts' },
    ]);
    expect(callArguments('apply_patch', 'SECRET')).toEqual([{ key: 'input', type: 'text', length: 6 }]);
    expect(callArguments('Task', { prompt: 'SECRET', subagent_type: 'Explore' })).toMatchObject([
      { key: 'prompt', length: 6 },
      { key: 'subagent_type', value: 'Explore' },
    ]);
  });

  it.each([
    ['a long text', { where: 'x'.repeat(201) }],
    ['several lines', { where: 'one\ntwo' }],
    ['a sentence', { where: 'please find the orders of my friend' }],
    ['a person', { first_name: 'Mia', customer: 'Mia', email: 'mia', user_id: 'mia_li_3668' }],
    ['the id of a record', { order_id: 4711, reference: 'QXZ', ticket_number: 'HAT271', card_no: 47114711 }],
    ['a bare name', { name: 'Mia' }],
    ['a secret by its name', { api_key: 'abc', password: 'hunter2' }],
  ])('keep no value of %s', (_what, input) => {
    for (const value of Object.values(valuesOf('lookup', input))) expect(value).toBeUndefined();
  });

  it('keep a query that has only words', () => {
    const query = 'SELECT Age, Hometown FROM teacher';
    expect(valuesOf('sql', { query })).toEqual({ query });
  });

  it('keep values without their private parts', () => {
    expect(
      valuesOf('call', {
        url: 'https://shop.example.com/a?x=1',
        local: 'http://localhost:3000/a',
        folder: '/home/jo/shop',
        table: 'course_teach.teachers',
        sql: "SELECT * FROM teacher WHERE name = 'Jo Doe' AND mail <> jo@example.com",
        rows: [{ first_name: 'Mia', class: 'economy' }],
      }),
    ).toEqual({
      url: '[url]',
      local: 'http://localhost:3000/a',
      folder: '[path]/shop',
      table: 'course_teach.teachers',
      sql: "SELECT * FROM teacher WHERE name = '[text]' AND mail <> [email]",
      rows: '[{"first_name":"[text]","class":"economy"}]',
    });
  });

  it('keep names of things, numbers and statements', () => {
    expect(valuesOf('x', { name: 'pdf-tools', table_name: 'orders', page_number: 2, '-n': true })).toEqual({
      name: 'pdf-tools',
      table_name: 'orders',
      page_number: '2',
      '-n': 'true',
    });
    expect(valuesOf('sql', "SELECT name FROM cat WHERE type = 'x'")).toEqual({
      input: "SELECT name FROM cat WHERE type = '[text]'",
    });
  });

  it('leave the command of a shell to the action', () => {
    expect(callArguments('Bash', { command: 'ls', timeout: 5000, description: 'SECRET' })).toEqual([
      { key: 'command', type: 'text', length: 2 },
      { key: 'timeout', type: 'number', value: '5000' },
      { key: 'description', type: 'text', length: 6 },
    ]);
  });

  it('hold no secret', () => {
    const forms = SECRET_FORMS.filter(({ gone }) => gone.every(({ length }) => length >= 9));
    for (const { text, gone } of forms) {
      const kept = JSON.stringify(callArguments('run', { where: text, list: [text], deep: { of: text } }));
      for (const secret of gone) expect(kept).not.toContain(secret);
    }
  });

  it('are within the limits of a report, whatever the input is', () => {
    fc.assert(
      fc.property(fc.string(), fc.oneof(fc.jsonValue(), fc.dictionary(fc.string(), fc.jsonValue())), (tool, input) => {
        const call = { name: 'x', action: '', ok: true, arguments: callArguments(tool, input) };
        expect(ToolCall.safeParse(call).error?.issues).toBeUndefined();
      }),
      { numRuns: 1_000 },
    );
  });
});
