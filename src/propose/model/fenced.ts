import { generalOf } from '../../untrusted/redaction/redact-deep.js';
import { fenceAll } from '../../untrusted/text/fence.js';
import { mapStrings } from '../../untrusted/text/map-strings.js';
import { withoutBareHosts } from '../../untrusted/text/named-hosts.js';

declare const fenced: unique symbol;

/** What a model may be sent. Only this file makes it. */
export type Fenced = string & { readonly [fenced]: true };

/** The data of a prompt in the words of one of our templates. */
export const framed = (frame: (fenced: string) => string, data: Fenced): Fenced =>
  // The brand exists for the compiler only. The words around the fence are ours.
  frame(data).trim() as Fenced;

/**
 * The records between the tags of a fence, each text redacted and generalised: no host, address, folder or person of a
 * report reaches the server of a model, whichever road it took here. `nonce`: 128 random bits as hex, new for every prompt.
 */
export const fencedForModel = (records: readonly Readonly<Record<string, string>>[], nonce: string): Fenced =>
  // Fenced here.
  fenceAll(mapStrings(generalOf(records), withoutBareHosts), nonce) as Fenced;
