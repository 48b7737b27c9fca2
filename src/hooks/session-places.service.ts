import { Injectable } from '@nestjs/common';
import { type StoredSession, StoredSessions } from '../capture/gathering/stored-sessions.service.js';
import type { HookFacts } from '../capture/hook-events/hook-event.js';
import type { HookProduct } from '../capture/hook-events/products.js';
import { FifoCache } from '../platform/background/fifo-cache.js';
import type { Place } from './place.js';

const MAX_SESSIONS = 10_000;

interface KnownPlace {
  readonly projects: ReadonlySet<string>;
  readonly versions: ReadonlyMap<string, string>;
}

/**
 * What the events of a session say about its place. A process that does not know a session, after a restart or beside
 * another process, reads what is stored of it.
 */
@Injectable()
export class SessionPlaces {
  /** By row of the session's fragments. */
  private readonly places = new FifoCache<KnownPlace>(MAX_SESSIONS);

  constructor(private readonly stored: StoredSessions) {}

  /** The place of a session after one more of its events, which is stored. */
  async after(product: HookProduct, facts: HookFacts, session: StoredSession): Promise<Place> {
    const isKnown = this.places.get(session.assembly) !== undefined;
    const seen = isKnown ? [facts] : [...(await this.stored.places(session)), facts];
    // Read after the wait, in which other events of the session may have come.
    const known = seen.reduce(placeAfter, this.places.get(session.assembly) ?? NOWHERE);
    this.places.set(session.assembly, known);
    return { harness: product, projects: [...known.projects], versions: known.versions };
  }
}

const NOWHERE: KnownPlace = { projects: new Set(), versions: new Map() };

function placeAfter(
  before: KnownPlace,
  { project, environment = {} }: Pick<HookFacts, 'project' | 'environment'>,
): KnownPlace {
  const named = [project, environment.project, environment.repository].filter((one) => one !== undefined);
  const versions = (environment.interpreters ?? []).map(({ name, version }) => [name, version] as const);
  return {
    projects: new Set([...before.projects, ...named]),
    versions: new Map([...before.versions, ...versions]),
  };
}
