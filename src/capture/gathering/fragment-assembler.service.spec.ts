import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startServices, type TestServices } from '../../../test/support/services.js';
import type { Reporter } from '../../access/identity/reporter.js';
import { redactDeep } from '../../untrusted/redaction/redact-deep.js';
import { CaptureModule } from '../capture.module.js';
import type { FragmentSignal, NewFragment } from '../importers/fragment-format.js';
import { FragmentAssembler, MAX_FRAGMENTS } from './fragment-assembler.service.js';

let services: TestServices;
let assembler: FragmentAssembler;
let agent: Reporter;

beforeAll(async () => {
  services = await startServices(CaptureModule);
  assembler = services.get(FragmentAssembler);
  agent = await services.agent('Ada');
});
afterAll(() => services.close());

const fragment = (key: string, signal: FragmentSignal = 'none'): NewFragment => ({
  key,
  parentKey: undefined,
  joinKey: undefined,
  signal,
  facts: redactDeep({ event: key }).value,
  findings: [],
});
const add = (key: string, fragments: readonly NewFragment[]) =>
  assembler.add(agent, [{ format: 'claude-code-hooks', key, fragments }]);
const stored = (key: string) =>
  services.database.client.fragmentAssembly.findFirstOrThrow({ where: { key }, include: { fragments: true } });

describe('the fragments of an execution', () => {
  it('are stored once each, also if they are sent twice', async () => {
    await add('twice', [fragment('a'), fragment('b')]);
    await add('twice', [fragment('b'), fragment('c'), fragment('c')]);
    const { fragmentCount, fragments } = await stored('twice');
    expect([fragmentCount, fragments.map(({ key, facts }) => [key, facts]).sort()]).toEqual([
      3,
      ['a', 'b', 'c'].map((key) => [key, { event: key }]),
    ]);
  });

  it('are rejected from the one on that an execution cannot hold', async () => {
    const many = (from: number, count: number) => Array.from({ length: count }, (_, n) => fragment(`f${from + n}`));
    expect(await add('full', many(0, MAX_FRAGMENTS - 1))).toMatchObject({ rejected: 0 });
    expect(await add('full', many(MAX_FRAGMENTS, 3))).toMatchObject({ rejected: 2 });
    expect(await add('full', many(0, 1))).toMatchObject({ rejected: 1 });
    expect((await stored('full')).fragments).toHaveLength(MAX_FRAGMENTS);
  });

  it('move the time of their assembly, except those that were stored before', async () => {
    await add('due', [fragment('end', 'ended')]);
    const { dueAt, stage } = await stored('due');
    expect([stage, dueAt]).toEqual(['ended', expect.any(Date)]);
    services.clock.advance(5_000);
    await add('due', [fragment('end', 'resumed')]);
    expect(await stored('due')).toMatchObject({ dueAt, stage });
  });
});
