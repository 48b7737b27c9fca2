import { describe, expect, it } from '@jest/globals';
import { ObservedOutputs } from './observed-outputs.js';

function observed(...outputs: [command: string, output: string, failed?: boolean][]): ObservedOutputs {
  const all = new ObservedOutputs();
  for (const [command, output, failed = false] of outputs) all.read('Bash', { command }, output, failed);
  return all;
}

describe('the outputs of a session', () => {
  it('show versions, the system and the repository', () => {
    const all = observed(
      ['python3 --version', 'Python 3.8.8'],
      ['uname -a', 'Linux build7.acme.example 5.10'],
      ['git remote -v', 'origin\tgit@git.acme.example:acme/shop.git (fetch)'],
    );
    expect(all.environment()).toEqual({
      operatingSystem: 'linux',
      interpreters: [{ name: 'python3', version: '3.8.8' }],
      repository: 'acme/shop',
    });
  });

  it('show nothing if a failed call or a file printed it', () => {
    const all = observed(
      ['python3 --version', 'Python 3.8.8', true],
      ['cat notes.txt', 'Linux\nPython 3.8.8\norigin git@a:b/c'],
    );
    expect(all.environment()).toEqual({});
  });

  it('name the lines with which several successful programs start', () => {
    const notice = 'UserWarning: the cache is old';
    const all = observed(
      ['python3 a.py', `${notice}\ntotal 12`],
      ['python3 b.py', `${notice}\ntotal 13`],
      ['cat log.txt', 'ValueError: x'],
      ['cat log2.txt', 'ValueError: x'],
      ['python3 c.py | head -3', 'KeyError: y'],
      ['python3 d.py | head -3', 'KeyError: y'],
    );
    expect([...all.notices()]).toEqual([notice]);
  });
});
