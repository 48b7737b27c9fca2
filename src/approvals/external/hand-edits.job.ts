import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { MINUTE_MS } from '../../platform/base/durations.js';
import { HandEdits } from './hand-edits.service.js';

const EVERY_MS = MINUTE_MS;

@Injectable()
export class HandEditsJob {
  constructor(private readonly edits: HandEdits) {}

  @Interval(EVERY_MS)
  wake(): void {
    this.edits.wake();
  }
}
