import { Injectable } from '@nestjs/common';

/**
 * Whether this process can currently reach the second model that corroborates memories. A memory that is written while
 * the model is unavailable is marked so, and is worth no more than one that was never checked.
 */
@Injectable()
export class VerifierAvailability {
  private unavailable = false;

  isUnavailable(): boolean {
    return this.unavailable;
  }

  setUnavailable(value: boolean): void {
    this.unavailable = value;
  }
}
