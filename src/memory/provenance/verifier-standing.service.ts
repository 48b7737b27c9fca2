import { Injectable } from '@nestjs/common';

/**
 * Whether the second model that corroborates memories can be asked, as far as this process knows. What is written while
 * it cannot says so, and is worth no more than what was not looked at (source [004], rule 2).
 */
@Injectable()
export class VerifierStanding {
  private away = false;

  isAway(): boolean {
    return this.away;
  }

  say(away: boolean): void {
    this.away = away;
  }
}
