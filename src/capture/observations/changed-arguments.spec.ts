import { describe, expect, it } from '@jest/globals';
import type { CallArgument, ToolCall } from '../report/execution-report.schema.js';
import { observe, type Trial } from './observation.js';

type Input = Readonly<Record<string, unknown>>;
const json = (input: Input): string => JSON.stringify(input);
const ok = (name: string, input: Input = {}): ToolCall => ({ name, action: json(input), ok: true });
const bad = (name: string, input: Input = {}, errorMessage = 'Error: it is broken'): ToolCall => ({
  name,
  action: json(input),
  ok: false,
  errorMessage,
});
const sql = (action: string, errorMessage?: string): ToolCall =>
  errorMessage === undefined ? { name: 'sql', action, ok: true } : { name: 'sql', action, ok: false, errorMessage };

function trialsOf(...toolCalls: ToolCall[]): Trial[] {
  const execution = { id: 'e', agentId: 'a', agentName: 'Ada', owner: 'o', rootExecutionKey: 'e', origin: 'o' };
  const report = { toolCalls, status: 'completed', verification: { outcome: 'none' } } as const;
  const { episodes } = observe({ ...execution, finishedAt: '2026-03-01T10:00:00Z', report });
  return episodes.find(({ granularity }) => granularity === 'class')?.trials ?? [];
}

