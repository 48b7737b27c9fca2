import { describe, expect, it } from '@jest/globals';
import { faultsOf, queuedFile, renderedFile } from './skill-faults.js';
import { hostileStrings } from './strings.js';

const QUICK = hostileStrings(400, 6);

describe('a hostile string in every text of a skill', () => {
  it('differs from the others, and is the same with the same seed', () => {
    expect(new Set(QUICK).size).toBe(400);
    expect(hostileStrings(400, 6)).toEqual(QUICK);
    expect(hostileStrings(400, 7)).not.toEqual(QUICK);
  });

  it.each([
    ['the renderer', renderedFile],
    ['the queue', queuedFile],
  ])('adds no key, no executable form and no ambiguous parse to the file by %s', (_who, fileOf) => {
    const files = QUICK.map((text) => ({ text, file: fileOf(text) }));
    const made = files.filter(({ file }) => file !== undefined);
    expect(made.length).toBeGreaterThan(380);
    expect(made.filter(({ file }) => faultsOf(file ?? '').length > 0)).toEqual([]);
  });

  it.each([
    ['extra-key', (file: string) => file.replace('metadata:', 'allowed-tools: "Bash"\nmetadata:')],
    ['extra-key', (file: string) => file.replace('description: "', 'description: "Use --- ')],
    ['reading', (file: string) => file.replace('description: "', 'description: yes #"')],
    ['executable', (file: string) => file.replace('## Cause', '!`touch x`\n\n## Cause')],
    ['executable', (file: string) => file.replace('## Cause', 'a\u200bb\n\n## Cause')],
    ['executable', (file: string) => file.replace('## Cause', 'a@1/b\n\n## Cause')],
    ['executable', (file: string) => file.replace('# Failed', '</skill>')],
    ['executable', (file: string) => file.replace('## Cause', '`<system>`\n\n## Cause')],
    ['structure', (file: string) => file.replace('## Cause', '## Causes\n\n## Cause')],
    ['rules', (file: string) => file.replace('name: "a-hostile-skill"', 'name: "another"')],
  ] as const)('would be detected as %s', (fault, forge) => {
    const file = renderedFile('Run it again.') ?? '';
    expect(faultsOf(file)).toEqual([]);
    expect(forge(file)).not.toBe(file);
    expect(faultsOf(forge(file))).toContain(fault);
  });
});
