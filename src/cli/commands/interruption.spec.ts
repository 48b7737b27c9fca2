import { afterEach, describe, expect, it } from '@jest/globals';
import { Interruption } from './import.js';

describe('an interruption', () => {
  const interruption = new Interruption();
  const listeners = () => process.listenerCount('SIGINT') + process.listenerCount('SIGTERM');
  const before = listeners();
  afterEach(() => interruption.ignore());

  it('is noted while it is watched for, and two signals at once are one', () => {
    interruption.watch();
    process.emit('SIGTERM', 'SIGTERM');
    process.emit('SIGINT', 'SIGINT');
    expect(interruption.signal).toBe('SIGTERM');
    interruption.ignore();
    expect(listeners()).toBe(before);
  });

  it('does not end a program that had no signal', () => {
    const none = new Interruption();
    none.watch();
    none.finish();
    expect([none.signal, listeners()]).toEqual([undefined, before]);
  });
});
