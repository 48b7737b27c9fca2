import { Injectable } from '@nestjs/common';

/** Work that is done beside the answers; `left` is null while that is not known. */
export interface BackgroundProgress {
  readonly done: number;
  readonly left: number | null;
}

/** What a server that is ready still works at, by name. It answers meanwhile. */
@Injectable()
export class Readiness {
  private readonly work = new Map<string, () => BackgroundProgress | undefined>();

  /** `progress` is asked each time; undefined while there is nothing to tell. */
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
