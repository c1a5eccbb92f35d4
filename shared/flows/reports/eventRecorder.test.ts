import { describe, expect, it } from 'vitest'
import { silentTelemetry } from '../../../test/kube/kubeHarness.ts'
import { defined } from '../../base/values.ts'
import type { ClusterEvent } from '../../model/decision.ts'
import { clusterId } from '../../model/ids.ts'
import { Fault, problem } from '../../model/problem.ts'
import { epochMs } from '../../model/units.ts'
import type { ClusterApi } from '../../ports/clusterApi.ts'
import { type RecorderOptions, withEventRecorder } from './eventRecorder.ts'

const SIGNAL = new AbortController().signal
const eventOf = (number: number): ClusterEvent => ({
  subject: { kind: 'pod', name: `default/web-${number}` },
  type: 'Normal',
  reason: 'Nominated',
  message: `number ${number}`,
})

/** An API server that answers when it is told to, and records what it was asked. `takesMs`: how long a write takes on the clock. */
function slowServer(takesMs = 0, cover?: RecorderOptions['cover']) {
  const written: string[] = []
  const answers: PromiseWithResolvers<void>[] = []
  const warnings: string[] = []
  const telemetry = { ...silentTelemetry, warn: (message: string) => void warnings.push(message) }
  const api: Pick<ClusterApi, 'publish'> = {
    publish: ({ message }) => {
      written.push(message)
      const answer = Promise.withResolvers<void>()
      answers.push(answer)
      return answer.promise
    },
  }
  const answer = async (how: (each: PromiseWithResolvers<void>) => void = ({ resolve }) => resolve()): Promise<void> => {
    for (let each = answers.shift(); each !== undefined; each = answers.shift()) {
      now += takesMs
      how(each)
      await new Promise(setImmediate)
    }
  }
  let now = 0
  const pauses: number[] = []
  const sleep = (ms: number): Promise<void> => {
    pauses.push(ms)
    return Promise.resolve()
  }
  const clock = { now: () => epochMs(now), sleep }
  const recorder = withEventRecorder(api, { cluster: clusterId('demo'), telemetry, clock, budget: () => SIGNAL, ...defined({ cover }) })
  return { recorder, written, warnings, answer, pauses }
}

describe('events', () => {
  it('keep nobody waiting, and are written one after another in the order they came', async () => {
    const { recorder, written, answer } = slowServer()
    for (let number = 0; number < 5; number++) await recorder.publish(eventOf(number), SIGNAL)
    expect(written).toEqual(['number 0'])
    await answer()
    expect(written).toEqual(Array.from({ length: 5 }, (_, number) => `number ${number}`))
    await recorder.publish(eventOf(5), SIGNAL)
    expect(written).toHaveLength(6)
  })

  it('are written only while an invocation is open, which is held until the last of them is written', async () => {
    const opened = Promise.withResolvers<void>()
    const held: Promise<unknown>[] = []
    const { recorder, written, answer } = slowServer(0, { mayBegin: () => opened.promise, hold: (work) => void held.push(work) })
    for (let number = 0; number < 2; number++) await recorder.publish(eventOf(number), SIGNAL)
    await new Promise(setImmediate)
    expect(written).toEqual([])
    opened.resolve()
    await new Promise(setImmediate)
    expect(written).toEqual(['number 0'])
    await answer()
    expect(written).toEqual(['number 0', 'number 1'])
    await Promise.all(held)
    expect(held).toHaveLength(1)
  })

  it.each([
    [0, []],
    [5, [20, 20, 20]],
    [100, [400, 400, 400]],
    [2_000, [1_000, 1_000, 1_000]],
  ])('that take %i ms to write leave the API server pauses of %j ms', async (takesMs, expected) => {
    const { recorder, answer, pauses } = slowServer(takesMs)
    for (let number = 0; number < 3; number++) await recorder.publish(eventOf(number), SIGNAL)
    await answer()
    expect(pauses).toEqual(expected)
  })

  it('that cannot be written are told, and keep no other from being written', async () => {
    const { recorder, written, warnings, answer } = slowServer()
    for (let number = 0; number < 3; number++) await recorder.publish(eventOf(number), SIGNAL)
    await answer(({ reject }) => reject(new Fault('publish', problem('KUBE.FAILED', 'away'))))
    expect(written).toHaveLength(3)
    expect(warnings).toEqual(Array.from({ length: 3 }, () => 'an event was not written'))
  })

  it('of a server that is away are kept by the thousand, the oldest are lost, and one line says how many', async () => {
    const { recorder, written, warnings, answer } = slowServer()
    for (let number = 0; number < 5_500; number++) await recorder.publish(eventOf(number), SIGNAL)
    await answer()
    expect(written).toHaveLength(5_001)
    expect(written.at(1)).toBe('number 500')
    expect(warnings).toEqual(['499 events were not written: the API server was away or busy for too long, and at most 5000 events wait'])
  })

  it('that are lost count as said by nobody else', async () => {
    const { recorder, answer } = slowServer()
    const counted: number[] = []
    for (let number = 0; number < 5_003; number++) await recorder.publish(eventOf(number), SIGNAL, () => void counted.push(number))
    expect(counted).toEqual([1, 2])
    await answer()
    expect(counted).toEqual([1, 2])
  })
})
