import { describe, expect, it } from 'vitest'
import { node } from '../../../test/builders/node.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { pod } from '../../../test/builders/pod.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { clusterId, uid } from '../../model/ids.ts'
import { ANNOTATION, type Meta } from '../../model/labels.ts'
import { formatTimestamp } from '../../model/time.ts'
import { epochMs } from '../../model/units.ts'
import { endForcefully } from './endMachines.ts'

const NOW = epochMs(1_800_000_000_000)
const at = (ms: number): string => formatTimestamp(epochMs(NOW + ms))

function world(head: Partial<Meta> = {}) {
  const memory = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: clusterId('test') })
  const claim = memory.objects.put('nodeClaim', nodeClaim({ meta: head }))
  const deps = { ...memory.ports, settings: settings() }
  const { signal } = new AbortController()
  const of = { claim: claim.name, uid: claim.meta.uid, pods: 2 }
  const expire = (uid = claim.meta.uid): Promise<void> => endForcefully(deps, { kind: 'expireClaim', ...of, uid }, signal)
  const repair = (): Promise<void> => endForcefully(deps, { kind: 'repairClaim', ...of, because: 'Ready=False' }, signal)
  const seen = () => memory.objects.get('nodeClaim', claim.name)
  const deadline = () => seen()?.meta.annotations[ANNOTATION.terminationTimestamp]
  return { memory, claim, expire, repair, deadline, isEnding: () => seen()?.meta.deletedAt !== undefined }
}

describe('a claim at its age', () => {
  it('EX-01 EX-03 ends the claim although pods run on its node, has it followed, and says so', async () => {
    const { memory, claim, expire, isEnding } = world()
    memory.objects.put('node', node())
    memory.objects.put('pod', pod({ nodeName: node().name }))
    await expire()
    expect(isEnding()).toBe(true)
    expect(memory.work).toMatchObject([{ key: 'claim', claim: claim.name, isFollowed: true }])
    expect(memory.telemetry.lines).toMatchObject([
      { message: 'nodeclaim default-aaaaa is taken away: Expired', fields: { because: 'Expired' } },
    ])
    const fields = { cluster: 'test', nodePool: 'default', capacityType: 'on-demand', reason: 'expired' }
    expect(memory.telemetry.measures).toEqual([
      { name: 'karpenter_nodeclaims_disrupted_total', value: 1, fields },
      { name: 'karpenter_pods_disruption_initiated_total', value: 2, fields: { cluster: 'test', reason: 'expired' } },
    ])
  })

  it('leaves another claim of the same name alone', async () => {
    const { memory, expire, isEnding } = world()
    await expire(uid('earlier'))
    expect(isEnding()).toBe(false)
    expect(memory.work).toEqual([])
  })

  it('EX-09 does nothing a second time, nor for a claim that is gone', async () => {
    const { memory, claim, expire } = world()
    await expire()
    const before = [memory.journal.tried(), memory.telemetry.measures.length]
    await expire()
    memory.objects.remove('nodeClaim', claim.name)
    await expire()
    expect([memory.journal.tried(), memory.telemetry.measures.length]).toEqual(before)
  })
})

describe('a claim whose machine is broken', () => {
  it('HR-05: ends, with its deadline at this moment, and says so', async () => {
    const { memory, repair, isEnding, deadline } = world()
    await repair()
    expect(isEnding()).toBe(true)
    expect(deadline()).toBe(at(0))
    expect(memory.work).toHaveLength(1)
    expect(memory.telemetry.lines).toMatchObject([{ message: 'nodeclaim default-aaaaa is taken away: Ready=False' }])
    expect(memory.telemetry.measures).toMatchObject([
      { name: 'karpenter_nodeclaims_disrupted_total', fields: { reason: 'unhealthy' } },
      { name: 'karpenter_pods_disruption_initiated_total', value: 2, fields: { cluster: 'test', reason: 'unhealthy' } },
      {
        name: 'karpenter_nodeclaims_unhealthy_disrupted_total',
        fields: { cluster: 'test', condition: 'Ready=False' },
      },
    ])
  })

  it.each([
    ['HR-07, SV-12: keeps a deadline that is over', -60_000, -60_000],
    ['SV-12: brings a later deadline forward', 60_000, 0],
  ])('%s', async (_sentence, before, after) => {
    const { repair, deadline, isEnding } = world({ annotations: { [ANNOTATION.terminationTimestamp]: at(before) } })
    await repair()
    expect(deadline()).toBe(at(after))
    expect(isEnding()).toBe(true)
  })

  it('gets a deadline once where it drains already, and is not counted again', async () => {
    const { memory, repair, deadline } = world({ deletedAt: NOW })
    await repair()
    expect(deadline()).toBe(at(0))
    expect(memory.work).toHaveLength(1)
    const before = memory.journal.tried()
    await repair()
    expect(memory.journal.tried()).toBe(before)
    expect(memory.telemetry.measures).toEqual([])
  })
})
