import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readExpectation } from './expectation.js';
import { differences, type Outcome } from './outcome.js';

const seen: Outcome = {
  executions: 2,
  agents: 1,
  projects: 1,
  calls: 4,
  failedCalls: 1,
  actions: ['terraform plan', 'terraform init'],
  unread: [{ file: '/x/old.jsonl.zst', reason: 'compressed' }],
  proposals: ['Run `terraform init` first.'],
  lessons: ['Run `npm ci`.'],
  unsolved: ['kubectl get'],
};

describe('the outcome of a case', () => {
  it('is compared by every key', () => {
    const kept = { import: ['in'], executions: 2, agents: 1, hasCall: 'init', proposal: ['init'], lesson: ['npm ci'] };
    expect(differences({ ...kept, noProposal: ['npm ci'], notUnsolved: ['plan'] }, seen)).toEqual([]);
    const lost = { import: ['in'], executions: 3, agents: 2, calls: 5, hasCall: 'apply', proposal: ['npm ci'] };
    expect(differences({ ...lost, noProposal: ['init'], lesson: ['yarn'], notUnsolved: ['kubectl'] }, seen)).toEqual([
      'executions: expected 3, found 2',
      'agents: expected 2, found 1',
      'calls: expected 5, found 4',
      'no stored call has "apply"',
      'no proposal recommends "npm ci"',
      'a proposal recommends "init"',
      'no proposal and no lesson recommends "yarn"',
      '"kubectl" is called unsolved',
    ]);
  });

  it('lacks an execution only for a file that is named with a reason', () => {
    expect(differences({ import: ['in'], executions: 3, orNamed: '.zst' }, seen)).toEqual([]);
    expect(differences({ import: ['in'], executions: 4, orNamed: '.zst' }, seen)).toHaveLength(1);
    expect(differences({ import: ['in'], executions: 1, orNamed: '.zst' }, seen)).toHaveLength(1);
    expect(differences({ import: ['in'], executions: 3, orNamed: '.db' }, seen)).toHaveLength(1);
  });

  it('is compared with nothing that an expectation does not say: the file and the field are named', () => {
    const folder = mkdtempSync(join(tmpdir(), 'guildbook-case-'));
    const file = join(folder, 'expect.json');
    const read = (text: string) => {
      writeFileSync(file, text);
      return () => readExpectation(file);
    };
    expect(read('{"runs":[{"import":["in"],"calls":1}]}')()).toEqual([{ import: ['in'], calls: 1 }]);
    expect(read('{"runs":[{"import":["in"],"call":1}]}')).toThrow(/expect\.json: runs\.0: .*call/);
    expect(read('{"runs":[{"import":["../x"]}]}')).toThrow('runs.0.import.0: must be a path within the case');
    expect(read('{"runs":[{"import":["in"],"agents":"1"}]}')).toThrow('expect.json: runs.0.agents');
    expect(read('{"runs":')).toThrow('expect.json: no JSON');
    rmSync(folder, { recursive: true });
  });
});
