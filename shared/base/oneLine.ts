/** Returns the text on one line. Each line break becomes a space, with the spaces around it. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ')
}
