/** Returns the words of the lines, in order. Keeps long lists of names readable in code. */
export function words(...lines: readonly string[]): string[] {
  return lines.flatMap((line) => line.split(' '))
}
