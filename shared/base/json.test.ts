import { expect, it } from 'vitest'
import { parsedJson } from './json.ts'

it.each([
  ['{"a":[1,null]}', { a: [1, null] }],
  ['null', null],
  ['"text"', 'text'],
  ['', undefined],
  ['{"a":', undefined],
  [null, undefined],
  [undefined, undefined],
])('reads %j as %j', (text, value) => expect(parsedJson(text)).toEqual(value))
