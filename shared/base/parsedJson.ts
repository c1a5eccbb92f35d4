/** Returns the value of a JSON text. Undefined if there is no text, or if the text is not JSON. */
export function parsedJson(text: string | null | undefined): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}
