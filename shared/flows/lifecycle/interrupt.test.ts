import { describe, expect, it } from 'vitest'
import { instance } from '../../../test/builders/instance.ts'
import { node } from '../../../test/builders/node.ts'
import { type NodeClaimShape, nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { DAEMON_SET, NODE_OWNER, type PodShape, pod } from '../../../test/builders/pod.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { ok } from '../../base/result.ts'
import { clusterId, nodeClaimName, zoneName } from '../../model/ids.ts'
import type { CapacityType } from '../../model/instanceType.ts'
import { ANNOTATION } from '../../model/labels.ts'
import { Fault, problem } from '../../model/problem.ts'
import { formatTimestamp } from '../../model/time.ts'
import { epochMs } from '../../model/units.ts'
import { offeringsFor } from '../deps/recentOfferings.ts'
import { interrupt } from './interrupt.ts'
import type { Interruption } from './interruptionEvents.ts'

const NEVER = new AbortController().signal
const NOW = 1_800_000_000_000
const after = (ms: number): string => formatTimestamp(epochMs(NOW + ms))
const NOTICE: Interruption = { claim: nodeClaimName('default-a'), saidBy: 'node', when: 'announced', eventId: 'e', reason: 'Preempt' }

const AWAY = problem('KUBE.FAILED', 'away')

/** A spot machine. Another writer changes its claim and node just before each of our first `rivals` writes. */
function world({ rivals, deadline }: { readonly rivals: number; readonly deadline?: string }) {
  const { ports, objects, work, telemetry } = createMemoryWorld({ clock: createVirtualClock(epochMs(NOW)), cluster: clusterId('test') })
  const annotations = deadline === undefined ? {} : { [ANNOTATION.terminationTimestamp]: deadline }
  objects.put('nodeClaim', nodeClaim({ name: 'default-a', capacityType: 'spot', meta: { annotations } }))
  objects.put('node', node({ claim: 'default-a' }))
  const left = { nodeClaim: rivals, node: rivals }
  const rival = (kind: 'nodeClaim' | 'node', key: string): void => {
    const seen = objects.get(kind, key)
    if (left[kind]-- <= 0 || seen === undefined) return
    const meta = { ...seen.meta, annotations: { ...seen.meta.annotations, rival: String(left[kind]) } }
    if (kind === 'node') objects.put('node', { ...objects.get('node', key), meta } as ReturnType<typeof node>)
    else objects.put('nodeClaim', { ...objects.get('nodeClaim', key), meta } as ReturnType<typeof nodeClaim>)
  }
  const api: typeof ports.api = {
    ...ports.api,
    patchClaim: (claim, ...rest) => {
      rival('nodeClaim', claim.name)
      return ports.api.patchClaim(claim, ...rest)
    },
    patchNode: (each, ...rest) => {
      rival('node', each.name)
      return ports.api.patchNode(each, ...rest)
    },
  }
  return { objects, work, telemetry, deps: { ...ports, api, settings: settings() } }
}

describe('interrupt', () => {
  it.each([
    ['writes it', {}, after(25_000)],
    ['brings a later one forward', { deadline: after(3_600_000) }, after(25_000)],
    ['keeps an earlier one', { deadline: after(1_000) }, after(1_000)],
    ['replaces one that is no time', { deadline: 'soon' }, after(25_000)],
  ])('and the deadline of the claim: %s, however many write the claim and its node meanwhile', async (_, given, want) => {
    for (const rivals of [0, 1, 2, 5]) {
      const { objects, deps } = world({ rivals, ...given })
      expect(await interrupt(deps, NOTICE, NEVER)).toBe('handled')
      const claim = objects.get('nodeClaim', 'default-a')
      expect([rivals, claim?.meta.annotations[ANNOTATION.terminationTimestamp]]).toEqual([rivals, want])
      expect(claim?.meta.deletedAt).toBeDefined()
      expect(objects.all('node')[0]?.taints).toContainEqual({ key: 'karpenter.sh/disrupted', effect: 'NoSchedule' })
    }
  })

  it('leaves the machine of another provider alone', async () => {
    const { objects, deps } = world({ rivals: 0 })
    const claim = objects.get('nodeClaim', 'default-a')
    if (claim === undefined) expect.fail('no claim')
    objects.put('nodeClaim', { ...claim, spec: { ...claim.spec, nodeClassRef: { ...claim.spec.nodeClassRef, kind: 'EC2NodeClass' } } })
    expect(await interrupt(deps, NOTICE, NEVER)).toBe('unknown')
    expect(objects.get('nodeClaim', 'default-a')?.meta.deletedAt).toBeUndefined()
  })

  it('fails, so that the event comes again, when every write loses', async () => {
    await expect(interrupt(world({ rivals: 1_000 }).deps, NOTICE, NEVER)).rejects.toMatchObject({ problem: { code: 'KUBE.CONFLICT' } })
  })
})

describe('the pods of a machine that is taken', () => {
  it('are asked to move, but not those that come with it or go already', async () => {
    const { objects, deps } = world({ rivals: 0 })
    const { name: nodeName } = node({ claim: 'default-a' })
    const here = (name: string, shape: PodShape = {}) => objects.put('pod', pod({ name, ...shape, nodeName }))
    here('web')
    const { owner: _, ...alone } = pod({ name: 'alone', nodeName })
    objects.put('pod', alone)
    here('agent', { owner: DAEMON_SET })
    here('static', { owner: NODE_OWNER })
    here('deleting', { deletedAt: epochMs(NOW) })
    const evicted: string[] = []
    const evict: typeof deps.api.evict = (each, signal) => (evicted.push(each.key), deps.api.evict(each, signal))
    await interrupt({ ...deps, api: { ...deps.api, evict } }, NOTICE, NEVER)
    expect(evicted.sort()).toEqual(['default/alone', 'default/web'])
  })
})

describe('the run that follows', () => {
  it.each([
    ['finds that all pods were asked to leave', async () => ok('evicted' as const), [20, 2]],
    ['is asked for also where the API server answers no eviction', async () => Promise.reject(new Fault('evict', AWAY)), [20, 0]],
  ] as const)('%s', async (_sentence, evict, want) => {
    const { objects, work, deps } = world({ rivals: 0 })
    for (let index = 0; index < 20; index++) objects.put('pod', pod({ name: `web-${index}`, nodeName: node({ claim: 'default-a' }).name }))
    const at: number[] = []
    const asking: typeof deps.api.evict = () => (at.push(work.filter(({ key }) => key === 'claim').length), evict())
    await interrupt({ ...deps, api: { ...deps.api, evict: asking } }, NOTICE, NEVER).catch(() => undefined)
    expect(at).toEqual(Array.from({ length: 20 }, () => 0))
    expect(work.filter(({ key }) => key === 'claim')).toHaveLength(1)
    expect([at.length, objects.events.filter(({ event }) => event.reason === 'Evicted').length]).toEqual(want)
  })
})

const MACHINE = (nodeClaim({ name: 'default-a' }).status.providerId ?? '').replace('azure://', '').toLowerCase()

describe('an interruption', () => {
  it('has the claim followed and its replacement decided at once, and says why', async () => {
    const { deps, work, telemetry } = world({ rivals: 0 })
    await interrupt(deps, NOTICE, NEVER)
    expect(work).toMatchObject([
      { key: 'decide', because: 'interruption', eventAt: NOW },
      { key: 'claim', claim: 'default-a', isFollowed: true, attempt: 0, at: NOW },
    ])
    expect(telemetry.lines).toMatchObject([
      {
        level: 'warn',
        message: 'nodeclaim default-a is interrupted: Preempt',
        fields: { claim: 'default-a', eventId: 'e', when: 'announced' },
      },
    ])
  })

  it.each<[sentence: string, over: Partial<Interruption>, at: number]>([
    ['that has happened leaves no time', { when: 'happened', notBefore: epochMs(NOW + 60_000) }, 0],
    ['that comes sooner than most leaves what it says', { notBefore: epochMs(NOW + 10_000) }, 10_000],
    ['that promises more leaves no more than most do', { notBefore: epochMs(NOW + 60_000) }, 25_000],
  ])('%s', async (_sentence, over, at) => {
    const { objects, deps } = world({ rivals: 0 })
    await interrupt(deps, { ...NOTICE, ...over }, NEVER)
    expect(objects.get('nodeClaim', 'default-a')?.meta.annotations[ANNOTATION.terminationTimestamp]).toBe(after(at))
  })

  it.each<[capacityType: CapacityType, isAvoided: boolean]>([
    ['spot', true],
    ['on-demand', false],
  ])('of a machine on %s keeps others from its place: %j', async (capacityType, isAvoided) => {
    const { deps } = world({ rivals: 0 })
    const cloud = { ...deps.cloud, get: async () => instance({ claim: 'default-a', capacityType }) }
    await interrupt({ ...deps, cloud }, NOTICE, NEVER)
    const { size, zone } = instance()
    const blocked = {
      scope: { kind: 'offering', size, zone, capacityType },
      until: NOW + 600_000,
      code: 'AZURE.ALLOCATION.ZONE',
      message: 'Preempt',
      of: deps.cluster,
    }
    expect(await deps.offerings.unavailable(epochMs(NOW), NEVER)).toEqual(isAvoided ? [blocked] : [])
  })

  it.each([
    ['a node, for its own cluster only', {}, [1, 0]],
    ['Azure, for all clusters of the region', { saidBy: 'azure', resourceId: MACHINE }, [1, 1]],
  ] as const)('of a spot machine that is told by %s, hides its size', async (_who, over, seen) => {
    const { deps } = world({ rivals: 0 })
    const cloud = { ...deps.cloud, get: async () => instance({ claim: 'default-a', capacityType: 'spot' }) }
    await interrupt({ ...deps, cloud }, { ...NOTICE, ...over }, NEVER)
    const views = [deps.cluster, clusterId('other')].map((cluster) => offeringsFor(cluster, deps.offerings))
    const found = await Promise.all(views.map((view) => view.unavailable(epochMs(NOW), NEVER)))
    expect(found.map(({ length }) => length)).toEqual(seen)
  })

  it.each(['VirtualMachineDeallocationInitiated', 'Terminate'])(
    'of a spot machine that a person stops hides nothing: %s',
    async (reason) => {
      const { deps } = world({ rivals: 0 })
      const cloud = { ...deps.cloud, get: async () => instance({ claim: 'default-a', capacityType: 'spot' }) }
      await interrupt({ ...deps, cloud }, { ...NOTICE, reason, when: 'happened', saidBy: 'azure', resourceId: MACHINE }, NEVER)
      expect(await deps.offerings.unavailable(epochMs(NOW), NEVER)).toEqual([])
    },
  )

  it('F20 of a spot machine keeps others from its size in all zones where one was taken in another zone before', async () => {
    const { deps } = world({ rivals: 0 })
    const { size } = instance()
    const zones = ['eastus-2', 'eastus-1'].map(zoneName)
    for (const zone of zones) {
      const cloud = { ...deps.cloud, get: async () => instance({ claim: 'default-a', capacityType: 'spot', zone }) }
      await interrupt({ ...deps, cloud }, NOTICE, NEVER)
    }
    const avoided = await deps.offerings.unavailable(epochMs(NOW), NEVER)
    const scope = { kind: 'offering', size, capacityType: 'spot' } as const
    expect(avoided.map((each) => each.scope)).toEqual([...zones.map((zone) => ({ ...scope, zone })), scope])
  })
})

describe('who is believed', () => {
  const machine = nodeClaim({ name: 'default-a' }).status.providerId?.replace('azure://', '').toLowerCase()
  const ofAzure: Partial<Interruption> = { saidBy: 'azure', ...(machine === undefined ? {} : { resourceId: machine }) }

  it.each<[sentence: string, over: Partial<Interruption>, shape: NodeClaimShape, want: 'handled' | 'unknown', words: string]>([
    ['a node of its spot machine', {}, {}, 'handled', ''],
    [
      'no node of a machine on demand',
      {},
      { capacityType: 'on-demand' },
      'unknown',
      'no spot machine (karpenter.sh/capacity-type: on-demand)',
    ],
    [
      'no node of a machine that nobody launched',
      {},
      { stage: 'created' },
      'unknown',
      'no spot machine (karpenter.sh/capacity-type: not set)',
    ],
    ['Azure of any machine of the claim', ofAzure, { capacityType: 'on-demand' }, 'handled', ''],
    ['Azure of a claim that knows no machine yet', { saidBy: 'azure', resourceId: '/x' }, { stage: 'created' }, 'handled', ''],
    [
      'not Azure of another machine',
      { saidBy: 'azure', resourceId: '/x' },
      {},
      'unknown',
      'the machine of nodeclaim default-a is another one',
    ],
    ['nobody of a claim that is not there', { claim: nodeClaimName('default-b') }, {}, 'unknown', ''],
  ])('%s', async (_sentence, over, shape, want, words) => {
    const { objects, deps, work, telemetry } = world({ rivals: 0 })
    objects.put('nodeClaim', nodeClaim({ name: 'default-a', capacityType: 'spot', ...shape }))
    expect(await interrupt(deps, { ...NOTICE, ...over }, NEVER)).toBe(want)
    expect(work).toHaveLength(want === 'handled' ? 2 : 0)
    const doubts = telemetry.lines.filter(({ message }) => message.includes('is ignored'))
    expect(doubts).toHaveLength(words === '' ? 0 : 1)
    if (words !== '')
      expect(doubts).toMatchObject([{ message: expect.stringContaining(words), fields: { eventId: 'e', saidBy: over.saidBy ?? 'node' } }])
  })
})
