import { expect, it } from '@jest/globals';
import { Yielder } from './yielder.js';

it('work in turns lets others in after 64 pieces at the latest, however many work at once', async () => {
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
