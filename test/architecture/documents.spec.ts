import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';

const DOCUMENT = readFileSync('docs/architecture.md', 'utf8');
const PROGRAM = `
  import { text } from 'node:stream/consumers';
  import { architectureProblems } from './scripts/docs/architecture.mjs';
  console.log(JSON.stringify(architectureProblems('document.md', await text(process.stdin))));`;

function problems(document: string): string[] {
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', PROGRAM], {
    input: document,
    encoding: 'utf8',
  });
  if (stderr !== '') throw new Error(stderr);
  return JSON.parse(stdout);
}

it('the architecture document names every folder and room in order, and existing functions', () => {
  expect(problems(DOCUMENT)).toEqual([]);
});

it('reports a missing folder, a room out of order, and a missing function or type', () => {
  const without = DOCUMENT.split('\n').filter((line) => !line.includes('| `src/journal` |'));
  expect(problems(without.join('\n'))).toEqual([
    expect.stringMatching(/^document\.md:\d+: the table of folders should say 3 src\/journal: –$/),
  ]);
  expect(problems(DOCUMENT.replace('· text · redaction |', '· redaction · text |'))).toEqual([
    expect.stringMatching(/should say 2 src\/untrusted: .* · text · redaction$/),
  ]);
  expect(problems(DOCUMENT.replace('| `RecallableMemory` | `src/memory', '| `Speakable` | `src/memory'))).toEqual([
    expect.stringMatching(/src\/memory\/store\/recallable-memory\.ts has no Speakable$/),
  ]);
  const step = '| 1 | `src/memory/lessons/lessons.service.ts` | `Lessons.unlearn` | forgets |';
  expect(problems(`${DOCUMENT}\n${step}`)).toEqual([
    expect.stringMatching(/src\/memory\/lessons\/lessons\.service\.ts has no Lessons\.unlearn$/),
  ]);
});
