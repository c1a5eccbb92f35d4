/** `npx joiner smoke` beside a deployed app: the app makes, closes and replaces the machine, and smoke looks on. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newRecord, withStep } from '../../cli/smoke/record.ts'
import { serve } from '../../local/azure/httpServer.ts'
import { APP, type SmokeAppWorld, startSmokeAppWorld } from '../azure/smokeAppWorld.ts'
import type { KillPoint } from '../azure/smokeWorld.ts'
import { TEST_TIMEOUT_MS, until } from './until.ts'

const EVICT = 'POST /subscriptions/{}/resourceGroups/{}/providers/Microsoft.Compute/virtualMachines/{}/simulateEviction'
const OBJECTS = [
  'kube POST /apis/karpenter.azure.com/v1beta1/aksnodeclasses',
  'kube POST /apis/karpenter.sh/v1/nodepools',
  'kube POST /apis/apps/v1/namespaces/kube-system/replicasets',
]
/** The record of a run whose next step is the eviction. */
const begun = newRecord('abcdef', new Date(0), ['default'])
const resume = (['rights', 'image'] as const).reduce(
  (record, name) => withStep(record, { name, state: 'done', text: '', figures: {} }),
  begun,
)
const NOTHING_LEFT = / nothing left: 0 VMs, 0 NICs, 0 disks$/
const line = ({ lines }: { readonly lines: readonly string[] }, step: number): string =>
  lines.find((each) => each.startsWith(` ${step} `)) ?? ''

/** A ReplicaSet that is about to go may make one more pod, which is garbage collected. */
const nothingIsLeft = (): Promise<void> =>
  until(async () => {
    const left = await world.left()
    return left.length === 0 ? undefined : `there is still ${left.join(', ')}`
  })

let world: SmokeAppWorld
beforeAll(async () => {
  world = await startSmokeAppWorld()
}, TEST_TIMEOUT_MS)
afterAll(() => world?.close())

describe('a smoke run beside an app', { timeout: 10 * TEST_TIMEOUT_MS }, () => {
  it('sees the app close the node of an evicted machine and replace it, and leaves nothing', async () => {
    const run = await world.run()
    expect(run.code, run.lines.join('\n')).toBe(0)
    expect(line(run, 3)).toMatch(
      new RegExp(`^ 3 eviction {6}notice after \\d+ s, node closed by app ${APP} after \\d+ s, replaced after \\d+ s$`),
    )
    expect(line(run, 4)).toMatch(NOTHING_LEFT)
    expect(run.asked).toEqual([expect.stringMatching(/^Make 3 machines /)])
    await nothingIsLeft()
    const published = world.stack.azure.eventGrid.published.map(({ eventType }) => eventType)
    expect(published).toContain('Joiner.NodeScheduledEvent')
  })

  it.each(
    [...OBJECTS, EVICT].flatMap((call): readonly KillPoint[] => [
      { call, nth: 1, when: 'before' },
      { call, nth: 1, when: 'after' },
    ]),
  )('that is killed $when $call leaves nothing once it is resumed', async (kill) => {
    const killed = await world.run({ kill, resume })
    expect(killed.code).toBe('killed')
    const resumed = await world.run({ resume: killed.record, onlyRemove: true })
    expect(resumed.code, resumed.lines.join('\n')).toBe(0)
    await nothingIsLeft()
  })

  it('says that the app did not react to the notice, and what to do, and removes its machine without it', async () => {
    const { functions } = world.stack
    const before = async (call: string): Promise<void> => void (call === EVICT && (await functions.child.stop()))
    const run = await world.run({ before, resume })
    expect(run.code).toBe(1)
    expect(line(run, 3)).toMatch(
      new RegExp(
        `^ 3 eviction {6}FAIL {2}app ${APP} did not react within 2 minutes of the notice: node \\S+ has no taint .*; to do: npx joiner status`,
      ),
    )
    expect(line(run, 4)).toMatch(
      / nothing left: 0 VMs, 0 NICs, 0 disks; the app did not end its machines, so they were removed without it$/,
    )
    await nothingIsLeft()
  })

  it('says that an app which answers makes no machine, and what to do', async () => {
    await world.stack.functions.child.stop()
    const silent = await serve(() => ({ status: 401, body: {} }), {})
    const run = await world.run({ environment: { JOINER_APP_ENDPOINT: silent.url }, resume })
    await silent.close()
    expect(run.code).toBe(1)
    expect(line(run, 3)).toMatch(
      new RegExp(
        `^ 3 eviction {6}FAIL {2}app ${APP} makes no machine for a pod: no NodeClaim of NodePool smoke-[a-z]{6} within 2 minutes: .*; to do: npx joiner status`,
      ),
    )
    await nothingIsLeft()
  })
})
