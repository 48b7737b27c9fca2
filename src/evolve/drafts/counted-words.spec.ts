import { describe, expect, it } from '@jest/globals';
import { wordingInput as input, seen, word } from '../../../test/support/worded-draft.js';
import { wordDraft } from './wording.js';

describe('the words of a draft', () => {
  it('say what to leave out if the shell stands in the folder already', () => {
    const cases = [1, 2].map((n) => seen(n, `cd app${n} && make all`, 'make all', { error: 'cd: app: No such file' }));
    const draft = word({ action: 'cd', remedy: { how: 'omit', coarse: 'cd' }, cases });
    expect(draft.name).toBe('check-the-folder-before-cd');
    expect(draft.action).toBe('Leave the folder out: run `make all` instead of `cd <folder> && make all`.');
  });

  it('say what to leave out where the calls hide their paths, but what is counted shows it', () => {
    const cases = [1, 2].map((n) =>
      seen(n, 'ls <folder>/src', 'ls src', { error: 'ls: app/src: No such file or directory' }),
    );
    const listing = {
      action: 'ls',
      errorClasses: ['file-not-found'],
      template: 'ls: [path]: No such file or directory',
    };
    const leaving = { ...listing, cases, remedy: { how: 'relocate' as const, coarse: 'shell' } };
    const predicate = { when: { action: 'ls' }, follow: { sameAction: true, drops: 'app/' } };
    expect(wordDraft(input(leaving))).toBeUndefined();
    expect(word({ ...leaving, predicate }).title).toBe(
      'Leave the folder that the shell already stands in out of the path',
    );
  });

  it('do not say to keep the rest of the command if the rest was seen to change', () => {
    const predicate = { when: { action: 'wget' }, follow: { action: 'curl' }, against: { action: 'wget' } };
    const about = { action: 'wget', remedy: { coarse: 'curl' }, predicate };
    const other = [1, 2].map((n) => seen(n, `wget -O a${n}.txt u`, `curl -o a${n}.txt u`));
    expect(word({ ...about, cases: other })).toMatchObject({
      title: 'Use `curl` instead of `wget`',
      action: 'Run the command with `curl` instead of `wget`.',
    });
    const same = [1, 2].map((n) => seen(n, `wget a${n}.txt`, `curl a${n}.txt`));
    expect(word({ ...about, cases: same }).action).toContain('keep the rest of the command');
  });

  it('name one word in the place of another only if nothing else is counted', () => {
    const flag = '(^|\\s)--fresh(\\s|$)';
    const predicate = {
      when: { action: 'forge build' },
      follow: { action: 'forge build', args: flag },
      against: { action: 'forge build', notArgs: flag },
    };
    const cases = [1, 2].map((n) => seen(n, 'forge build site.cfg', 'forge build --fresh site.cfg'));
    const { title } = word({ action: 'forge build', remedy: { coarse: '--fresh' }, predicate, cases });
    expect(title).toBe('Run `forge build --fresh site.cfg` instead of `forge build site.cfg`');
  });

  it('name an added flag alone in the title of a lesson on a long command, and the whole command in its steps', () => {
    const flag = '(^|\\s)--fresh(\\s|$)';
    const predicate = {
      when: { action: 'forge build' },
      follow: { action: 'forge build', args: flag },
      against: { action: 'forge build', notArgs: flag },
    };
    const line = (more: string) =>
      `cd packages && forge build ${more}--configuration release --target everything --report summary --timeout 900 site`;
    const cases = [1, 2].map((n) => seen(n, line(''), line('--fresh ')));
    const { title, steps } = word({ action: 'forge build', remedy: { coarse: '--fresh' }, predicate, cases });
    expect(title).toBe('Add `--fresh` to `forge build`');
    expect(steps.join()).toContain('forge build --fresh --configuration release');
  });

  it('are about the form that is counted, whatever was looked up in between', () => {
    const grep = (path?: string) => ({
      tool: 'Grep',
      call: JSON.stringify({ pattern: '<pattern>', ...(path ? { path } : {}), output_mode: 'files_with_matches' }),
    });
    const error = 'Path does not exist: app';
    const cases = [1, 2].map((n) =>
      seen(n, '', '', { failed: grep('app'), worked: grep(), error, between: [{ tool: 'shell', call: 'pwd' }] }),
    );
    const about = {
      tool: 'grep',
      action: 'grep',
      errorClasses: ['path-not-found'],
      template: 'Path does not exist: [path]',
    };
    const remedy = { how: 'omit' as const, coarse: 'app' };
    const form = { when: { tool: 'grep' }, follow: { sameAction: true, drops: '\\bapp\\b' } };
    expect(word({ ...about, remedy, cases, predicate: form }).title).toBe('Call `Grep` without `app`');
    const step = { coarse: 'pwd', how: 'prepare' as const };
    const counted = { when: { tool: 'grep' }, follow: { action: 'pwd' }, attempt: { sameAction: true } };
    expect(word({ ...about, remedy: step, cases, predicate: counted }).title).toBe('Run `pwd` before `Grep`');
  });

  it('say to give the path from elsewhere if a folder is counted in the place of another', () => {
    const cases = [1, 2].map((n) =>
      seen(n, 'cd app && make all', 'make -f work/app/all', { error: 'cd: app: No such file or directory' }),
    );
    const predicate = { when: { action: 'cd' }, follow: { sameAction: true, adds: 'work/', drops: 'app' } };
    const draft = word({ action: 'cd', remedy: { how: 'relocate', coarse: 'shell' }, cases, predicate });
    expect(draft.title).toBe('Give the path from the folder that the shell stands in');
  });

  it('speak of a call where a tool failed, and of a command where a shell did', () => {
    const read = { tool: 'Read', call: '{"file_path":"<folder>/<file>"}' };
    const glob = { tool: 'Glob', call: '{"pattern":"<folder>/<file>"}' };
    const error = 'File does not exist.';
    const cases = [1, 2].map((n) => seen(n, '', '', { failed: read, worked: read, error, between: [glob] }));
    const draft = word({
      tool: 'read',
      action: 'read',
      errorClasses: ['file-not-found'],
      template: 'File does not exist',
      kind: 'wrong-path' as const,
      remedy: { how: 'prepare' as const, coarse: 'glob' },
      cases,
    });
    expect(draft.title).toBe('When a call names a file or folder that is not there, call Glob first');
    expect(JSON.stringify(draft)).not.toContain('command');
  });
});
