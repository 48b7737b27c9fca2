const UUID_7 = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/**
 * When a thread with such an id began, which the first 48 bits of a UUID of version 7 say in milliseconds since 1970 (RFC
 * 9562). Undefined for another id, and for a time after `before` (ISO 8601), which is no time of this thread.
 */
export function timeOfThread(id: string | undefined, before: string | undefined): string | undefined {
  const [, high, low] = UUID_7.exec(id ?? '') ?? [];
  if (high === undefined || low === undefined) return undefined;
  const time = Number.parseInt(high + low, 16);
  const end = Date.parse(before ?? '');
  return time <= 8.64e15 && (Number.isNaN(end) || time <= end) ? new Date(time).toISOString() : undefined;
}
