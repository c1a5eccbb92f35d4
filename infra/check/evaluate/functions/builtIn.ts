// The form in which Bicep's functions are written here.
import { type Place, Refusal } from '../../parse/syntax.ts'
import type { Frame } from '../frame.ts'
import { isList, isObject, kindOf, Lambda, type Value, type ValueObject } from '../value.ts'

/** A function of Bicep. `given` holds the arguments. With `all` they are known in full; with `shape` the items inside them may be open. */
export type BuiltIn = {
  readonly least: number
  readonly most: number
  readonly knows: 'all' | 'shape'
  readonly run: (given: readonly Value[], context: { readonly frame: Frame; readonly place: Place }) => Value
}

export type BuiltIns = { readonly [name: string]: BuiltIn }

export const fn = (least: number, most: number, run: BuiltIn['run']): BuiltIn => ({ least, most, knows: 'all', run })
export const shapeFn = (least: number, most: number, run: BuiltIn['run']): BuiltIn => ({ least, most, knows: 'shape', run })

export function asText(value: Value | undefined, place: Place): string {
  if (typeof value === 'string') return value
  throw new Refusal(place, `a string is needed, not ${kindOf(value ?? null)}`)
}

export function asNumber(value: Value | undefined, place: Place): number {
  if (typeof value === 'number') return value
  throw new Refusal(place, `an int is needed, not ${kindOf(value ?? null)}`)
}

export function asList(value: Value | undefined, place: Place): readonly Value[] {
  if (value !== undefined && isList(value)) return value
  throw new Refusal(place, `an array is needed, not ${kindOf(value ?? null)}`)
}

export function asObject(value: Value | undefined, place: Place): ValueObject {
  if (value !== undefined && isObject(value)) return value
  throw new Refusal(place, `an object is needed, not ${kindOf(value ?? null)}`)
}

export function asLambda(value: Value | undefined, place: Place): Lambda {
  if (value instanceof Lambda) return value
  throw new Refusal(place, `a lambda is needed, not ${kindOf(value ?? null)}`)
}
