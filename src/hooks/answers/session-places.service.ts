import { Injectable } from '@nestjs/common';
import type { HookFacts } from '../../capture/hook-events/hook-event.js';
import type { HookProduct } from '../../capture/hook-events/products.js';
import { FifoCache } from '../../platform/background/fifo-cache.js';
import type { Place } from '../advice/place.js';

const MAX_SESSIONS = 10_000;

interface KnownPlace {
  readonly projects: ReadonlySet<string>;
  readonly versions: ReadonlyMap<string, string>;
}

/** What the events of a session say about its place. A new process learns it from the next events. */
@Injectable()
export class SessionPlaces {
  private readonly places = new FifoCache<KnownPlace>(MAX_SESSIONS);

  /** The place of a session after one more of its events. */
  after(product: HookProduct, { session, project, environment = {} }: HookFacts): Place {
    const before = this.places.get(session);
    const named = [project, environment.project, environment.repository].filter((one) => one !== undefined);
    const versions = (environment.interpreters ?? []).map(({ name, version }) => [name, version] as const);
    const known = {
      projects: new Set([...(before?.projects ?? []), ...named]),
      versions: new Map([...(before?.versions ?? []), ...versions]),
    };
    // Moves the session to the end of the order in which they are forgotten.
    this.places.delete(session);
    this.places.set(session, known);
    return { harness: product, projects: [...known.projects], versions: known.versions };
  }
}
