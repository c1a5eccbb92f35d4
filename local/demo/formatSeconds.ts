/** A duration for a reader: `2.6 s`. Never below zero, since clocks of two processes differ. */
export function formatSeconds(ms: number): string {
  return `${(Math.max(0, ms) / 1000).toFixed(1)} s`
}
