/** How large everything in the window may be, in percent. */
export const ZOOMS = [50, 67, 80, 90, 100, 110, 125, 150, 175, 200, 250, 300] as const;

/** The size after one more step up or down; 0 leads back to the usual one. */
export function zoomed(now: number, step: -1 | 0 | 1): number {
  if (step === 0) return 100;
  const beyond = step > 0 ? ZOOMS.find((one) => one > now) : ZOOMS.findLast((one) => one < now);
  return beyond ?? now;
}
