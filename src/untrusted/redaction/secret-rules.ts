import { LinearPattern } from '../text/linear-pattern.js';
import { GITLEAKS_RULES } from './gitleaks-rules.js';
import { PROVIDER_RULES } from './provider-rules.js';
import type { SecretRule } from './secret-rule.js';
import { KEY_RULES, NAME_RULES, PLACE_RULES } from './structural-rules.js';

/** Rules of gitleaks that name a kind of value only; ours say more about it. */
const GENERIC = /^(?:generic-|curl-|private-key$|jwt)/;
/** Rules of gitleaks that know a value by the name of its provider before it, not by its own form. */
const BESIDE_A_NAME = /\(\?:=\|>/;

const generic = GITLEAKS_RULES.filter(({ id }) => GENERIC.test(id));
const particular = GITLEAKS_RULES.filter(({ id }) => !GENERIC.test(id));
const isBesideAName = ({ pattern }: SecretRule): boolean =>
  pattern instanceof LinearPattern && BESIDE_A_NAME.test(pattern.source);

const selfEvident = [...KEY_RULES, ...PROVIDER_RULES, ...particular.filter((rule) => !isBesideAName(rule))];

/** In order of precedence: where two rules take the same text, the first one names it. */
export const SECRET_RULES: readonly SecretRule[] = [
  ...selfEvident,
  ...PLACE_RULES,
  ...particular.filter(isBesideAName),
  ...NAME_RULES,
  ...generic,
];

/** How many of them, from the first on, know a secret by its own form, whatever stands around it. */
export const SELF_EVIDENT = selfEvident.length;
