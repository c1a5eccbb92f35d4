import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Fault } from '../../../shared/model/problem.ts'
import { NOW } from '../../builders/clock.ts'
import { SILENT } from '../../builders/telemetry.ts'
import { ANSWERS, type Answer, type Outside, startOutside } from './answers.ts'
import { CALLS, callNames } from './calls.ts'
import { type OutsidePorts, realPorts } from './realPorts.ts'
import { sample } from './verify.ts'

/** Calls whose failure stops nothing: the caller logs it and continues. */
const TELLS_ONLY = ['api.publish', 'cloud.subnetState', 'cloud.encryptionProblem', 'cloud.restartProblem']
/** An interface is read before it is deleted. The answer of the deletion is ignored, because the next sweep finds what is left. */
const SWEPT_AGAIN = ['cloud.deleteInterface']

describe.each(ANSWERS)('an outside that answers %s', (answer: Answer) => {
  let outside: Outside
  let ports: OutsidePorts
  beforeAll(async () => {
    outside = await startOutside(answer)
    ports = realPorts(outside, { now: () => NOW }, SILENT)
  })
  afterAll(() => outside.close())

  it.each(callNames())('is a value or a fault to %s, never a bug', async (call) => {
    const outcome = await sample(call, ports)
    if (answer === 'nonsense' && ![...TELLS_ONLY, ...SWEPT_AGAIN].includes(call)) expect(outcome).toBeInstanceOf(Fault)
    if (outcome instanceof Fault) expect(outcome.problem.message).not.toBe('')
  })
})

describe('the table of calls', () => {
  it('has a row for every call of every port', () => {
    expect(callNames().length).toBe(Object.values(CALLS).reduce((sum, calls) => sum + Object.keys(calls).length, 0))
  })
})