describe('a retry with a tool other than a shell', () => {
  it('with another value of an argument is a remedy, named by the argument', () => {
    expect(
      trialsOf(
        bad('search_orders', { customer: 'c-100', limit: 5000 }, 'limit must be at most 100'),
        ok('search_orders', { customer: 'c-100', limit: 100 }),
      ),
    ).toMatchObject([
      {
        how: 'replace',
        coarse: 'search_orders',
        fine: 'search_orders limit=100',
        worked: true,
        change: [{ slot: 'limit', kind: 'changed', from: '5000', to: '100' }],
      },
    ]);
  });

  it('with another type of the same value is a remedy, named by the type', () => {
    expect(
      trialsOf(
        bad('set_timer', { minutes: '10' }, 'minutes: expected number, received string'),
        ok('set_timer', { minutes: 10 }),
      ),
    ).toMatchObject([{ fine: 'set_timer minutes:number', change: [{ from: '[text]', to: '[number]' }] }]);
  });

  it('with another form of a date is a remedy', () => {
    expect(
      trialsOf(bad('find_flights', { date: '05/20/2024' }), ok('find_flights', { date: '2024-05-20' })),
    ).toMatchObject([{ how: 'replace', fine: 'find_flights date:0000-00-00' }]);
  });

  it('with an argument more, or one renamed, is a remedy', () => {
    expect(
      trialsOf(
        bad('create_issue', { title: 'Invoices are late' }, 'missing required argument: project'),
        ok('create_issue', { title: 'Invoices are late', project: 'billing' }),
      ),
    ).toMatchObject([{ fine: 'create_issue project=billing', change: [{ slot: 'project', kind: 'added' }] }]);
    expect(
      trialsOf(bad('lookup', { user: 'ada-7' }, 'unknown argument: user'), ok('lookup', { user_id: 'ada-7' })),
    ).toMatchObject([
      {
        fine: 'lookup user_id:text without user',
        change: [
          { slot: 'user_id', kind: 'added', to: '[text]' },
          { slot: 'user', kind: 'removed', from: '[text]' },
        ],
      },
    ]);
  });

  it('with a corrected word as the next call is a remedy, and with another id it is another target', () => {
    expect(
      trialsOf(bad('convert', { unit: 'celcius' }, 'unknown unit'), ok('convert', { unit: 'metric' })),
    ).toMatchObject([{ fine: 'convert unit=metric' }]);
    expect(
      trialsOf(bad('get_order', { order_id: 'W1001' }, 'not found'), ok('get_order', { order_id: 'W2002' })),
    ).toEqual([]);
  });

  it('over HTTP, the method or the shape of the path is the remedy, without host, ids and query', () => {
    const url = (path: string): string => `https://api.example.com${path}`;
    expect(
      trialsOf(
        bad('http_request', { method: 'POST', url: url('/v1/orders/17') }, 'HTTP 405 Method Not Allowed'),
        ok('http_request', { method: 'PUT', url: url('/v1/orders/17') }),
      ),
    ).toMatchObject([{ how: 'replace', fine: 'http_request method=PUT' }]);
    expect(
      trialsOf(
        bad('http_request', { method: 'GET', url: url('/v1/orders/17?key=x') }, 'HTTP 404 Not Found'),
        ok('http_request', { method: 'GET', url: url('/v2/orders/17?key=x') }),
      ),
    ).toMatchObject([{ fine: 'http_request url=/v2/orders/[id]' }]);
  });

  it('of an MCP server is compared in the same way', () => {
    const at = (status: string): Input => ({ ticket: 'T-1', status });
    expect(
      trialsOf(
        bad('mcp__tickets__update', at('done'), 'status must be one of open, closed'),
        ok('mcp__tickets__update', at('closed')),
      ),
    ).toMatchObject([{ how: 'replace', fine: 'mcp__tickets__update status=closed' }]);
  });

  it('of an edit with another text is a remedy by its argument, never by its content', () => {
    const edit = (old_string: string): Input => ({ file_path: 'src/a.ts', old_string });
    expect(
      trialsOf(bad('Edit', edit('alpha'), 'String to replace not found in file.'), ok('Edit', edit('alphabet'))),
    ).toMatchObject([{ how: 'replace', coarse: 'edit', fine: 'edit old_string:text' }]);
  });

  it('uses the arguments that the report holds, in place of names in the action', () => {
    const args = (days: number): CallArgument[] => [
      { key: 'city', type: 'text', value: 'Oslo' },
      { key: 'days', type: 'number', value: String(days) },
      { key: 'note', type: 'text', length: 40 },
    ];
    const failed = { ...bad('forecast', {}, 'days must be at most 7'), action: 'city days note', arguments: args(30) };
    expect(trialsOf(failed, { ...ok('forecast'), action: 'city days note', arguments: args(7) })).toMatchObject([
      { how: 'replace', fine: 'forecast days=7' },
    ]);
  });

  it('with the same arguments is a repeat, and with unknown values nothing', () => {
    expect(trialsOf(bad('ping', { host: 'db-1' }), ok('ping', { host: 'db-1' }))).toMatchObject([{ how: 'repeat' }]);
    const names: ToolCall = { name: 'deploy', action: 'region service', ok: true };
    expect(trialsOf({ ...names, ok: false, errorMessage: 'Error: it is broken' }, names)).toEqual([]);
  });

  it('about something else is no trial', () => {
    expect(trialsOf(bad('get_order', { order: 'abc-1' }), ok('get_order', { order: 'xyz-9', page: 2 }))).toEqual([]);
    expect(trialsOf(bad('get_order', { order: 'abc-1' }), ok('cancel_order', { order: 'abc-1' }))).toEqual([]);
  });
});

