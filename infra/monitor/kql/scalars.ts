/** The value of a cell. `undefined` stands for null. */
export type Cell = string | number | boolean | undefined | readonly Cell[] | { readonly [name: string]: Cell }

/** Turns a value of JSON, or of a row, into a cell. */
export function cellOf(value: unknown): Cell {
  if (Array.isArray(value)) return value.map(cellOf)
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, cellOf(inner)]))
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : undefined
}

export function memberOf(value: Cell, name: string): Cell {
  return typeof value === 'object' && !Array.isArray(value) ? cellOf(Reflect.get(value, name)) : undefined
}

/** Returns the text of a cell as `tostring` does. */
export function textOf(value: Cell): string {
  if (value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

type Scalar = (args: readonly Cell[], now: number) => Cell

const numberOf = (cell: Cell): number | undefined => {
  if (cell === undefined || cell === '') return undefined
  const number = typeof cell === 'number' ? cell : Number(cell)
  return Number.isNaN(number) ? undefined : number
}

/** Returns null if one of the sides is null. */
const arithmetic =
  (compute: (one: number, other: number) => number): Scalar =>
  ([left, right]) => {
    const [one, other] = [numberOf(left), numberOf(right)]
    return one === undefined || other === undefined ? undefined : compute(one, other)
  }

const comparison =
  (holds: (one: number, other: number) => boolean): Scalar =>
  ([left, right]) => {
    const [one, other] = [numberOf(left), numberOf(right)]
    return one !== undefined && other !== undefined && holds(one, other)
  }

const MS: { readonly [unit: string]: number } = { millisecond: 1, second: 1_000, minute: 60_000, hour: 3_600_000 }

export const SCALARS: { readonly [name: string]: Scalar } = {
  and: ([left, right]) => left === true && right === true,
  or: ([left, right]) => left === true || right === true,
  '==': ([left, right]) => left === right,
  '!=': ([left, right]) => left !== right,
  '>': comparison((one, other) => one > other),
  '<': comparison((one, other) => one < other),
  '>=': comparison((one, other) => one >= other),
  '<=': comparison((one, other) => one <= other),
  '+': arithmetic((one, other) => one + other),
  '-': arithmetic((one, other) => one - other),
  '*': arithmetic((one, other) => one * other),
  '/': arithmetic((one, other) => one / other),
  tostring: ([value]) => textOf(value),
  todouble: ([value]) => numberOf(value),
  toint: ([value]) => {
    const number = numberOf(value)
    return number === undefined ? undefined : Math.trunc(number)
  },
  iff: ([condition, one, other]) => (condition === true ? one : other),
  isnotempty: ([value]) => value !== undefined && value !== '',
  isnotnull: ([value]) => value !== undefined,
  coalesce: (args) => args.find((value) => value !== undefined),
  round: ([value, digits]) => {
    const [number, places = 0] = [numberOf(value), numberOf(digits)]
    return number === undefined ? undefined : Math.round(number * 10 ** places) / 10 ** places
  },
  bin: arithmetic((value, size) => Math.floor(value / size) * size),
  now: (_, now) => now,
  /** Counts the boundaries of the unit between the two times, as Kusto does. */
  datetime_diff: ([unit, later, earlier]) => {
    const ms = MS[textOf(unit)]
    if (ms === undefined) throw new Error(`unit ${textOf(unit)} is not understood`)
    const [end, start] = [numberOf(later), numberOf(earlier)]
    return end === undefined || start === undefined ? undefined : Math.floor(end / ms) - Math.floor(start / ms)
  },
  bag_pack: (args) => Object.fromEntries(args.flatMap((name, at) => (at % 2 === 0 ? [[textOf(name), args[at + 1]] as const] : []))),
}
