import { Injectable } from '@nestjs/common';

/** Progress of background work. `left` is null while it is unknown. */
export interface BackgroundProgress {
  readonly done: number;
  readonly left: number | null;
}

/** Reports, by name, the background work of a server that is ready and already handles requests. */
@Injectable()
export class Readiness {
  private readonly work = new Map<string, () => BackgroundProgress | undefined>();

  /** Calls `progress` on each request. It returns undefined while there is nothing to report. */
  register(name: string, progress: () => BackgroundProgress | undefined): void {
    this.work.set(name, progress);
  }

  progress(): Record<string, BackgroundProgress> {
    return Object.fromEntries(
      [...this.work].flatMap(([name, progress]) => {
        const now = progress();
        return now === undefined ? [] : [[name, now]];
      }),
    );
  }
}
