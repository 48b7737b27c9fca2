/**
 * A share in [0, 1] as a whole percentage, such as "83 %". A share below 1 never reads as 100 % and one above 0 never as
 * 0 %: rounding must not make a reviewer more certain than the data.
 */
export function percentText(share: number): string {
  const percent = Math.round(share * 100);
  if (percent >= 100 && share < 1) return '> 99 %';
  if (percent <= 0 && share > 0) return '< 1 %';
  return `${percent} %`;
}
