/** A group of lines in the list of Karpenter's own tests. Each line is in the name of a test here, or in `rows`. */
export type KarpenterGroup = {
  readonly about: string
  /** The number of lines of each kind. The numbers begin at 01. */
  readonly kinds: { readonly [kind: string]: number }
  /** Lines that no test name has. */
  readonly rows: readonly KarpenterLine[]
}

/** Lines that no test name here has. Each row says why, and what holds here instead. */
export type KarpenterLine = {
  /** Ids, separated by spaces. */
  readonly lines: string
  /** What Karpenter tests. */
  readonly what: string
  /** Absent: the same holds here, in a test with another name. */
  readonly why?: string
  /** Tests of what holds here, by file, with a part of each test name. */
  readonly shown?: Shown
}

export type Shown = { readonly [file: string]: readonly string[] }

/** The ids of all lines of the kinds. */
export function linesOf(kinds: { readonly [kind: string]: number }): readonly string[] {
  const idsOf = ([kind, count]: [string, number]): readonly string[] =>
    Array.from({ length: count }, (_, index) => `${kind}-${String(index + 1).padStart(2, '0')}`)
  return Object.entries(kinds).flatMap(idsOf)
}
