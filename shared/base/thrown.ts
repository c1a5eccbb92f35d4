/** The message of what was thrown. Anything can be thrown, not only an Error. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
