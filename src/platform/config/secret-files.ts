import { readFileSync } from 'node:fs';
import type { Environment } from './environment.js';
import type { Setting } from './setting.js';

const SUFFIX = '_FILE';
const LONGEST_SECRET = 64 * 1024;

/** The variable that names a file with the value of a secret setting, as Docker and Kubernetes mount secrets. */
export const secretFileVariable = ({ env }: Pick<Setting, 'env'>): string => `${env}${SUFFIX}`;

/** The `<NAME>_FILE` of such a secret is a separate setting, so no file with the secret is read from it. */
export const hasSecretFile = ({ secret, hasOwnFile }: Setting): boolean => secret === true && hasOwnFile !== true;

/**
 * Returns the environment with the secrets from their files, and a problem for each file that cannot be used. A problem
 * names the variable and neither its value, which could be the secret by mistake, nor the content of the file.
 */
export function withSecretFiles(
  environment: Environment,
  settings: readonly Setting[],
): { environment: Environment; problems: string[] } {
  const found: Record<string, string> = {};
  const problems: string[] = [];
  for (const setting of settings.filter(hasSecretFile)) {
    const variable = secretFileVariable(setting);
    const file = environment[variable];
    if (!file) continue;
    const read = environment[setting.env] ? `set this or ${setting.env}, not both` : readSecret(file);
    if (typeof read === 'string') problems.push(`${variable}: ${read}`);
    else found[setting.env] = read.value;
  }
  return { environment: { ...environment, ...found }, problems };
}

/** Returns the text without its trailing newline, or what is wrong with the file. */
function readSecret(file: string): { value: string } | string {
  try {
    const bytes = readFileSync(file);
    if (bytes.length > LONGEST_SECRET) return 'the file is too long for a secret';
    const value = bytes.toString('utf8').replace(/\r?\n$/, '');
    return value.trim() === '' ? 'the file is empty' : { value };
  } catch (error) {
    // Every error of node:fs has this type. Its message would quote the path.
    return `the file cannot be read (${(error as NodeJS.ErrnoException).code ?? 'error'})`;
  }
}
