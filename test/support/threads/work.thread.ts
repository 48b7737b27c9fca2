export interface Work {
  readonly does: 'answers' | 'throws' | 'hangs' | 'ends' | 'fills its memory';
  readonly name: string;
}

/** The ways in which work in a thread ends. */
export default function work({ does, name }: Work): string {
  if (does === 'throws') throw new TypeError(`no ${name}`);
  if (does === 'ends') process.exit(1);
  const kept: number[][] = [];
  while (does === 'fills its memory') kept.push(Array.from({ length: 100_000 }, (_, n) => n * 1.5));
  while (does === 'hangs');
  return name;
}
