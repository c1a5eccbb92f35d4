/** Compares texts such as `1.34.2` or `202511.03.0` number by number. Missing numbers count as 0. Negative if the first one is smaller. */
export function compareDotted(first: string, second: string): number {
  const [one, other] = [numbersOf(first), numbersOf(second)]
  for (let at = 0; at < Math.max(one.length, other.length); at++) {
    const difference = (one[at] ?? 0) - (other[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

function numbersOf(text: string): readonly number[] {
  return text.split('.').map((part) => Number.parseInt(part, 10) || 0)
}
