import { Injectable } from '@nestjs/common';
import type { Tellable } from '../../memory/store/readable.js';
import { isNonInferable } from './non-inferable.js';

/** Which memories may be told, whatever strategy tells them (spec R2). One that throws lets nothing through. */
@Injectable()
export class MemoryFilter {
  keeps(entry: Tellable): boolean {
    return isNonInferable(entry);
  }
}
