import { describe, expect, it } from '@jest/globals';
import { readUnmarked } from './unmarked-failure.js';

describe('a result without a mark', () => {
  it.each([
    ['Process exited with code 1\nOutput:\nno such table', true],
    ['Exit code: 0\nWall time: 1 s\nOutput:\nError: printed by a test on purpose', false],
    ['<returncode>2</returncode>\nusage: close', true],
    ['listing\nExit Code: 127', true],
    ['compiled 3 files\nError: P3009 migrate found failed migrations', true],
    ['Traceback (most recent call last):\n  File "a.py", line 1\nKeyError: 3', true],
    ['bash: line 1: pytohn: command not found', true],
    ['fatal: not a git repository', true],
    ['=== 2 failed, 3 passed in 0.1s ===', true],
    ['src/a.ts: // Error: this is a comment\nsrc/b.ts: ok', false],
    ['0 errors, 0 warnings', false],
    ['Error handling is described below\nand here', false],
    ['', false],
  ])('reads %j: failed is %s', (output, failed) => {
    expect(readUnmarked('Bash', output).failed).toBe(failed);
  });

  it('also uses the first line for tools other than a shell', () => {
    expect(readUnmarked('read_file', 'Error: ENOENT: a.txt\nTry another one').failed).toBe(true);
    expect(readUnmarked('Bash', 'Error: ENOENT: a.txt\nrecovered').failed).toBe(false);
  });

  it('does not treat the header of Codex as output, and begins with the exit code', () => {
    expect(readUnmarked('exec_command', 'Chunk ID: 1\nProcess exited with code 1\nOutput:\nno such table').text).toBe(
      'Exit code 1\nno such table',
    );
  });
});
