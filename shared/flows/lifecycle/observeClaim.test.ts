import { describe, expect, it } from 'vitest'
import { catalog } from '../../../test/builders/catalog.ts'
import { ago, MINUTE, NOW, SECOND } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { instance } from '../../../test/builders/instance.ts'
import { type NodeShape, node } from '../../../test/builders/node.ts'
import { type ClaimStage, type NodeClaimShape, nodeClaim, providerIdOf } from '../../../test/builders/nodeClaim.ts'
import { nodeClass } from '../../../test/builders/nodeClass.ts'
import { nodeOverlay } from '../../../test/builders/nodeOverlay.ts'
import { nodePool } from '../../../test/builders/nodePool.ts'
import { pod } from '../../../test/builders/pod.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { defined } from '../../base/values.ts'
import { clusterId, nodeClaimName, nodeName, type ProviderId } from '../../model/ids.ts'
import type { Instance } from '../../model/instance.ts'
import { LABEL } from '../../model/labels.ts'
import type { Node } from '../../model/node.ts'
import { observeClaim, observeEnded } from './observeClaim.ts'

const NEVER = new AbortController().signal
const CLAIM = nodeClaimName('default-aaaaa')
const deleted = { meta: { deletedAt: ago(MINUTE) } }
const STAGES = [condition('Launched'), condition('Registered'), condition('Initialized')]
const drainingFor = (ms: number): NodeClaimShape => ({
  ...deleted,
  status: { conditions: [...STAGES, condition('Drained', { status: 'Unknown', lastTransitionAt: ago(ms) })] },
})
const drained: NodeClaimShape = { ...deleted, status: { conditions: [...STAGES, condition('Drained')] } }

/** The calls of one run of a claim, except those for the claim and its node. */
async function asked(shape: NodeClaimShape, at?: NodeShape) {
  const world = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: clusterId('test'), instanceTypes: catalog() })
  world.objects.put('nodeClass', nodeClass())
  world.objects.put('nodeClaim', nodeClaim(shape))
  if (at !== undefined) world.objects.put('node', node(at))
  const calls: string[] = []
  const note =
    <Args extends readonly unknown[], Answer>(name: string, call: (...args: Args) => Answer) =>
    (...args: Args): Answer => {
      calls.push(name)
      return call(...args)
    }
  const { api, cloud, offerings, catalog: sizes } = world.ports
  const deps = {
    ...world.ports,
    settings: settings(),
    api: {
      ...api,
      getNodeClass: note('class', api.getNodeClass),
      getNodePool: note('pool', api.getNodePool),
      listPodsOn: (...args: Parameters<typeof api.listPodsOn>) =>
        note(args[2] === 'recent' ? 'recent pods' : 'pods', api.listPodsOn)(...args),
    },
    cloud: {
      ...cloud,
      get: (...args: Parameters<typeof cloud.get>) => note(args[2] === 'recent' ? 'recent machine' : 'machine', cloud.get)(...args),
    },
    offerings: { ...offerings, unavailable: note('blocked', offerings.unavailable) },
    catalog: { ...sizes, instanceTypes: note('sizes', sizes.instanceTypes) },
  }
  const seen = await observeClaim(deps, CLAIM, NEVER)
  return { calls: calls.sort(), seen: typeof seen === 'object' ? seen : expect.fail('no claim of ours') }
}

describe('a run of a claim asks for what its step may need, and no more', () => {
  it.each<[sentence: string, shape: NodeClaimShape, at: NodeShape | undefined, want: readonly string[]]>([
    ['that is new', { stage: 'created' }, undefined, ['blocked', 'class', 'sizes']],
    ['that is launched', { stage: 'launched' }, undefined, ['recent machine']],
    ['whose node joined', { stage: 'launched' }, { initialized: false }, []],
    ['whose node is registered and ready', { stage: 'registered' }, { initialized: false }, []],
    ['whose node is not ready', {}, { ready: false }, ['recent machine']],
    ['whose node is gone', {}, undefined, ['recent machine']],
    ['that lost its spot machine', { capacityType: 'spot' }, undefined, ['blocked', 'recent machine']],
    ['that ends, whose spot machine is gone', { capacityType: 'spot', ...deleted }, undefined, ['machine']],
    ['that is well', {}, {}, []],
    ['that ends and was never launched', { stage: 'created', ...deleted }, undefined, ['machine']],
    ['that ends and never registered', { stage: 'launched', ...deleted }, { meta: { labels: { [LABEL.registered]: '' } } }, ['machine']],
    ['that ends as its node was registered', { stage: 'launched', ...deleted }, {}, ['recent pods']],
    ['whose drain begins', deleted, {}, ['recent pods']],
    ['whose drain begins on a node that is not ready', deleted, { ready: false }, ['machine', 'recent pods']],
    ['whose drain goes on', drainingFor(SECOND), {}, ['recent pods']],
    ['whose drain may be over for the first time', drainingFor(5 * SECOND), {}, ['pods']],
    ['whose drain may be over', drainingFor(7 * SECOND), {}, ['pods', 'recent pods']],
    ['that is drained', drained, {}, []],
    ['that is drained, on a node that is not ready', drained, { ready: false }, ['machine']],
  ])('%s', async (_sentence, shape, at, want) => {
    expect((await asked(shape, at)).calls).toEqual(want)
  })

  it('and says of a machine that it did not ask for that nobody saw it', async () => {
    expect((await asked({}, {})).seen.instance).toBe('unseen')
    expect((await asked({}, { ready: false })).seen.instance).toBeUndefined()
  })
})

