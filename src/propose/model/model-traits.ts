/** What a model's API takes besides the prompt. */
export interface ModelTraits {
  /** Sampling parameters: gone with the models after 4.6, which refuse them. */
  readonly temperature: number | undefined;
  /** How much a model thinks before it answers; its thoughts count as output tokens. */
  readonly effort: 'low' | undefined;
}

const TEMPERATURE = 0.3;

/** By the name's family and version. Of a name that we cannot read, as behind a gateway, nothing is assumed. */
export function modelTraits(model: string): ModelTraits {
  const [, major = '', minor = '0'] = model.match(/^claude-[a-z]{1,20}-(\d)(?:-(\d{1,2}))?(?:-\d{8})?$/) ?? [];
  if (major === '') return { temperature: undefined, effort: undefined };
  const version = Number(major) * 100 + Number(minor);
  return { temperature: version <= 406 ? TEMPERATURE : undefined, effort: version > 406 ? 'low' : undefined };
}
