import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { execution, HOPELESS, PYTHON, run } from '../../../test/support/window-execution.js';
import { observe } from '../../capture/observations/observation.js';
import type { CountRecord } from '../support/count-records.schema.js';
import { CycleReader } from './cycle-reader.js';
import { packPart, partsOf, STATE_FORMAT, unpackPart } from './state-parts.js';

const OUTAGE = [run('npm install', 'npm ERR! network ECONNREFUSED'), run('yarn install')];

function readerOf(size: number): CycleReader {
  const reader = new CycleReader();
  const verification = { outcome: 'failed' as const, source: 'ci' as const };
  const kinds = [PYTHON, HOPELESS, OUTAGE].map((calls, n) =>
    observe(
      execution(n, [], {
        report: {
          toolCalls: [...calls],
          status: 'completed',
          model: `model-${n % 2}`,
          tags: [`project:p${n}`],
          verification,
        },
      }),
    ),
  );
  for (let n = 0; n < size; n += 1) {
    const [kind] = kinds.slice(n % kinds.length);
    const support = { agentId: `agent-${n % 7}`, owner: 'team', origin: `origin-${n}`, root: `execution-${n}` };
    if (kind) reader.add({ ...kind, executionId: `execution-${n}`, support });
  }
  return reader;
}

describe('saved counts', () => {
  it('have another format as soon as the same executions give other records', () => {
    const text = [...partsOf(readerOf(30).records())].join('\n');
    // If the hash differs, raise the version of the records: counts of the program before must not be continued.
    expect([STATE_FORMAT, createHash('sha256').update(text).digest('hex')]).toEqual([
      'records 3, observations 15',
      '692105f946a9cf6d1bb2c4218771560eaeff77fa74b0a6d576c59427a7151ebf',
    ]);
  });

  it('are cut into parts of a bounded size, each of whole records', async () => {
    const records = [...readerOf(6_000).records()];
    const parts = [...partsOf(records)];
    expect(parts.length).toBeGreaterThan(2);
    for (const part of parts) expect(part.length).toBeLessThan(1_048_576);
    const read: CountRecord[] = [];
    for (const part of parts) read.push(...unpackPart(await packPart(part)));
    expect(read).toEqual(records);
  });

  it('give the same records again once they are loaded', () => {
    const records = [...readerOf(200).records()];
    const loaded = new CycleReader();
    for (const record of records) loaded.restore(record);
    expect([...loaded.records()]).toEqual(records);
    const kinds = ['agents', 'evidence', 'excluded', 'executions', 'group', 'owners', 'task', 'usage'];
    expect([...new Set(records.map(({ of }) => of))].sort()).toEqual([...kinds, 'usage limit'].sort());
  });

  it('are refused if a byte is another, if they are cut, or if they are no counts', async () => {
    const packed = await packPart('[{"of":"usage limit","perKey":3}]');
    const broken = new Uint8Array(packed);
    broken[broken.length - 6] = (broken[broken.length - 6] ?? 0) ^ 1;
    expect(() => unpackPart(broken)).toThrow(SyntaxError);
    expect(() => unpackPart(packed.subarray(0, packed.length - 4))).toThrow(SyntaxError);
    for (const other of ['[{"of":"usage limit","perKey":-1}]', '[{"of":"else"}]', '{}', '['])
      await expect(packPart(other).then(unpackPart)).rejects.toThrow();
    expect(unpackPart(packed)).toEqual([{ of: 'usage limit', perKey: 3 }]);
  });

  it('are refused if they do not belong together', () => {
    const refused: CountRecord[][] = [
      [{ of: 'evidence', executions: [], failures: [] }],
      [{ of: 'usage', actions: [{ key: 'a', sample: [0] }] }],
      [{ of: 'executions', ids: ['a'], agents: [0], origins: [1], roots: [1], projects: [1], finishedAt: [1] }],
      [
        { of: 'agents', agents: [['a', 'Ada', 'team']] },
        {
          of: 'executions',
          ids: ['a', 'a'],
          agents: [0, 0],
          origins: [1, 1],
          roots: [1, 1],
          projects: [1, 1],
          finishedAt: [1, 1],
        },
      ],
      [
        { of: 'agents', agents: [['a', 'Ada', 'team']] },
        { of: 'executions', ids: ['a'], agents: [0], origins: [1], roots: [], projects: [1], finishedAt: [1] },
      ],
    ];
    for (const records of refused) {
      const reader = new CycleReader();
      expect(() => {
        for (const record of records) reader.restore(record);
      }).toThrow(SyntaxError);
    }
  });
});
