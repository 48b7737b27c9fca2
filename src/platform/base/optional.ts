/** An object with this member, or without members if the value is undefined: `exactOptionalPropertyTypes` needs it. */
export function optional<N extends string, V>(name: N, value: V | undefined): { [K in N]?: V } {
  // The object has no member but the one that its type names.
  return (value === undefined ? {} : { [name]: value }) as { [K in N]?: V };
}
