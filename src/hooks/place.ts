import type { Binding } from '../evidence/predicate/check.schema.js';

/** Where a session runs, as far as it is known. */
export interface Place {
  readonly harness?: string | undefined;
  /** Names of the project: its label, its repository. */
  readonly projects: readonly string[];
  /** Versions by the name of the program or the system. */
  readonly versions?: ReadonlyMap<string, string>;
}

/**
 * Returns whether a lesson with this binding holds at the place. A harness or project that is not known is another one;
 * a version that is not known is no obstacle, since few sessions show it before they fail.
 */
export function holdsAt({ harness, project, environment = [] }: Binding, place: Place): boolean {
  if (harness !== undefined && harness !== place.harness) return false;
  if (project !== undefined && !place.projects.includes(project)) return false;
  return environment.every(({ name, value }) => (place.versions?.get(name) ?? value) === value);
}
