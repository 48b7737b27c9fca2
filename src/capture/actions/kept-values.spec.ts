import { describe, expect, it } from '@jest/globals';
import { parseCommandLine } from '../../untrusted/shell/command-line.js';
import { withKeptValues } from './kept-values.js';

const words = (form: string, text: string): string =>
  withKeptValues(parseCommandLine(form), text)
    .flatMap((command) => command.words.map((word) => word.text))
    .join(' ');

describe('the values of a compared command', () => {
  it('are those of the variables in the normalised text', () => {
    expect(words('NODE_ENV=[value] npm test', 'NODE_ENV=test npm test')).toBe('NODE_ENV=test npm test');
    expect(words('docker build --build-arg V=[value] .', 'docker build --build-arg V=2 .')).toBe(
      'docker build --build-arg V=2 .',
    );
  });

  it('are the paths of interpreters, and no other paths', () => {
    expect(words('[path]/python3 [path]/a.py', '/usr/bin/python3 /srv/a.py')).toBe('/usr/bin/python3 [path]/a.py');
  });

  it('stay away where the text has none, or two for one name', () => {
    expect(words('TOKEN=[value] deploy', 'TOKEN=[value] deploy')).toBe('TOKEN=[value] deploy');
    expect(words('A=[value] x && A=[value] y', 'A=1 x && A=2 y')).toBe('A=[value] x A=[value] y');
  });
});
