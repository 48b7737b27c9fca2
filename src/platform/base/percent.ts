/**
 * A share from 0 to 1 as a whole percentage. Only exactly 1 gives 100 and only exactly 0 gives 0: rounding must not
 * hide the one exception among many.
 */
export function percentOf(share: number): number {
  if (share <= 0) return 0;
  if (share >= 1) return 100;
  return Math.min(99, Math.max(1, Math.round(share * 100)));
}

/** The same as text, such as "83 %". A share that rounding would hide reads "> 99 %" or "< 1 %". */
export function percentText(share: number): string {
  const rounded = Math.round(share * 100);
  const percent = percentOf(share);
  if (percent < rounded) return `> ${percent} %`;
  if (percent > rounded) return `< ${percent} %`;
  return `${percent} %`;
}
