import { afterEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { z } from 'zod';
import { readRows } from '../database/damaged-rows.js';
import { DamagedData } from './damaged-data.service.js';
import { Readiness } from './readiness.service.js';

describe('the record of damaged rows', () => {
  const logged: unknown[] = [];
  const nothing = () => undefined;
  afterEach(() => Logger.overrideLogger(false));

  it('begins with its application and ends with it, and one that was never started records nothing', () => {
    Logger.overrideLogger({ log: nothing, warn: nothing, error: (line: unknown) => logged.push(line) });
    const [unbuilt, running] = [new DamagedData(new Readiness()), new DamagedData(new Readiness())];
    const read = (id: string) => readRows('memory', [{ id }], () => z.string().parse(1));
    running.onModuleInit();
    expect(read('first')).toEqual([]);
    expect(logged).toEqual([
      { event: 'DAMAGED_ROW', table: 'memory', id: 'first', reason: ': invalid_type', count: 1 },
    ]);
    running.onApplicationShutdown();
    unbuilt.onApplicationShutdown();
    read('second');
    expect(logged).toHaveLength(1);
  });
});
