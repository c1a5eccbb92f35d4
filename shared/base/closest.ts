/** Returns at most three known words that differ least from the written word. Empty if no known word is similar. */
export function closest(word: string, known: readonly string[]): readonly string[] {
  const wanted = word.toLowerCase()
  const near = known
    .map((each) => ({ each, edits: edits(wanted, each.toLowerCase()), isPart: wanted.length > 2 && each.toLowerCase().includes(wanted) }))
    .filter(({ each, edits: count, isPart }) => isPart || count <= Math.max(2, Math.floor(each.length / 3)))
  return near
    .sort((first, second) => first.edits - second.edits)
    .slice(0, 3)
    .map(({ each }) => each)
}

/** The edit distance: how many letters must be inserted, removed or changed. */
function edits(first: string, second: string): number {
  let row = Array.from({ length: second.length + 1 }, (_, index) => index)
  for (const [above, letter] of first.split('').entries()) {
    const next = [above + 1]
    for (const [index, other] of second.split('').entries()) {
      const changed = (row[index] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(changed, (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1))
    }
    row = next
  }
  return row[second.length] ?? 0
}
