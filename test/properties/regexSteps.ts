/**
 * A model of the way in which V8 tries a regular expression: at each place, option after option, back after each failure. It counts the characters
 * that are looked at. A clock would measure the machine, and V8 counts nothing. The model knows what the patterns of this project use, and refuses
 * everything else.
 */
export type Counted = { readonly matches: readonly (readonly [from: number, to: number])[]; readonly steps: number }

type Set = (code: number) => boolean
type Rest = (at: number) => number
/** Returns the end of the match, or -1. */
type Part = (text: string, at: number, rest: Rest) => number

type Reading = { readonly source: string; at: number; readonly foldCase: boolean; steps: number }

const NO = -1

/** All matches of the pattern, and the number of characters that a backtracking matcher looks at to find them. */
export function countSteps(pattern: RegExp, text: string): Counted {
  const reading: Reading = { source: pattern.source, at: 0, foldCase: pattern.flags.includes('i'), steps: 0 }
  const part = readOptions(reading)
  if (reading.at < reading.source.length) throw new Error(`the model does not know ${reading.source.slice(reading.at)}`)
  const matches: (readonly [number, number])[] = []
  for (let from = 0; from <= text.length; ) {
    const to = part(text, from, (end) => end)
    if (to > from) matches.push([from, to])
    from = to > from ? to : from + 1
  }
  return { matches, steps: reading.steps }
}

function readOptions(reading: Reading): Part {
  const options = [readSequence(reading)]
  while (reading.source[reading.at] === '|') {
    reading.at += 1
    options.push(readSequence(reading))
  }
  return (text, at, rest) => {
    for (const option of options) {
      const end = option(text, at, rest)
      if (end !== NO) return end
    }
    return NO
  }
}

function readSequence(reading: Reading): Part {
  const parts: Part[] = []
  while (reading.at < reading.source.length && !'|)'.includes(reading.source[reading.at] ?? '')) parts.push(readPart(reading))
  return parts.reduceRight<Part>(
    (after, part) => (text, at, rest) => part(text, at, (end) => after(text, end, rest)),
    (_, at, rest) => rest(at),
  )
}

function readPart(reading: Reading): Part {
  if (skip(reading, '(?<!')) return readBehind(reading)
  if (skip(reading, '(?:') || skip(reading, '(')) {
    const options = readOptions(reading)
    if (!skip(reading, ')') || '*+?{'.includes(reading.source[reading.at] ?? '|')) throw new Error('the model repeats no groups')
    return options
  }
  if (skip(reading, '\\b')) return (text, at, rest) => (isWord(text, at - 1) === isWord(text, at) ? NO : rest(at))
  if (skip(reading, '$')) return (text, at, rest) => (at === text.length ? rest(at) : NO)
  return repeated(reading, readSet(reading))
}

function readBehind(reading: Reading): Part {
  const set = readSet(reading)
  if (!skip(reading, ')')) throw new Error('the model looks back at one character')
  return (text, at, rest) => {
    reading.steps += 1
    return at > 0 && set(text.charCodeAt(at - 1)) ? NO : rest(at)
  }
}

function repeated(reading: Reading, set: Set): Part {
  const [least, most] = readCounts(reading)
  const isLazy = (least !== 1 || most !== 1) && skip(reading, '?')
  const isAt = (text: string, at: number): boolean => {
    reading.steps += 1
    return at < text.length && set(text.charCodeAt(at))
  }
  return (text, at, rest) => {
    let count = 0
    const wanted = isLazy ? least : most
    while (count < wanted && isAt(text, at + count)) count += 1
    if (count < least) return NO
    for (;;) {
      const end = rest(at + count)
      if (end !== NO) return end
      if (isLazy ? count === most || !isAt(text, at + count) : count === least) return NO
      count += isLazy ? 1 : -1
    }
  }
}

function readCounts(reading: Reading): readonly [least: number, most: number] {
  if (skip(reading, '*')) return [0, Infinity]
  if (skip(reading, '+')) return [1, Infinity]
  if (skip(reading, '?')) return [0, 1]
  const counts = /^\{(\d+)(,?)(\d*)\}/.exec(reading.source.slice(reading.at))
  if (counts === null) return [1, 1]
  reading.at += counts[0].length
  const least = Number(counts[1])
  return [least, counts[2] === '' ? least : counts[3] === '' ? Infinity : Number(counts[3])]
}

/** A character, or a class of characters. JavaScript itself says which characters it has. */
function readSet(reading: Reading): Set {
  const found = /^(?:\[(?:\\.|[^\]\\])*\]|\\[wsSd.]|[^\\[\](){}*+?|^$.])/.exec(reading.source.slice(reading.at))
  if (found === null) throw new Error(`the model does not know ${reading.source.slice(reading.at)}`)
  reading.at += found[0].length
  const one = new RegExp(`^${found[0]}$`, reading.foldCase ? 'i' : '')
  const known = new Map<number, boolean>()
  return (code) => {
    const is = known.get(code) ?? one.test(String.fromCharCode(code))
    known.set(code, is)
    return is
  }
}

function skip(reading: Reading, word: string): boolean {
  if (!reading.source.startsWith(word, reading.at)) return false
  reading.at += word.length
  return true
}

function isWord(text: string, at: number): boolean {
  return at >= 0 && at < text.length && /\w/.test(text.charAt(at))
}
