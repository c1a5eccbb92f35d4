/** The positions of the values of a row in an object. */
import { isScalar, type Path, type Scalar } from './template.ts'

/** A value for each row, or one value for all rows. */
export type Column = Scalar | readonly Scalar[]

export function valueAt(column: Column, row: number): Scalar | undefined {
  return isScalar(column) ? column : column[row]
}

/** The members that hold values of rows, and the members that contain such members. */
export type Shape = {
  readonly values: readonly { readonly name: string | number; readonly column: Column }[]
  readonly inner: readonly { readonly name: string | number; readonly shape: Shape }[]
}

export function shapeOf(paths: readonly Path[], columns: readonly Column[]): Shape {
  const inner = new Map<string | number, { readonly paths: Path[]; readonly columns: Column[] }>()
  const values: { name: string | number; column: Column }[] = []
  for (const [index, [name, ...rest]] of paths.entries()) {
    const column = columns[index]
    if (name === undefined || column === undefined) continue
    if (rest.length === 0) {
      values.push({ name, column })
      continue
    }
    const below = inner.get(name) ?? { paths: [], columns: [] }
    inner.set(name, below)
    below.paths.push(rest)
    below.columns.push(column)
  }
  return { values, inner: [...inner].map(([name, below]) => ({ name, shape: shapeOf(below.paths, below.columns) })) }
}

/**
 * Returns a copy with the values of a row. Members without values of rows are shared with the object. The object must have a place for each value.
 */
export function withValues(object: object, shape: Shape, row: number): object {
  return shape.inner.length === 0 && !Array.isArray(object) ? withOwn(object, shape, row) : withInner(object, shape, row)
}

/** Most objects of a cluster are pods. A separate function for them is several times as fast, since V8 then sees one object shape only. */
function withOwn(object: object, { values }: Shape, row: number): object {
  const copy: { [name: string | number]: unknown } = { ...object }
  for (let index = 0; index < values.length; index++) {
    const value = values[index]
    if (value !== undefined) copy[value.name] = valueAt(value.column, row)
  }
  return copy
}

function withInner(object: object, { values, inner }: Shape, row: number): object {
  const copy = (Array.isArray(object) ? [...object] : { ...object }) as { [name: string | number]: unknown }
  for (const { name, column } of values) copy[name] = valueAt(column, row)
  for (const { name, shape } of inner) copy[name] = withInner(copy[name] as object, shape, row)
  return copy
}

/** Returns the value at a path. Undefined if there is none. */
export function atPath(object: object, path: Path): unknown {
  let found: unknown = object
  for (const step of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, step)) return undefined
    found = Reflect.get(found, step)
  }
  return found
}
