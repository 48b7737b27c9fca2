import { expect, it } from '@jest/globals';
import { Yielder } from './yielder.js';

it('loops yield after 64 iterations at the latest, however many share a yielder', async () => {
  const yielder = new Yielder();
  let others = 0;
  let isWorking = true;
  const other = (): void => {
    others += 1;
    if (isWorking) setImmediate(other);
  };
  setImmediate(other);
  const work = async (): Promise<void> => {
    for (let piece = 0; piece < 320; piece += 1) await yielder.yieldIfDue();
  };
  await Promise.all([work(), work()]);
  isWorking = false;
  expect(others).toBeGreaterThanOrEqual(9);
});
