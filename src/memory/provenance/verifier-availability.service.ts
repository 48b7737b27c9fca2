import { Injectable } from '@nestjs/common';

/**
 * Whether the second model that corroborates memories can be asked, as far as this process knows. What is written while
 * it cannot says so, and is worth no more than what was not looked at (source [004], rule 2).
 */
@Injectable()
export class VerifierAvailability {
  private unavailable = false;

  isUnavailable(): boolean {
    return this.unavailable;
  }

  setUnavailable(away: boolean): void {
    this.unavailable = away;
  }
}
