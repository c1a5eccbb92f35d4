/** Formats a duration such as `2.6 s`. Never below zero, because the clocks of two processes differ. */
export function formatSeconds(ms: number): string {
  return `${(Math.max(0, ms) / 1000).toFixed(1)} s`
}
