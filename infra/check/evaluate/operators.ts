// Operators of two values that are both known.
import { type Place, Refusal } from '../parse/syntax.ts'
import { isList, isObject, kindOf, toJson, type Value } from './value.ts'

export function isEqual(left: Value, right: Value): boolean {
  if (isList(left) && isList(right)) return left.length === right.length && left.every((item, at) => isEqual(item, right[at] ?? null))
  if (isObject(left) && isObject(right)) {
    const keys = Object.keys(left)
    return (
      keys.length === Object.keys(right).length &&
      keys.every((key) => Object.hasOwn(right, key) && isEqual(left[key] ?? null, right[key] ?? null))
    )
  }
  return left === right
}

export function operate(operator: string, left: Value, right: Value, place: Place): Value {
  if (operator === '==' || operator === '!=') return isEqual(left, right) === (operator === '==')
  const ofTexts = typeof left === 'string' && typeof right === 'string' ? operateTexts(operator, left, right) : undefined
  if (ofTexts !== undefined) return ofTexts
  if (typeof left !== 'number' || typeof right !== 'number')
    throw new Refusal(place, `"${operator}" is not for ${kindOf(left)} and ${kindOf(right)}`)
  return compare(operator, left - right) ?? calculate(operator, left, right, place)
}

function operateTexts(operator: string, left: string, right: string): boolean | undefined {
  if (operator === '=~' || operator === '!~') return (left.toLowerCase() === right.toLowerCase()) === (operator === '=~')
  return compare(operator, left < right ? -1 : left > right ? 1 : 0)
}

function calculate(operator: string, left: number, right: number, place: Place): number {
  if (operator === '+') return left + right
  if (operator === '-') return left - right
  if (operator === '*') return left * right
  if (operator !== '/' && operator !== '%') throw new Refusal(place, `"${operator}" is not for ints`)
  if (right === 0) throw new Refusal(place, 'division by zero')
  return operator === '/' ? Math.trunc(left / right) : left % right
}

function compare(operator: string, order: number): boolean | undefined {
  if (operator === '<') return order < 0
  if (operator === '<=') return order <= 0
  if (operator === '>') return order > 0
  return operator === '>=' ? order >= 0 : undefined
}

/** Prints a value as it appears inside a text. */
export function textOf(value: Value): string {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  return value === null ? '' : JSON.stringify(toJson(value))
}
