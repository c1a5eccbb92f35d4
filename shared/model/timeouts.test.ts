import { expect, it } from 'vitest'
import { ANNOTATION } from './labels.ts'
import { timeoutProblems } from './timeouts.ts'

const bounded = 'must be a duration from 5s to 24h, such as 20m; the setting of the app holds until it is corrected'
const ofInitialization = 'must be a duration of at least 5s, such as 20m, or Never; the setting of the app holds until it is corrected'

it.each<[which: keyof typeof ANNOTATION, said: string, problem: string | undefined]>([
  ['launchTimeout', '10m', undefined],
  ['launchTimeout', '5s', undefined],
  ['launchTimeout', '4999ms', bounded],
  ['launchTimeout', '0s', bounded],
  ['launchTimeout', 'Never', bounded],
  ['registrationTimeout', '24h', undefined],
  ['registrationTimeout', '24h1s', bounded],
  ['registrationTimeout', 'a while', bounded],
  ['initializationTimeout', 'Never', undefined],
  ['initializationTimeout', '48h', undefined],
  ['initializationTimeout', '5s', undefined],
  ['initializationTimeout', '4s', ofInitialization],
  ['initializationTimeout', '0', ofInitialization],
  ['initializationTimeout', '-5m', ofInitialization],
])('a time-out %s of %s', (which, said, problem) => {
  const want = problem === undefined ? [] : [`annotations ${ANNOTATION[which]}: ${JSON.stringify(said)} ${problem}`]
  expect(timeoutProblems({ [ANNOTATION[which]]: said, other: 'soon' })).toEqual(want)
})
