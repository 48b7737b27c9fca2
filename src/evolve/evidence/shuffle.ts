import { type Random, shuffle } from '../statistics/seeded-random.js';
import type { OutcomeOrder } from './tried.js';

/** Draws orders of the outcomes of one execution. Outcomes that are unknown stay where they are. */
export class OutcomeShuffler {
  private readonly places: Uint32Array;
  private readonly drawn: Uint32Array;
  private readonly order: Uint32Array;

  constructor(known: readonly (boolean | undefined)[]) {
    this.order = Uint32Array.from(known.keys());
    this.places = this.order.filter((at) => known[at] !== undefined);
    this.drawn = this.places.slice();
  }

  /** The next order. It is valid until the next draw. */
  next(random: Random): OutcomeOrder {
    this.drawn.set(this.places);
    shuffle(this.drawn, random);
    for (let at = 0; at < this.places.length; at++) {
      const [place, outcome] = [this.places[at], this.drawn[at]];
      if (place !== undefined && outcome !== undefined) this.order[place] = outcome;
    }
    return this.order;
  }
}
