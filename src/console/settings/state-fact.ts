/** A line of the current state of the server. */
export interface StateFact {
  readonly name: string;
  readonly says: string;
  readonly isBad: boolean;
  /** What a person runs to change it, one statement a line. */
  readonly toRun?: string;
}

export const fact = (name: string, says: string, isBad = false): StateFact => ({ name, says, isBad });

/** Nothing while the role of background work is in force, or if the database can have none. */
export function roleFacts(state: {
  readonly roleProblem: string | undefined;
  readonly roleSql: readonly string[];
}): StateFact[] {
  const { roleProblem, roleSql } = state;
  if (roleSql.length === 0) return [];
  const says = `not in force: ${roleProblem ?? ''}. Let an administrator of the database server run this, then restart Guildbook:`;
  return [{ ...fact('Role of background work', says, true), toRun: roleSql.join('\n') }];
}