describe('another tool', () => {
  it('that takes the values of the failed call is a remedy', () => {
    const route = { origin: 'OSL', destination: 'SEA' };
    expect(
      trialsOf(bad('search_direct_flight', route, 'no flights'), ok('search_onestop_flight', route)),
    ).toMatchObject([{ how: 'replace', tool: 'search_onestop_flight', coarse: 'search_onestop_flight' }]);
  });

  it('with a variant of the name and the same arguments is a remedy, even if their values are not reported', () => {
    const call = (name: string, keys: string[], isOk: boolean): ToolCall => ({
      ...(isOk ? ok(name) : bad(name, {}, 'this endpoint is retired')),
      arguments: keys.map((key) => ({ key, type: 'text' })),
    });
    const failed = call('get_ledger', ['id'], false);
    expect(trialsOf(failed, call('get_ledger_v2', ['id'], true))).toMatchObject([
      { how: 'replace', tool: 'get_ledger_v2' },
    ]);
    expect(trialsOf(failed, call('get_ledger_v2', ['name'], true))).toEqual([]);
    expect(trialsOf(failed, call('get_customer', ['id'], true))).toEqual([]);
    expect(trialsOf(call('get', ['id'], false), call('get_customer', ['id'], true))).toEqual([]);
  });

  it('with the same purpose on the same file is a remedy, also in a shell', () => {
    const failed = bad('Read', { file_path: 'logs/big.log' }, 'content exceeds the maximum allowed tokens');
    expect(trialsOf(failed, { name: 'Bash', action: 'head -100 logs/big.log', ok: true })).toMatchObject([
      { how: 'replace', tool: 'shell', coarse: 'head' },
    ]);
  });

  it('that looks something up before the retry is a step', () => {
    expect(
      trialsOf(
        bad('update_record', { table: 'clients', value: 7 }, 'unknown table'),
        ok('list_tables'),
        ok('update_record', { table: 'customers', value: 7, force: false }),
      ),
    ).toEqual([]);
    expect(
      trialsOf(
        bad('update_record', { record: 'inv-77', field: 'totl' }, 'unknown field'),
        ok('get_schema', { record: 'inv-77' }),
        ok('update_record', { record: 'inv-77', field: 'total' }),
      ),
    ).toMatchObject([
      { how: 'prepare', coarse: 'get_schema', via: [1], change: [{ slot: 'field', from: 'totl', to: 'total' }] },
    ]);
  });

  it('that acts before the same call is a step, and thinking is none', () => {
    const query = { dataset: 'sales' };
    expect(trialsOf(bad('run_report', query, 'Error: no session'), ok('login'), ok('run_report', query))).toMatchObject(
      [{ how: 'prepare', coarse: 'login', via: [1] }],
    );
    expect(
      trialsOf(bad('run_report', query), ok('think', { thought: 'again' }), ok('run_report', query)),
    ).toMatchObject([{ how: 'repeat' }]);
  });
});

describe('a retry of SQL', () => {
  const NO_TABLE = "Error: Table 'shop.clients' doesn't exist";

  it('with another table is a remedy that names the table', () => {
    expect(trialsOf(sql('SELECT name FROM clients', NO_TABLE), sql('SELECT name FROM customers'))).toMatchObject([
      {
        how: 'replace',
        coarse: 'sql select',
        fine: 'sql select table=customers',
        change: [{ slot: 'table', kind: 'changed', from: 'clients', to: 'customers' }],
      },
    ]);
  });

  it('with another column is a remedy that names the column', () => {
    const failed = sql("SELECT nme FROM customers WHERE city = 'Oslo'", "Error: Unknown column 'nme'");
    expect(trialsOf(failed, sql("SELECT name FROM customers WHERE city = 'Oslo'"))).toMatchObject([
      { fine: 'sql select column=name', change: [{ slot: 'column', from: 'nme', to: 'name' }] },
    ]);
  });

  it('after a look at the schema is prepared by it, also with the same tool', () => {
    for (const look of ['SHOW TABLES', 'show tables;'])
      expect(
        trialsOf(sql('SELECT name FROM clients', NO_TABLE), sql(look), sql('SELECT name FROM customers')),
      ).toMatchObject([{ how: 'prepare', coarse: 'sql show tables', via: [1], change: [{ slot: 'table' }] }]);
    expect(
      trialsOf(sql('SELECT nme FROM t1', 'Unknown column'), sql('DESC t1'), sql('SELECT name FROM t1')),
    ).toMatchObject([{ how: 'prepare', coarse: 'sql desc' }]);
  });

  it('in an argument is read in the same way, without its literals', () => {
    const query = (statement: string): Input => ({ database: 'shop', query: statement });
    const [trial] = trialsOf(
      bad('run_query', query("SELECT id FROM clients WHERE email = 'ada@example.com'"), NO_TABLE),
      ok('run_query', query("SELECT id FROM customers WHERE email = 'ada@example.com'")),
    );
    expect(trial).toMatchObject({ coarse: 'run_query select', fine: 'run_query select table=customers' });
    expect(JSON.stringify(trial)).not.toContain('ada@');
  });

  it('with the same statement is a repeat', () => {
    expect(trialsOf(sql('SELECT 1 FROM t', 'deadlock'), sql('SELECT 1 FROM t'))).toMatchObject([{ how: 'repeat' }]);
  });
});
