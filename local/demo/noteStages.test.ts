import { expect, it } from 'vitest'
import type { AppLine } from './appLine.ts'
import { noteStages } from './noteStages.ts'
import { createStageTimes } from './stageTimes.ts'

const LINES: readonly [what: string, line: Partial<AppLine>, stage: string | undefined][] = [
  ['a decision about pods', { fields: { claim: 'a', decision: 1, pods: 2 } }, 'decided'],
  ['a decision at another level', { level: 'debug', fields: { claim: 'a', decision: 1, pods: 2 } }, undefined],
  ['a decision without pods', { fields: { claim: 'a', decision: 1 } }, undefined],
  ['a claim that was made', { level: 'measure', message: 'claim_created_ms', fields: { claim: 'a' } }, 'claim made'],
  ['a machine that was launched', { level: 'measure', message: 'launched_ms', fields: { claim: 'a' } }, 'launched'],
  ['any other measure', { level: 'measure', message: 'decide_ms', fields: { claim: 'a' } }, undefined],
  ['a line about no claim', { level: 'measure', message: 'launched_ms', fields: {} }, undefined],
]

it.each(LINES)('%s', (_what, line, stage) => {
  const times = createStageTimes()
  noteStages({ at: 7, level: 'info', message: 'm', fields: {}, ...line }, times)
  expect([...times.of('a')]).toEqual(stage === undefined ? [] : [[stage, 7]])
})
