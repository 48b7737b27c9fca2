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
    const read = (id: string) => readRows('memory', [{ id }], () => z.string().parse(1));
    const recordsOf = (id: string) => {
      expect(read(id)).toEqual([]);
      return logged.splice(0).filter((line) => JSON.stringify(line).includes(id));
    };
    // Applications of other specs, which share the modules of this worker.
    const others = recordsOf('none').length;
    const [unbuilt, running] = [new DamagedData(new Readiness()), new DamagedData(new Readiness())];
    running.onModuleInit();
    const records = recordsOf('first');
    expect(records).toHaveLength(others + 1);
    expect(records).toContainEqual({
      event: 'DAMAGED_ROW',
      table: 'memory',
      id: 'first',
      reason: ': invalid_type',
      count: 1,
    });
    running.onApplicationShutdown();
    unbuilt.onApplicationShutdown();
    expect(recordsOf('second')).toHaveLength(others);
  });
});
