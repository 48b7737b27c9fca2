interface Waiting<In, Out> {
  readonly item: In;
  readonly done: (out: Out) => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Does together what many ask for one by one. One run is under way at a time; what comes meanwhile waits for the next
 * run, which begins after it was asked for and so sees all that was committed before. Nothing waits for company: a single
 * item goes at once. What fails together is tried one by one, so that a bad item fails alone.
 */
export class Together<In, Out> {
  private waiting: Waiting<In, Out>[] = [];
  private running = false;

  /** `run` answers for each of its items, in their order, or for none; it gets at most `atMost` of them. */
  constructor(
    private readonly atMost: number,
    private readonly run: (items: readonly In[]) => Promise<readonly Out[]>,
  ) {}

  do(item: In): Promise<Out> {
    return new Promise((done, failed) => {
      this.waiting.push({ item, done, failed });
      if (!this.running) void this.runAll();
    });
  }

  private async runAll(): Promise<void> {
    this.running = true;
    for (let next = this.take(); next.length > 0; next = this.take()) {
      await this.attempt(next);
      // Whoever was just answered may ask again at once, and then belongs to the next run.
      await new Promise((turn) => setImmediate(turn));
    }
    this.running = false;
  }

  private take(): Waiting<In, Out>[] {
    return this.waiting.splice(0, this.atMost);
  }

  private async attempt(items: readonly Waiting<In, Out>[]): Promise<void> {
    try {
      const outs = await this.run(items.map(({ item }) => item));
      if (outs.length !== items.length) throw new Error(`${outs.length} answers for ${items.length} items`);
      // In step: `outs` has as many, and Out itself may be undefined.
      outs.forEach((out, n) => {
        items[n]?.done(out);
      });
    } catch (error) {
      if (items.length === 1) items[0]?.failed(error);
      else for (const item of items) await this.attempt([item]);
    }
  }
}
