/** An object with this member, or without members if the value is undefined: `exactOptionalPropertyTypes` needs it. */
export function optional<N extends string, V>(name: N, value: V | undefined): { [K in N]?: V } {
  // The object has no member but the one that its type names.
  return (value === undefined ? {} : { [name]: value }) as { [K in N]?: V };
}

/** The object without the members that are undefined. */
export function present<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const found = Object.entries(members).filter(([, value]) => value !== undefined);
  // The object has no member but those that its type names.
  return Object.fromEntries(found) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
