import { describe, expect, it } from 'vitest'
import { SOME_LINKS } from '../../../test/builders/links.ts'
import { silentTelemetry } from '../../../test/kube/kubeHarness.ts'
import { defined } from '../../base/values.ts'
import { type ClusterEvent, LONGEST_EVENT_MESSAGE, type Subject } from '../../model/decision.ts'
import { clusterId } from '../../model/ids.ts'
import type { ClusterLinks } from '../../model/portalLinks.ts'
import { Fault, problem } from '../../model/problem.ts'
import { epochMs } from '../../model/units.ts'
import type { ClusterApi } from '../../ports/clusterApi.ts'
import { type RecorderOptions, withEventRecorder, withLinkedEvents } from './eventRecorder.ts'

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

const MACHINES = `${SOME_LINKS.portal}/#@t/resource${SOME_LINKS.machineGroupId}/providers/Microsoft.Compute/virtualMachines`
const WORKBOOK = `${SOME_LINKS.portal}/#@t/resource${SOME_LINKS.workbookId}/workbook`

async function published(event: ClusterEvent, links: ClusterLinks | undefined = SOME_LINKS): Promise<ClusterEvent | undefined> {
  let said: ClusterEvent | undefined
  const api: Pick<ClusterApi, 'publish'> = { publish: async (each) => void (said = each) }
  await withLinkedEvents(api, links).publish(event, SIGNAL)
  return said
}

function event(subject: Subject, reason: string, message = 'why'): ClusterEvent {
  return { subject, type: 'Normal', reason, message }
}

describe('an Event', () => {
  it.each<readonly [Subject, string, string]>([
    [{ kind: 'nodeClaim', name: 'default-a' }, 'Launched', `${MACHINES}/joiner-default-a`],
    [{ kind: 'node', name: 'aks-default-b' }, 'Initialized', `${MACHINES}/aks-default-b`],
    [{ kind: 'nodeClaim', name: 'default-a' }, 'Registered', `${MACHINES}/joiner-default-a`],
    [{ kind: 'nodeClaim', name: 'default-a' }, 'AsyncProvisioningError', `${MACHINES}/joiner-default-a`],
    [{ kind: 'nodeClaim', name: 'default-a' }, 'LaunchFailed', WORKBOOK],
    [{ kind: 'pod', name: 'shop/web' }, 'Nominated', WORKBOOK],
    [{ kind: 'nodePool', name: 'default' }, 'Ready', WORKBOOK],
  ])('about %j, %s, ends with a link', async (subject, reason, link) => {
    expect((await published(event(subject, reason)))?.message).toBe(`why\n${link}`)
  })

  it('is the same Event as without a link, and stays one when its text changes', async () => {
    const subject = { kind: 'pod', name: 'shop/web' } as const
    expect((await published(event(subject, 'Nominated')))?.key).toBe('why')
    expect((await published({ ...event(subject, 'Nominated'), key: 'k' }))?.key).toBe('k')
  })

  it('keeps the link of the condition that it tells of, once', async () => {
    const said = await published(event({ kind: 'nodeClass', name: 'default' }, 'SubnetNotFound', `why\n${MACHINES}/x`))
    expect(said).toMatchObject({ key: 'why', message: `why\n${MACHINES}/x` })
  })

  it('that would be too long loses text, and never the link', async () => {
    const message = 'x'.repeat(LONGEST_EVENT_MESSAGE)
    const said = (await published(event({ kind: 'pod', name: 'shop/web' }, 'FailedScheduling', message)))?.message ?? ''
    expect(said).toHaveLength(LONGEST_EVENT_MESSAGE)
    expect(said.endsWith(`x...\n${WORKBOOK}`)).toBe(true)
  })

  it('keeps its text where the link leaves none', async () => {
    const links = { ...SOME_LINKS, workbookId: `/${'y'.repeat(900)}` }
    expect(await published(event({ kind: 'pod', name: 'shop/web' }, 'Nominated'), links)).toMatchObject({ message: 'why' })
  })
})

describe('without links', () => {
  it('the API is as it was', () => {
    const api = { publish: async () => undefined }
    expect(withLinkedEvents(api, undefined)).toBe(api)
  })
})
