import { sumBy } from '../../platform/base/sum.js';
import { print } from '../terminal/terminal.js';

/** Runs the steps of the demo: prints a heading for each and measures its seconds. */
export class DemoSteps {
  private readonly taken = new Map<string, number>();

  async run<T>(name: string, heading: string, work: () => Promise<T>): Promise<T> {
    print(`\n== ${heading}`);
    const began = performance.now();
    try {
      return await work();
    } finally {
      this.taken.set(name, Math.round((performance.now() - began) / 10) / 100);
    }
  }

  /** Seconds by step, with their sum as `total`. */
  seconds(): Record<string, number> {
    const total = sumBy([...this.taken.values()], (seconds) => seconds);
    return { ...Object.fromEntries(this.taken), total: Math.round(total * 100) / 100 };
  }
}
