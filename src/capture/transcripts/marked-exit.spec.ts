import { describe, expect, it } from '@jest/globals';
import { readCopilotShell, readExitCode, readGeminiShell } from './marked-exit.js';

describe('the result of a command of Gemini CLI', () => {
  it.each([
    ['Output: no\nExit Code: 2\nProcess Group PGID: 7', true, 'Exit code 2\nno'],
    ['Output: a\nError: kept\nExit Code: 1\nProcess Group PGID: 7', true, 'Exit code 1\na\nError: kept'],
    ['Output: fine\nProcess Group PGID: 7', false, 'fine'],
    ['Output: \nExit Code: 1', true, 'Exit code 1\n'],
    ['Output: killed\nSignal: 9\nProcess Group PGID: 7', true, 'killed'],
    ['Output: Exit Code: 1\nis what a file says\nProcess Group PGID: 7', false, 'Exit Code: 1\nis what a file says'],
    [
      'Command: ls\nDirectory: (root)\nOutput: a\nError: (none)\nExit Code: 0\nSignal: (none)\nBackground PIDs: (none)\nProcess Group PGID: 7',
      false,
      'a',
    ],
  ])('%s', (text, failed, read) => {
    expect(readGeminiShell(text)).toEqual({ failed, text: read });
    expect(readGeminiShell(`<untrusted_context>\n${text}\n</untrusted_context>`)).toEqual({ failed, text: read });
    const withLesson = `<untrusted_context>\n${text}\n</untrusted_context>\n\n<hook_context>a lesson</hook_context>`;
    expect(readGeminiShell(withLesson)).toEqual({ failed, text: read });
  });
});

describe('the result of a command of Copilot CLI', () => {
  it.each([
    ['no\n<shellId: 0 completed with exit code 1>', undefined, true, 'Exit code 1\nno'],
    ['no\n<exited with exit code 2>', undefined, true, 'Exit code 2\nno'],
    ['fine\n<shellId: a-1 completed with exit code 0>', undefined, false, 'fine'],
    ['still running', undefined, false, 'still running'],
    ['no\n<shellId: 0 completed with exit code 1>\n\na lesson of the server', 1, true, 'Exit code 1\nno'],
    ['a text of a file', 0, false, 'a text of a file'],
  ])('%s', (text, code, failed, read) => {
    expect(readCopilotShell(text, code)).toEqual({ failed, text: read });
  });
});

it('an exit code in a separate field decides', () => {
  expect(readExitCode(0, 'Error: no')).toEqual({ failed: false, text: 'Error: no' });
  expect(readExitCode(3, 'no')).toEqual({ failed: true, text: 'Exit code 3\nno' });
});
