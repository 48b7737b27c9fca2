/** One value of the text format of Prometheus. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const SAMPLE = /^(?<name>[a-zA-Z_:][\w:]*)(?:\{(?<labels>.*)\})? (?<value>\S+)$/;
const LABEL = /(?<name>[a-zA-Z_]\w*)="(?<value>(?:[^"\\]|\\.)*)"/g;

/** Parses the values of a text. Throws for a line that is neither one nor a comment. */
export function samplesOf(text: string): Sample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const { name = '', labels = '', value } = SAMPLE.exec(line)?.groups ?? {};
      if (value === undefined) throw new Error(`not a line of metrics: ${line}`);
      const pairs = [...labels.matchAll(LABEL)].map(({ groups }) => [groups?.['name'] ?? '', groups?.['value'] ?? '']);
      return {
        name,
        labels: Object.fromEntries(pairs),
        value: value === '+Inf' ? Number.POSITIVE_INFINITY : Number(value),
      };
    });
}

/** The sum of the values with these labels; undefined if there is none. */
export function metricValue(
  text: string,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const found = samplesOf(text).filter(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  );
  return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
}

/** The metrics of a text, with their help and the labels of their values. */
export function metricsIn(text: string): { name: string; help: string; labels: string[] }[] {
  const samples = samplesOf(text);
  return [...text.matchAll(/^# HELP (?<name>\S+) (?<help>.*)$/gm)].map(({ groups }) => {
    const name = groups?.['name'] ?? '';
    const own = samples.filter(
      (sample) => sample.name.replace(/_(?:bucket|sum|count)$/, '') === name || sample.name === name,
    );
    return {
      name,
      help: groups?.['help'] ?? '',
      labels: [...new Set(own.flatMap(({ labels }) => Object.keys(labels)))],
    };
  });
}
