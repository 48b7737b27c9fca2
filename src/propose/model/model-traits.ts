/** The parameters that a model's API takes besides the prompt. */
export interface ModelTraits {
  /** Models after 4.6 refuse sampling parameters. */
  readonly temperature: number | undefined;
  /** How much a model thinks before it answers; its thinking counts as output tokens. */
  readonly effort: 'low' | undefined;
}

const TEMPERATURE = 0.3;

/** Reads family and version from the model's name. Assumes nothing about an unknown name, as behind a gateway. */
export function modelTraits(model: string): ModelTraits {
  const [, major = '', minor = '0'] = model.match(/^claude-[a-z]{1,20}-(\d)(?:-(\d{1,2}))?(?:-\d{8})?$/) ?? [];
  if (major === '') return { temperature: undefined, effort: undefined };
  const version = Number(major) * 100 + Number(minor);
  return { temperature: version <= 406 ? TEMPERATURE : undefined, effort: version > 406 ? 'low' : undefined };
}
