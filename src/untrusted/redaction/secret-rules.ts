import { LinearPattern } from '../text/linear-pattern.js';
import { COMMAND_RULES, LOGIN_RULES } from './command-rules.js';
import { CONFIGURATION_RULES } from './configuration-rules.js';
import { GITLEAKS_RULES } from './gitleaks-rules.js';
import { PROSE_RULES } from './prose-rules.js';
import { NAMED_SERVICE_RULES, PROVIDER_RULES } from './provider-rules.js';
import type { SecretRule } from './secret-rule.js';
import { KEY_RULES, LOCATION_RULES, NAME_RULES } from './structural-rules.js';

/** Rules of gitleaks that only identify a kind of value; our own rules are more precise. */
const GENERIC = /^(?:generic-|curl-|private-key$|jwt)/;
/** Rules of gitleaks that recognise a value by a provider name before it, not by its own form. */
const PROVIDER_NAME_PREFIX = /\(\?:=\|>/;

const generic = GITLEAKS_RULES.filter(({ id }) => GENERIC.test(id));
const specific = GITLEAKS_RULES.filter(({ id }) => !GENERIC.test(id));
const needsProviderName = ({ pattern }: SecretRule): boolean =>
  pattern instanceof LinearPattern && PROVIDER_NAME_PREFIX.test(pattern.source);

const selfIdentifying = [...KEY_RULES, ...PROVIDER_RULES, ...specific.filter((rule) => !needsProviderName(rule))];

/** In order of precedence: if two rules match the same text, the first one names it. */
export const SECRET_RULES: readonly SecretRule[] = [
  ...selfIdentifying,
  ...LOCATION_RULES,
  ...COMMAND_RULES,
  ...specific.filter(needsProviderName),
  ...NAME_RULES,
  ...CONFIGURATION_RULES,
  ...LOGIN_RULES,
  ...PROSE_RULES,
  ...NAMED_SERVICE_RULES,
  ...generic,
];

/**
 * The number of rules at the beginning of SECRET_RULES that recognise a secret by its own form, regardless of its
 * context.
 */
export const SELF_IDENTIFYING_COUNT = selfIdentifying.length;
