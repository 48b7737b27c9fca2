import { AsyncLocalStorage } from 'node:async_hooks';

/** The request that this work belongs to. */
export interface RequestContext {
  /** Of the caller if it sent a usable one, else made by the server. */
  readonly id: string;
}

const storage = new AsyncLocalStorage<RequestContext>();

/** Runs `work` as part of a request: what it logs carries the request's id. */
export const runInRequest = <T>(request: RequestContext, work: () => T): T => storage.run(request, work);

/** Runs background work that a request only woke, so that it is not taken for a part of that request. */
export const runOutsideRequests = <T>(work: () => T): T => storage.exit(work);

/** The id of the current request; undefined in background work. */
export const currentRequestId = (): string | undefined => storage.getStore()?.id;
