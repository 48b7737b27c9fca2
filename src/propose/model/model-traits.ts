/** The parameters that a model's API takes besides the prompt. */
export interface ModelTraits {
  /** Models after 4.6 refuse sampling parameters. */
  readonly temperature: number | undefined;
  /** How much a model thinks before it answers; its thinking counts as output tokens. */
  readonly effort: 'low' | undefined;
}

/** For models that take a temperature, unless the operator sets one. Reference. */
const TEMPERATURE = 0.3;
/** The last version of the models that take sampling parameters. */
const LAST_WITH_TEMPERATURE = 406;

/**
 * Reads family and version from the model's name. Assumes nothing about an unknown name, as behind a gateway: it
 * receives a temperature only if the operator set one.
 */
export function modelTraits(model: string, temperature?: number): ModelTraits {
  const version = versionOf(model);
  if (version === undefined) return { temperature, effort: undefined };
  if (version > LAST_WITH_TEMPERATURE) return { temperature: undefined, effort: 'low' };
  return { temperature: temperature ?? TEMPERATURE, effort: undefined };
}

/** Returns whether the API of the model is known to refuse a temperature. */
export const refusesTemperature = (model: string): boolean => (versionOf(model) ?? 0) > LAST_WITH_TEMPERATURE;

/** The version of a Claude model as major × 100 + minor; undefined for any other name. */
function versionOf(model: string): number | undefined {
  const [, major = '', minor = '0'] = model.match(/^claude-[a-z]{1,20}-(\d)(?:-(\d{1,2}))?(?:-\d{8})?$/) ?? [];
  return major === '' ? undefined : Number(major) * 100 + Number(minor);
}
