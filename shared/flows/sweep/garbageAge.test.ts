import { describe, expect, it } from 'vitest'
import { ago, MINUTE, NOW, SECOND } from '../../../test/builders/clock.ts'
import { instance } from '../../../test/builders/instance.ts'
import { node } from '../../../test/builders/node.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { clusterId, nodeClaimName } from '../../model/ids.ts'
import type { Instance } from '../../model/instance.ts'
import { durationMs, type EpochMs } from '../../model/units.ts'
import type { OrphanInterface } from '../../ports/cloudProvider.ts'
import { FLOW_LIMITS } from '../deps/clusterDeps.ts'
import { stepClaim } from '../lifecycle/stepClaim.ts'
import { collectGarbage } from './collectGarbage.ts'

const NEVER = new AbortController().signal
const GRACE = FLOW_LIMITS.gcGrace

type Azure = { readonly instances?: readonly Instance[]; readonly interfaces?: readonly OrphanInterface[] }

/** A sweep over the machines and interfaces that Azure lists, with a claim `default-aaaaa` of this age, if any. */
async function sweep(
  { instances = [], interfaces = [] }: Azure,
  claimAge?: number,
  gcGrace = GRACE,
  stage: 'created' | 'initialized' = 'initialized',
) {
  const world = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: clusterId('test') })
  if (claimAge !== undefined) world.objects.put('nodeClaim', nodeClaim({ stage, meta: { createdAt: ago(claimAge) } }))
  const ended: string[] = []
  const cloud = {
    ...world.ports.cloud,
    list: async () => instances,
    listOrphanInterfaces: async () => interfaces,
    terminate: async (claim: string) => (ended.push(`vm ${claim}`), 'gone' as const),
    deleteInterface: async (name: string) => void ended.push(`nic ${name}`),
  }
  const collected = await collectGarbage({ ...world.ports, cloud, settings: settings(), limits: { ...FLOW_LIMITS, gcGrace } }, NEVER)
  return { world, ended, collected }
}

function machine(createdAt: EpochMs | undefined, over: Partial<Instance> = {}): Instance {
  const { createdAt: _, ...rest } = instance()
  return { ...rest, ...over, ...(createdAt === undefined ? {} : { createdAt }) }
}

const nic = (createdAt?: EpochMs): OrphanInterface => ({
  name: 'nic-1',
  claim: nodeClaimName('default-aaaaa'),
  ...(createdAt === undefined ? {} : { createdAt }),
})

describe('what nobody owns', () => {
  it.each<[sentence: string, azure: Azure, want: readonly string[]]>([
    ['GC-06 a machine goes once it is old', { instances: [machine(ago(GRACE + 1))] }, ['vm default-aaaaa']],
    ['a machine stays while its claim may not be listed yet', { instances: [machine(ago(GRACE))] }, []],
    ['a machine of unknown age stays', { instances: [machine(undefined)] }, []],
    ['a machine that goes is not asked again', { instances: [machine(ago(60 * MINUTE), { state: { kind: 'deleting' } })] }, []],
    ['an interface goes once it is old', { interfaces: [nic(ago(GRACE + 1))] }, ['nic nic-1']],
    ['an interface stays while it may be of a machine that is made', { interfaces: [nic(ago(GRACE))] }, []],
    ['an interface of unknown age stays', { interfaces: [nic()] }, []],
  ])('%s', async (_sentence, azure, want) => {
    const { ended, collected, world } = await sweep(azure)
    expect(ended).toEqual(want)
    expect(collected).toEqual({
      instances: want.filter((each) => each.startsWith('vm')).length,
      interfaces: want.filter((each) => each.startsWith('nic')).length,
      draining: 0,
      lostMachines: 0,
      failed: 0,
    })
    expect(world.telemetry.lines.map(({ level, fields }) => [level, fields['claim']])).toEqual(want.map(() => ['warn', 'default-aaaaa']))
  })

  it('goes as soon as somebody wants it to', async () => {
    expect((await sweep({ instances: [machine(ago(SECOND))] }, undefined, durationMs(0))).ended).toEqual(['vm default-aaaaa'])
  })

  it('and is owned after all is left alone', async () => {
    expect((await sweep({ instances: [machine(ago(60 * MINUTE))], interfaces: [nic(ago(60 * MINUTE))] }, 60 * MINUTE)).ended).toEqual([])
  })
})

describe('a claim whose machine is gone', () => {
  it.each<[sentence: string, azure: Azure, age: number, stage: 'created' | 'initialized', isLooked: boolean]>([
    ['is looked at', {}, GRACE + 1, 'initialized', true],
    ['is left alone while its machine may not be listed yet', {}, GRACE, 'initialized', false],
    ['is left alone while it was never launched', {}, 60 * MINUTE, 'created', false],
    ['is none while the machine is listed', { instances: [machine(ago(60 * MINUTE))] }, 60 * MINUTE, 'initialized', false],
  ])('%s', async (_sentence, azure, age, stage, isLooked) => {
    const { world, collected } = await sweep(azure, age, GRACE, stage)
    const added = { key: 'claim', claim: 'default-aaaaa', because: 'news', isFollowed: false, attempt: 0 }
    expect(world.work).toMatchObject(isLooked ? [added] : [])
    expect(collected.lostMachines).toBe(isLooked ? 1 : 0)
  })

  it('GC-03 is one of a hundred, all of which end after one sweep', async () => {
    const world = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: clusterId('test') })
    const names = Array.from({ length: 100 }, (_, at) => `default-n${at}`)
    for (const name of names) {
      world.objects.put('nodeClaim', nodeClaim({ name, meta: { createdAt: ago(60 * MINUTE) } }))
      world.objects.put('node', node({ claim: name, ready: false }))
    }
    const deps = { ...world.ports, settings: settings() }
    await collectGarbage(deps, NEVER)
    for (const each of world.work.slice()) if (each.key === 'claim') await stepClaim(deps, each, NEVER)
    expect(world.objects.all('nodeClaim').filter(({ meta }) => meta.deletedAt !== undefined)).toHaveLength(100)
  })
})
