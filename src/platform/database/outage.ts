/**
 * SQLSTATEs and classes of them that say that the server cannot work now, whatever the statement: connections (08), full
 * disk, memory or connections (53), a shutdown (57P), an input or output error of the system (58), a server that only
 * reads, and a wait for a lock or a statement that took too long. Write conflicts arrive here after the last attempt.
 */
const STATES = /^(?:08...|53...|57P0.|58...|25006|55P03|57014|40001|40P01)$/;

/** Errors of a connection itself, and Prisma's codes for a server that it cannot reach or wait for. */
const CODES = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'],
  ...['ENOTFOUND', 'EAI_AGAIN', 'ENOSPC', 'EDQUOT'],
  ...['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028', 'P2034', 'P2037'],
]);

/** The kinds of the driver adapter for the same. */
const KINDS = new Set(['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TooManyConnections']);

/**
 * The driver has no code for the first ones. PostgreSQL has none, or one of missing rights, for a file that cannot be
 * written, as on a disk that was mounted to be read only.
 */
const MESSAGES =
  /^(?:could not .{1,300}: (?:Read-only file system|File too large|(?:Disk q|Q)uota exceeded|I\/O error)$|Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|the database system is (?:starting up|shutting down|in recovery))/;

/** How deep an error may be wrapped. */
const MAX_DEPTH = 6;

/**
 * True if the database is away or cannot store anything at the moment: the same request may succeed later. Reads the
 * wrapped errors too, because Prisma wraps those of the driver.
 */
export function isOutage(error: unknown, depth = 0): boolean {
  if (typeof error !== 'object' || error === null || depth > MAX_DEPTH) return false;
  // A failed request of this server to another one has its own errors.
  if (error instanceof TypeError) return false;
  const { code, originalCode, kind, message, originalMessage, cause, meta, driverAdapterError, errors } =
    fieldsOf(error);
  if ([code, originalCode].some(isOutageCode)) return true;
  if (typeof kind === 'string' && KINDS.has(kind)) return true;
  if ([message, originalMessage].some((text) => typeof text === 'string' && MESSAGES.test(text))) return true;
  const inner = Array.isArray(errors) ? errors : [];
  return [cause, meta, driverAdapterError, ...inner].some((wrapped) => isOutage(wrapped, depth + 1));
}

const isOutageCode = (code: unknown): boolean => typeof code === 'string' && (STATES.test(code) || CODES.has(code));

type Fields = Partial<
  Record<
    | 'code'
    | 'originalCode'
    | 'kind'
    | 'message'
    | 'originalMessage'
    | 'cause'
    | 'meta'
    | 'driverAdapterError'
    | 'errors',
    unknown
  >
>;
const fieldsOf = (error: object): Fields => error;

/** True for damaged pages or indexes of the database (XX001, XX002). */
export function isDamage(error: unknown, depth = 0): boolean {
  if (typeof error !== 'object' || error === null || depth > MAX_DEPTH) return false;
  const { code, originalCode, cause, meta, driverAdapterError } = fieldsOf(error);
  if ([code, originalCode].some((state) => state === 'XX001' || state === 'XX002')) return true;
  return [cause, meta, driverAdapterError].some((wrapped) => isDamage(wrapped, depth + 1));
}
