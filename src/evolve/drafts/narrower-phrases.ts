import type { ProjectKind } from '../../capture/observations/project-kind.js';
import type { Phrases } from './phrase.js';

const NAMES: Readonly<Record<ProjectKind, string>> = {
  python: 'Python',
  javascript: 'JavaScript or TypeScript',
  rust: 'Rust',
  go: 'Go',
  jvm: 'Java, Kotlin or Scala',
  dotnet: '.NET',
  ruby: 'Ruby',
  php: 'PHP',
  c: 'C or C++',
  swift: 'Swift',
  elixir: 'Elixir',
};

/** Limits the phrases to one kind of project. */
export function inProject(phrases: Phrases, project: ProjectKind): Phrases {
  const name = NAMES[project];
  const article = /^[AEIOU]/.test(name) ? 'an' : 'a';
  return {
    ...phrases,
    name: `${phrases.name} in ${project}`,
    title: `${phrases.title} (${name})`,
    when: `working on ${article} ${name} project and ${phrases.when}`,
    condition: `In ${article} ${name} project: ${lower(phrases.condition)}`,
  };
}

/** Limits the phrases to a failure right after other steps. `steps`: their names in plain text. */
export function rightAfter(phrases: Phrases, steps: string): Phrases {
  return {
    ...phrases,
    name: `${phrases.name} after ${steps}`,
    title: `${phrases.title} after ${steps}`,
    when: `${steps} has just been run and ${phrases.when}`,
    condition: `Right after ${steps}: ${lower(phrases.condition)}`,
    gotchas: [...phrases.gotchas, `It was only seen right after ${steps}.`],
  };
}

const lower = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
