import { describe, expect, it } from '@jest/globals';
import { observe, type StoredExecution } from '../../capture/observations/observation.js';
import { FamilyIndex } from './family-index.js';
import { familyOfValue, namedValue, valueFamilies } from './family-values.js';
import { type RecordedExecution, recordedExecution } from './recorded-execution.js';

/** An execution in which each of these tables was missing. */
function withMissing(n: number, tables: readonly string[]): RecordedExecution {
  const execution: StoredExecution = {
    id: `e${n}`,
    agentId: `a${n % 4}`,
    agentName: `Agent ${n % 4}`,
    owner: 'o',
    origin: `t${n}`,
    rootExecutionKey: `e${n}`,
    finishedAt: '2026-03-01T10:00:00Z',
    report: {
      status: 'failed',
      verification: { outcome: 'none' },
      toolCalls: tables.map((table) => ({
        name: 'query',
        action: 'select',
        ok: false,
        errorMessage: `Error executing query: Table '${table}' does not exist here`,
        errorLine: `Table '${table}' does not exist here`,
      })),
    },
  };
  return recordedExecution({ observed: observe(execution), report: execution.report });
}

describe('the values of a family', () => {
  const common = [1, 2, 3, 4, 5, 6, 7].map((n) => withMissing(n, ['shop.customers', `shop.own_${n}`]));
  const others = [8, 9].map((n) => withMissing(n, ['shop.orders']));
  const all = [...common, ...others];
  const index = new FamilyIndex();
  for (const { source } of all) index.add(source.observed);
  const [family] = index.families();
  if (family === undefined) throw new Error('there is no family');

  it('are those that recur in enough executions', () => {
    const values = valueFamilies(family, all);
    expect(values.map(({ value }) => value)).toEqual(['shop.customers']);
    const members = all.flatMap(({ calls }) => calls).filter((call) => values[0]?.isMember(call));
    expect(members).toHaveLength(7);
    expect(valueFamilies(family, [...all].reverse()).map(({ value }) => value)).toEqual(['shop.customers']);
  });

  it('are none if nearly all failures have the same', () => {
    expect(
      valueFamilies(
        family,
        common.map((one) => ({ ...one, calls: one.calls.slice(0, 1) })),
      ),
    ).toEqual([]);
  });

  it('become families of their own, with the evidence of their executions', () => {
    const [value] = valueFamilies(family, all);
    const part = value && familyOfValue(family, value, all, index.ledger);
    expect(part).toMatchObject({ value: 'shop.customers', signature: family.signature, tools: ['query'] });
    expect(part?.evidence.counts()).toMatchObject({ executions: 7, failures: 7, agents: 4 });
    expect(part?.fingerprint).not.toBe(family.fingerprint);
    expect(part?.fingerprints).toEqual(family.fingerprints);
  });
});

describe('the value that an error line names', () => {
  it.each([
    ["Table 'shop.customers' doesn't exist", 'shop.customers'],
    ["Unknown column 'age' in 'field list'", 'age'],
    ['ModuleNotFoundError: No module named yaml', 'yaml'],
    ["ModuleNotFoundError: No module named 'yaml'", 'yaml'],
    ['bash: line 1: jq: command not found', 'jq'],
    ['zsh:cd:1: no such file or directory: src', 'src'],
    ['ls: build: No such file or directory', 'build'],
    ['Search failed due to the following issue', 'Search'],
  ])('%s', (line, value) => {
    expect(namedValue(line)).toBe(value);
  });

  it.each(['ls: [path]: No such file or directory', 'SyntaxError: invalid syntax', '', "near '' at line 1"])(
    'is none in: %s',
    (line) => {
      expect(namedValue(line)).toBeUndefined();
    },
  );

  it('takes linear time for a hostile line', () => {
    const started = process.hrtime.bigint();
    for (let n = 0; n < 2_000; n += 1) namedValue("a: '".repeat(250));
    expect(Number(process.hrtime.bigint() - started) / 1e6).toBeLessThan(2_000);
  });
});
