import { describe, expect, it } from '@jest/globals';
import { errorClass } from './error-class.js';
import { errorKind, failureStage } from './error-kind.js';

function read(message: string) {
  const { name, template } = errorClass(message);
  return { kind: errorKind(name, template), stage: failureStage(name, template) };
}

describe('the kind and stage of an error', () => {
  it.each([
    ['bash: cd: app: No such file or directory', 'wrong-path', 'start'],
    ['ls: app/x: No such file or directory', 'wrong-path', 'start'],
    ['Path does not exist: app/src', 'wrong-path', 'start'],
    ["fatal: cannot change to 'app': No such file or directory", 'wrong-path', 'start'],
    ['fatal: not a git repository (or any of the parent directories): .git', 'wrong-path', 'start'],
    ['fatal: refusing to merge unrelated histories', undefined, 'run'],
    ['zsh: command not found: python', 'missing-command', 'start'],
    ["ModuleNotFoundError: No module named 'yaml'", 'missing-module', 'load'],
    ['ImportError: No module named yaml', 'missing-module', 'load'],
    ["ImportError: cannot import name 'x' from 'y'", undefined, 'load'],
    ['SyntaxError: invalid syntax', undefined, 'load'],
    ['KeyError: 1', undefined, 'run'],
    ['error: unrecognized arguments: --fast', undefined, 'start'],
  ])('%s', (message, kind, stage) => {
    expect(read(message)).toEqual({ kind, stage });
  });
});
