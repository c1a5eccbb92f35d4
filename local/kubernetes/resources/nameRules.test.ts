import { expect, it } from 'vitest'
import { qualifiedNameProblem } from './nameRules.ts'

it.each([
  ['app', undefined],
  ['example.com/app', undefined],
  ['a/b/c', 'a qualified name must consist of'],
  ['/app', 'prefix part must be non-empty'],
  ['Example.com/app', 'prefix part a lowercase RFC 1123 subdomain must consist of'],
  ['example.com/', 'name part must be non-empty'],
  ['x'.repeat(64), 'name part must be no more than 63 characters'],
  ['-app', "name part must consist of alphanumeric characters, '-', '_' or '.'"],
])('key %s: %s', (key, start) => {
  const problem = qualifiedNameProblem(key)
  expect(problem?.slice(0, start?.length)).toBe(start)
})
