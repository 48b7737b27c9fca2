/** The skills that a consumer lists: name → description. */
export type Listing = ReadonlyMap<string, string>;

export interface ExpectedListing {
  readonly name: string;
  readonly description: string;
}

/** Problems of a listing; empty if it has each skill with its whole description. */
export function differences(listing: Listing, expected: readonly ExpectedListing[]): string[] {
  return expected.flatMap(({ name, description }) => {
    const found = listing.get(name);
    if (found === undefined) return [`${name} is not listed`];
    return found === description ? [] : [`${name} is described as ${JSON.stringify(found)}`];
  });
}

/** `- <prefix>name: description`, on lines of a prompt, as Claude Code and Codex offer skills to a model. */
export function fromPrompt(text: string, prefix: string): Listing {
  const lines = text.split('\n').filter((line) => line.startsWith(`- ${prefix}`));
  return new Map(
    lines.map((line): [string, string] => {
      const entry = line.slice(2 + prefix.length);
      const colon = entry.indexOf(': ');
      return [entry.slice(0, colon), entry.slice(colon + 2).replace(/ \(file: [^()]*\)$/, '')];
    }),
  );
}

/** All strings in a JSON text, joined by lines: the prompts of a request, wherever they are. */
export function stringsOf(json: string): string {
  const found: string[] = [];
  JSON.parse(json, (_key, value: unknown) => {
    if (typeof value === 'string') found.push(value);
    return value;
  });
  return found.join('\n');
}

/** `name [Enabled]` and a line `Description: …` below it. */
export function fromGemini(text: string): Listing {
  const found = text.matchAll(/^(\S+) \[Enabled\].*\n\s*Description:\s*(.*)$/gm);
  return new Map([...found].map(([, name = '', description = '']) => [name, description.trim()]));
}

/** A JSON array of objects with name and description. */
export function fromJson(text: string): Listing {
  const items: unknown = JSON.parse(text);
  if (!Array.isArray(items)) throw new TypeError('not a list');
  return new Map(items.map((item) => [String(item?.name), String(item?.description)]));
}

/** Names and descriptions as paragraphs after a rule, as the `skills` command prints them under "Available Skills". */
export function fromSkills(text: string): Listing {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours of a terminal
  const plain = text.replace(/\u001b\[[0-9;?]*[A-Za-z]/g, '');
  const lines = plain.slice(plain.indexOf('Available Skills')).split('\n');
  const words = lines.flatMap((line) => /^│ {4,}(\S.*)$/.exec(line.trimEnd())?.[1] ?? []);
  return new Map(words.flatMap((word, index) => (index % 2 === 0 ? [[word, words[index + 1] ?? '']] : [])));
}
