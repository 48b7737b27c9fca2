import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { MINUTE_MS } from '../../platform/base/durations.js';
import { ExternalEditSubmitter } from './external-edit-submitter.service.js';

const EVERY_MS = MINUTE_MS;

@Injectable()
export class ExternalEditsJob {
  constructor(private readonly edits: ExternalEditSubmitter) {}

  @Interval(EVERY_MS)
  wake(): void {
    this.edits.wake();
  }
}
