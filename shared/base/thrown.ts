/** The message of what was thrown. Anything can be thrown, not only an Error. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

/** Returns the text of a thrown value, with its causes. */
export function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const text = error.message === '' ? error.name : error.message
  return error.cause === undefined ? text : `${text}: ${textOf(error.cause)}`
}
