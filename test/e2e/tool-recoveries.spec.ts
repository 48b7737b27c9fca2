import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ToolCall } from '../../src/capture/report/execution-report.schema.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { adviceOf, failedCall, learnedByFleet, workedCall } from '../support/imported-calls.js';

interface Recovery {
  readonly what: string;
  readonly failing: ToolCall;
  readonly after: readonly ToolCall[];
  /** What the lesson names: the argument with its value, the other tool or the step before. */
  readonly named: readonly string[];
}

const query = { query: 'SELECT name FROM teacher', database: 'school' };

const RECOVERIES: readonly Recovery[] = [
  {
    what: 'an SQL tool with another database',
    failing: failedCall({ ...query, database: 'schools' }, "Error: Unknown database 'schools'", 'run_sql'),
    after: [workedCall(query, 'run_sql')],
    named: ['run_sql', 'database', 'school'],
  },
  {
    what: 'an HTTP tool with another method',
    failing: failedCall({ method: 'GET', path: '/totals' }, 'Error: 405 Method Not Allowed', 'http_request'),
    after: [workedCall({ method: 'POST', path: '/totals' }, 'http_request')],
    named: ['http_request', 'method', 'POST'],
  },
  {
    what: 'a file tool with another encoding',
    failing: failedCall(
      { path: 'books/till.csv', encoding: 'utf-8' },
      "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xe9 in position 3: invalid continuation byte",
      'read_file',
    ),
    after: [workedCall({ path: 'books/till.csv', encoding: 'latin-1' }, 'read_file')],
    named: ['read_file', 'encoding', 'latin-1'],
  },
  {
    what: 'a function with an argument in another form',
    failing: failedCall({ origin: 'New York', seats: 2 }, 'Error: origin must be an airport code', 'search_flights'),
    after: [workedCall({ origin: 'JFK', seats: 2 }, 'search_flights')],
    named: ['search_flights', 'origin', 'JFK'],
  },
  {
    what: 'an MCP tool with an argument that was missing',
    failing: failedCall({ title: 'Totals' }, 'Error: repository is required', 'mcp__tracker__create_issue'),
    after: [workedCall({ title: 'Totals', repository: 'acme/till' }, 'mcp__tracker__create_issue')],
    named: ['mcp__tracker__create_issue', 'repository'],
  },
  {
    what: 'a function without an argument that is refused',
    failing: failedCall({ id: 'till', verbose: true }, "Error: unexpected argument 'verbose'", 'get_status'),
    after: [workedCall({ id: 'till' }, 'get_status')],
    named: ['get_status', 'verbose'],
  },
  {
    what: 'another tool for the same arguments',
    failing: failedCall({ id: 'till' }, 'Error: this endpoint is retired', 'get_ledger'),
    after: [workedCall({ id: 'till' }, 'get_ledger_v2')],
    named: ['get_ledger_v2'],
  },
  {
    what: 'an SQL tool after the database was chosen',
    failing: failedCall({ query: 'SELECT name FROM teacher' }, 'Error: No database selected', 'run_sql'),
    after: [
      workedCall({ database: 'school' }, 'use_database'),
      workedCall({ query: 'SELECT name FROM teacher' }, 'run_sql'),
    ],
    named: ['use_database', 'run_sql'],
  },
  {
    what: 'an MCP tool after its schema was loaded',
    failing: failedCall({ text: 'totals' }, 'Error: the index is not loaded', 'mcp__docs__search'),
    after: [
      workedCall({ name: 'books' }, 'mcp__docs__load_index'),
      workedCall({ text: 'totals' }, 'mcp__docs__search'),
    ],
    named: ['mcp__docs__load_index', 'mcp__docs__search'],
  },
];

describe('a recovery in a tool other than a shell', () => {
  let app: TestApplication;
  beforeEach(async () => {
    app = await startTestApplication();
  });
  afterEach(() => app.close());

  it.each(RECOVERIES)('becomes a lesson and a proposal that name what changed: $what', async (recovery) => {
    const { failing, after, named } = recovery;
    const { proposal, lessons } = await learnedByFleet(app, [failing, failing, ...after]);
    expect(lessons).toHaveLength(5);
    for (const text of [proposal.artifact, ...lessons.map(adviceOf)])
      for (const name of named) expect(text).toContain(name);
  });
});