describe('the nodes of a claim', () => {
  it.each<[sentence: string, stage: ClaimStage, id: ProviderId | undefined, isOfClaim: boolean]>([
    ['CT-10 are none without a provider id, where the claim has none either', 'created', undefined, false],
    ['are none without a provider id', 'launched', undefined, false],
    ['are none of another machine', 'launched', providerIdOf('default-bbbbb'), false],
    ['are those of its machine, under any name', 'launched', providerIdOf(CLAIM), true],
  ])('%s', async (_sentence, stage, id, isOfClaim) => {
    const world = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: clusterId('test'), instanceTypes: catalog() })
    world.objects.put('nodeClaim', nodeClaim({ stage, ...deleted }))
    const other = nodeName('other')
    world.objects.put('node', node({ name: other, ...defined({ providerId: id }) }))
    const seen = await observeClaim({ ...world.ports, settings: settings() }, CLAIM, NEVER, [other])
    expect(typeof seen === 'object' && seen.nodes.map(({ name }) => name)).toEqual(isOfClaim ? [other] : [])
  })
})

describe('the pods that a drain waits for', () => {
  it('are not read anew while one of them is there', async () => {
    const world = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: clusterId('test') })
    world.objects.put('nodeClaim', nodeClaim(drainingFor(MINUTE)))
    world.objects.put('node', node())
    world.objects.put('pod', pod({ nodeName: node().name }))
    const seen = await observeClaim({ ...world.ports, settings: settings() }, CLAIM, NEVER)
    expect(typeof seen === 'object' ? seen.pods.map(({ key }) => key) : []).toEqual(['default/pod'])
  })
})

describe('the sizes that a claim may be launched as', () => {
  async function prices(withPool: boolean, withOverlay: boolean): Promise<readonly (number | undefined)[]> {
    const world = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: clusterId('test'), instanceTypes: catalog().slice(0, 1) })
    world.objects.put('nodeClass', nodeClass())
    world.objects.put('nodeClaim', nodeClaim({ stage: 'created' }))
    if (withPool) world.objects.put('nodePool', nodePool())
    if (withOverlay) world.objects.put('nodeOverlay', nodeOverlay({ price: '7' }))
    const seen = await observeClaim({ ...world.ports, settings: settings() }, CLAIM, NEVER)
    const types = typeof seen === 'object' ? seen.instanceTypes : []
    return [
      ...new Set(
        types.flatMap(({ offerings }) => offerings.filter(({ capacityType }) => capacityType === 'on-demand').map(({ price }) => price)),
      ),
    ]
  }

  it('are those of its class, with the prices that overlays give its pool', async () => {
    expect(await prices(true, false)).toEqual([95_000])
    expect(await prices(true, true)).toEqual([7_000_000])
    expect(await prices(false, true)).toEqual([95_000])
  })
})

const ENDING = nodeClaim({
  meta: { deletedAt: ago(MINUTE) },
  status: { conditions: [condition('Launched'), condition('Registered'), condition('Drained'), condition('InstanceTerminating')] },
})

/** The observation of the claim as last seen, where `machine` is what Azure returns. `known`: the node as last seen. */
function observed(machine: Instance | undefined, known?: Node) {
  const { objects, ports } = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: clusterId('test') })
  objects.put('node', node())
  const getNode = known === undefined ? ports.api.getNode : () => expect.fail('the node is known')
  const api = { ...ports.api, getNode, getClaim: () => expect.fail('the claim is known') }
  const deps = { ...ports, settings: settings(), api, cloud: { ...ports.cloud, get: async () => machine } }
  return observeEnded(deps, ENDING, { node: known, otherNodes: undefined }, NEVER)
}

describe('a claim whose machine was asked to end', () => {
  it('is not read again once the machine is gone: its node alone is', async () => {
    expect(await observed(undefined)).toMatchObject({ claim: ENDING, instance: undefined, nodes: [{ name: node().name }] })
  })

  it('needs no read of a node that this process has seen', async () => {
    const seen = node()
    const nodes = [{ ...seen, meta: { ...seen.meta, resourceVersion: '' } }]
    expect(await observed(undefined, seen)).toMatchObject({ claim: ENDING, instance: undefined, nodes })
  })

  it.each(['running', 'deleting'] as const)('is to be read while the machine is %s', async (kind) => {
    expect(await observed(instance({ state: { kind } }))).toBeUndefined()
    expect(await observed(instance({ state: { kind } }), node())).toBeUndefined()
  })
})
