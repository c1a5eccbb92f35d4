// Functions of texts and numbers.
import { createHash } from 'node:crypto'
import { Refusal } from '../../parse/syntax.ts'
import { textOf } from '../operators.ts'
import { isList, type Json, toJson, type Value } from '../value.ts'
import { asList, asNumber, asText, type BuiltIns, fn } from './builtIn.ts'

const digest = (given: readonly Value[]): string =>
  createHash('sha256')
    .update(JSON.stringify(given.map(toJson)))
    .digest('hex')

const LETTERS = 'abcdefghijklmnopqrstuvwxyz234567'

/** Returns 13 letters and digits, as Azure's `uniqueString` does. They differ from Azure's, but are the same for the same texts. */
function uniqueText(given: readonly Value[]): string {
  const hex = digest(given)
  return Array.from({ length: 13 }, (_, at) => LETTERS[Number.parseInt(hex.slice(at * 2, at * 2 + 2), 16) % 32]).join('')
}

function guidOf(given: readonly Value[]): string {
  const hex = digest(given)
  return [hex.slice(0, 8), hex.slice(8, 12), `5${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-')
}

export const TEXTS: BuiltIns = {
  toLower: fn(1, 1, ([text], { place }) => asText(text, place).toLowerCase()),
  toUpper: fn(1, 1, ([text], { place }) => asText(text, place).toUpperCase()),
  trim: fn(1, 1, ([text], { place }) => asText(text, place).trim()),
  split: fn(2, 2, ([text, by], { place }) => {
    const signs = by !== undefined && isList(by) ? by.map((each) => asText(each, place)) : [asText(by, place)]
    return signs.reduce<readonly string[]>((parts, sign) => parts.flatMap((part) => part.split(sign)), [asText(text, place)])
  }),
  replace: fn(3, 3, ([text, old, by], { place }) => asText(text, place).replaceAll(asText(old, place), () => asText(by, place))),
  startsWith: fn(2, 2, ([text, start], { place }) => asText(text, place).toLowerCase().startsWith(asText(start, place).toLowerCase())),
  endsWith: fn(2, 2, ([text, end], { place }) => asText(text, place).toLowerCase().endsWith(asText(end, place).toLowerCase())),
  substring: fn(2, 3, ([text, from, length], { place }) => {
    const whole = asText(text, place)
    const start = asNumber(from, place)
    const end = length === undefined ? whole.length : start + asNumber(length, place)
    if (start < 0 || end > whole.length || end < start) throw new Refusal(place, `"${whole}" has no part from ${start} to ${end}`)
    return whole.slice(start, end)
  }),
  indexOf: fn(2, 2, ([whole, part], { place }) =>
    whole !== undefined && isList(whole)
      ? whole.indexOf(part ?? null)
      : asText(whole, place).toLowerCase().indexOf(asText(part, place).toLowerCase()),
  ),
  lastIndexOf: fn(2, 2, ([whole, part], { place }) => asText(whole, place).toLowerCase().lastIndexOf(asText(part, place).toLowerCase())),
  padLeft: fn(2, 3, ([text, width, sign], { place }) =>
    textOf(text ?? null).padStart(asNumber(width, place), sign === undefined ? ' ' : asText(sign, place)),
  ),
  format: fn(1, 30, ([pattern, ...values], { place }) =>
    asText(pattern, place).replace(/\{(\d+)\}/g, (_, at: string) => {
      const value = values[Number(at)]
      if (value === undefined) throw new Refusal(place, `format has no argument {${at}}`)
      return textOf(value)
    }),
  ),
  string: fn(1, 1, ([value]) => textOf(value ?? null)),
  int: fn(1, 1, ([value], { place }) => {
    const number = Number(value)
    if (!Number.isInteger(number) || value === '') throw new Refusal(place, `"${textOf(value ?? null)}" is no int`)
    return number
  }),
  bool: fn(1, 1, ([value], { place }) => {
    const text = textOf(value ?? null).toLowerCase()
    if (text !== 'true' && text !== 'false') throw new Refusal(place, `"${text}" is no bool`)
    return text === 'true'
  }),
  json: fn(1, 1, ([text], { place }) => {
    const parsed: Json = JSON.parse(asText(text, place))
    return parsed
  }),
  join: fn(2, 2, ([list, by], { place }) => asList(list, place).map(textOf).join(asText(by, place))),
  base64: fn(1, 1, ([text], { place }) => Buffer.from(asText(text, place)).toString('base64')),
  uriComponent: fn(1, 1, ([text], { place }) => encodeURIComponent(asText(text, place))),
  uniqueString: fn(1, 30, uniqueText),
  guid: fn(1, 30, guidOf),
}
