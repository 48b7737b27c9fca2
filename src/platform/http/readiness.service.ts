import { Injectable } from '@nestjs/common';

/** Progress of background work. `left` is null while it is unknown. */
export interface BackgroundProgress {
  readonly done: number;
  readonly left: number | null;
}

/** A state that needs a person while requests are answered. Everybody can read it: it holds no name, path or address. */
export interface ReadinessProblem {
  /** Stable, such as `skills.push_held`. */
  readonly code: string;
  /** A fixed sentence. It says where an operator finds the details. */
  readonly message: string;
}

/** Reports, by name, the background work and the problems of a server that already handles requests. */
@Injectable()
export class Readiness {
  private readonly work = new Map<string, () => BackgroundProgress | undefined>();
  private readonly sources: (() => readonly ReadinessProblem[])[] = [];

  /** Calls `progress` on each request. It returns undefined while there is nothing to report. */
  register(name: string, progress: () => BackgroundProgress | undefined): void {
    this.work.set(name, progress);
  }

  /** Calls `problems` on each request. It returns an empty list while there is nothing to report. */
  registerProblems(problems: () => readonly ReadinessProblem[]): void {
    this.sources.push(problems);
  }

  problems(): ReadinessProblem[] {
    return this.sources.flatMap((problems) => problems());
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
