import { describe, expect, it } from '@jest/globals';
import { recordedCall, worked } from '../../../test/support/recorded-calls.js';
import type { RecordedCall } from '../evidence/recorded-execution.js';
import { featuresOf } from './call-features.js';

const call = (text: string): RecordedCall => recordedCall(worked(text));

const namesOf = (text: string, kind: string): string[] =>
  featuresOf(call(text)).flatMap((feature) => (feature.kind === kind ? feature.name : []));

describe('the features of a command', () => {
  it('have a setting behind a flag, with its value and alone', () => {
    expect(namesOf('git -c http.sslVerify=false push', 'setting')).toEqual([
      '-c http.sslVerify=false',
      '-c http.sslVerify',
    ]);
    expect(namesOf('ssh -o StrictHostKeyChecking=no host ls', 'setting')[0]).toBe('-o StrictHostKeyChecking=no');
    expect(namesOf('docker run --env "MODE=fast" image', 'setting')[0]).toBe('--env MODE=fast');
    expect(namesOf('php -d memory_limit=-1 composer.phar install', 'setting')[0]).toBe('-d memory_limit=-1');
  });

  it('have a setting that is a part of its flag', () => {
    expect(namesOf('helm upgrade --set=image.tag=stable app', 'setting')).toEqual([
      '--set=image.tag=stable',
      '--set=image.tag',
    ]);
    expect(namesOf('mvn package -Dhttp.pool=false', 'setting')[0]).toBe('-Dhttp.pool=false');
  });

  it('name the key alone of a value that is a place or a secret', () => {
    expect(namesOf('docker run -e STORE=https://example.com/a image', 'setting')).toEqual(['-e STORE']);
    expect(namesOf('docker run -e TOKEN=[REDACTED:token] image', 'setting')).toEqual(['-e TOKEN']);
  });

  it('have no setting in code, in a comparison, in a flag with a value, or without a flag', () => {
    for (const text of [
      'python3 -c x=1',
      'app --if a==b',
      'app --level=high',
      'make target=all',
      'grep -e "a b=c" notes',
    ])
      expect(namesOf(text, 'setting')).toEqual([]);
    expect(namesOf('make target=all', 'operand')).toEqual(['target=all']);
  });
});
