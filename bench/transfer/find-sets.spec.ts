import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readSet } from '../sets/set-reader.js';
import { findSets } from './find-sets.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sets-'));
  for (const name of ['till', 'ledger', 'more/archive', 'twice/till', 'notes'])
    mkdirSync(join(folder, name), { recursive: true });
  for (const name of ['till', 'ledger', 'more/archive', 'twice/till'])
    writeFileSync(join(folder, name, 'trajectories.jsonl'), '');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const namesIn = (folders: string[], wanted?: string[]) => findSets({ folders, wanted }).map(({ name }) => name);

describe('the sets of a benchmark', () => {
  it('are the folders that hold rows, of all folders that are given', () => {
    expect(namesIn([folder])).toEqual(['ledger', 'till']);
    expect(namesIn([folder, join(folder, 'more')])).toEqual(['archive', 'ledger', 'till']);
  });

  it('are those that were asked for', () => {
    expect(namesIn([folder], ['till'])).toEqual(['till']);
    expect(() => namesIn([folder], ['till', 'attic'])).toThrow('no set attic; there are ledger, till');
  });

  it('are those of the sample fleet, if it is asked for', () => {
    const [sample, ...others] = findSets({ folders: [], sample: true });
    const { executions, skipped } = readSet(sample?.read() ?? '', 'sample-fleet');
    const calls = executions.flatMap(({ report }) => report.toolCalls);
    expect(others).toEqual([]);
    expect(skipped).toEqual([]);
    expect(new Set(executions.map(({ row }) => row.agentId))).toContain('checkout-api');
    expect(calls.filter(({ ok }) => !ok)).toContainEqual(
      expect.objectContaining({ name: 'Bash', errorMessage: expect.stringContaining('command not found') }),
    );
    expect(calls.filter(({ ok }) => ok).length).toBeGreaterThan(100);
  });

  it('are missing with the folder named that does not exist or holds none', () => {
    expect(() => namesIn([join(folder, 'attic')])).toThrow('attic is no folder');
    expect(() => namesIn([join(folder, 'notes')])).toThrow('notes holds no folder with a trajectories.jsonl');
  });

  it('have different names', () => {
    expect(() => namesIn([folder, join(folder, 'twice')])).toThrow('two sets are called till');
  });
});
