/** The words of a text, in order: how a long list of plain names is written so that it can be read. */
export function words(...lines: readonly string[]): string[] {
  return lines.flatMap((line) => line.split(' '))
}
