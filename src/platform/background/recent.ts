/**
 * The answers of a pure function for the last keys that were new, so that what is asked again and again is worked out
 * once. Holds so many and no more: the oldest goes first. An answer is shared, so nobody may change it.
 */
export class Recent<T> {
  private readonly known = new Map<string, { readonly answer: T }>();

  constructor(private readonly most: number) {}

  of(key: string, workOut: () => T): T {
    const known = this.known.get(key);
    if (known !== undefined) return known.answer;
    const answer = workOut();
    const [oldest] = this.known.size < this.most ? [] : this.known.keys();
    if (oldest !== undefined) this.known.delete(oldest);
    this.known.set(key, { answer });
    return answer;
  }
}
