import { describe, expect, it } from '@jest/globals';
import { pytestVersions, versionsIn } from './observed-outputs.js';

describe('versions in an output', () => {
  it.each([
    ['python --version', 'Python 2.7.3', ['python 2.7.3']],
    ['node -v && npm --version', 'v20.1.0\n9.6.4', ['node 20.1.0', 'npm 9.6.4']],
    ['python --version; python3 --version', 'Python 3.8.8\nPython 2.7.3', ['python 2.7.3', 'python3 3.8.8']],
    ['/usr/bin/python3.11 -V', 'Python 3.11.2', ['python3.11 3.11.2']],
    [
      'java -version',
      'openjdk version "17.0.2" 2022-01-18\nOpenJDK Runtime Environment (build 17.0.2+8)',
      ['java 17.0.2'],
    ],
    ['go version', 'go version go1.21.4 linux/amd64', ['go 1.21.4']],
    ['git --version', 'git version 2.39.2', ['git 2.39.2']],
    ['python -m pytest --version', 'pytest 7.4.0', ['pytest 7.4.0']],
    ['pip --version', 'pip 23.0 from /home/jo/x/pip (python 3.9)', ['pip 23.0']],
    ['acme-deploy --version', 'acme-deploy 1.2.3', []],
    ['python report.py', 'Python 9.9.9', []],
    ['cat CHANGELOG.md', 'node 18.1.0', []],
  ])('%s', (command, output, expected) => {
    expect(versionsIn(command, output).map(({ name, version }) => `${name} ${version}`)).toEqual(expected);
  });

  it('include the header of pytest', () => {
    const output =
      '=== test session starts ===\nplatform linux -- Python 3.9.7, pytest-6.2.5, py-1.10.0\nrootdir: /home/jo/x';
    expect(pytestVersions('cd x && python3 -m pytest', output)).toEqual({
      versions: [
        { name: 'python3', version: '3.9.7' },
        { name: 'pytest', version: '6.2.5' },
      ],
      platform: 'linux',
    });
  });
});
