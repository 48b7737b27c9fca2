import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { HandEdits } from './hand-edits.service.js';

const EVERY_MS = 60_000;

@Injectable()
export class HandEditsJob {
  constructor(private readonly edits: HandEdits) {}

  @Interval(EVERY_MS)
  wake(): void {
    this.edits.wake();
  }
}
