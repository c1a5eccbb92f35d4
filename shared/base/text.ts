/** The text, or its beginning and `...` if it has more bytes in UTF-8 than `most`. No character is cut in two. */
export function cutText(text: string, most: number): string {
  if (text.length * 3 <= most) return text
  let bytes = 0
  let kept = 0
  for (const character of text) {
    bytes += bytesOf(character)
    if (bytes > most) return `${text.slice(0, kept)}...`
    if (bytes <= most - 3) kept += character.length
  }
  return text
}

/** A surrogate without its pair is written as U+FFFD, which has three bytes. */
function bytesOf(character: string): number {
  const code = character.codePointAt(0) ?? 0
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
}

/**
 * Returns a function that copies an object so that the copy, and copies of the copy, take less memory. V8 stores the members inside an object when
 * their number is known at creation, as in parsed JSON. When members were added one by one, V8 stores most of them in a separate list.
 */
export function pieceMaker(): <Value extends object>(object: Value) => Value {
  /** Template objects by their member names, in order. */
  const empty = new Map<string, object>()
  return (object) => {
    const names = JSON.stringify(Object.keys(object))
    const known = empty.get(names)
    const places: object = known ?? JSON.parse(JSON.stringify(Object.fromEntries(Object.keys(object).map((name) => [name, null]))))
    if (known === undefined) empty.set(names, places)
    return Object.assign({ ...places }, object)
  }
}

/** Returns the text on one line. Each line break becomes a space, with the spaces around it. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ')
}

/** Returns the words of the lines, in order. Keeps long lists of names readable in code. */
export function words(...lines: readonly string[]): string[] {
  return lines.flatMap((line) => line.split(' '))
}

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
