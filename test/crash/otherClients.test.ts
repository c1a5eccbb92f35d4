import { describe, expect, it } from 'vitest'
import type { ClusterDeps } from '../../shared/flows/deps/clusterDeps.ts'
import { isTrue } from '../../shared/model/condition.ts'
import { FINALIZER } from '../../shared/model/labels.ts'
import type { Node } from '../../shared/model/node.ts'
import type { NodeClaim } from '../../shared/model/nodeClaim.ts'
import { condition } from '../builders/condition.ts'
import { nodeClaim } from '../builders/nodeClaim.ts'
import { pod } from '../builders/pod.ts'
import { createSimulation, type Simulation } from './simulation.ts'
import { footprint } from './stories.ts'

const LIMIT_MS = 180_000
const NOTE = 'example.com/note'
const FOREIGN = 'example.com/foreign'
/** The calls whose write the other client precedes. A deletion carries no version, but the other client writes before it as well. */
const WRITES = new Set<string>(['patchClaim', 'patchClaimStatus', 'patchNode', 'deleteClaim', 'deleteNode', 'evict', 'deletePod'])

type Client = { readonly claim?: (claim: NodeClaim, at: number) => NodeClaim; readonly node?: (node: Node, at: number) => Node }

/** What another client writes before each write of ours, as long as the objects exist. */
const CLIENTS: { readonly [sentence: string]: Client } = {
  'notes the time on claim and node': {
    claim: (claim, at) => noted(claim, at),
    node: (node, at) => noted(node, at),
  },
  'writes a condition of its own on the claim': {
    claim: (claim, at) => ({
      ...claim,
      status: {
        ...claim.status,
        conditions: [...claim.status.conditions.filter(({ type }) => type !== 'Foreign'), condition('Foreign', { message: String(at) })],
      },
    }),
  },
  'changes its taint and its conditions of the node': {
    node: (node, at) => ({
      ...node,
      taints: [{ key: FOREIGN, value: String(at), effect: 'PreferNoSchedule' }, ...node.taints.filter(({ key }) => key !== FOREIGN)],
      conditions: [...node.conditions.filter(({ type }) => type !== 'Foreign'), condition('Foreign', { message: String(at) })],
    }),
  },
  'notes the time on the claim once it is being deleted': {
    claim: (claim, at) => (claim.meta.deletedAt === undefined ? claim : noted(claim, at)),
  },
}

function noted<Kind extends NodeClaim | Node>(object: Kind, at: number): Kind {
  return { ...object, meta: { ...object.meta, annotations: { ...object.meta.annotations, [NOTE]: String(at) } } }
}

/** Counts the calls of the flows, and lets the client write before each write. */
function meddling(client: Client | undefined) {
  let calls = 0
  let at = 0
  const between =
    (simulation: () => Simulation) =>
    (deps: ClusterDeps): ClusterDeps => ({
      ...deps,
      api: new Proxy(deps.api, {
        get(target, name: keyof ClusterDeps['api']) {
          const call = target[name] as (...input: readonly unknown[]) => Promise<unknown>
          return (...input: readonly unknown[]) => {
            calls++
            if (WRITES.has(name) && client !== undefined) write(simulation(), client, ++at)
            return call(...input)
          }
        },
      }),
    })
  return { between, calls: () => calls }
}

function write({ world: { objects } }: Simulation, { claim, node }: Client, at: number): void {
  if (claim) for (const each of objects.all('nodeClaim')) objects.put('nodeClaim', claim(each, at))
  if (node) for (const each of objects.all('node')) objects.put('node', node(each, at))
}

type Life = { readonly [stage: string]: { readonly tookMs: number; readonly calls: number } }

const STAGES = ['Launched', 'Registered', 'Initialized'] as const

/** Runs the whole life of one claim. Returns the time and the calls of each stage. */
async function live(
  client: Client | undefined,
  how: { readonly dispatches: boolean; readonly hosts: number; readonly isMadeByHand: boolean },
) {
  const { between, calls } = meddling(client)
  const simulation: Simulation = createSimulation({ ...how, podExitMs: 2_000, between: between(() => simulation) })
  const { objects } = simulation.world
  const life: { [stage: string]: { tookMs: number; calls: number } } = {}
  const until = async (stage: string, holds: () => boolean): Promise<void> => {
    const before = calls()
    const tookMs = (await simulation.runUntil(holds, LIMIT_MS)) ?? expect.fail(`${stage} was not reached`)
    life[stage] = { tookMs, calls: calls() - before }
  }
  if (how.isMadeByHand) {
    const made = nodeClaim({ stage: 'created', meta: { createdAt: simulation.clock.now(), finalizers: [], annotations: {} } })
    objects.put('nodeClaim', made)
    await until('Finalizer', () => objects.all('nodeClaim')[0]?.meta.finalizers.includes(FINALIZER) === true)
  } else putPod(simulation)
  for (const stage of STAGES) {
    await until(stage, () => objects.all('nodeClaim').some(({ status }) => isTrue(status.conditions, stage)))
  }
  if (!how.isMadeByHand) await until('Running', () => objects.all('pod').every(({ phase }) => phase === 'Running'))
  for (const { name } of objects.all('nodeClaim')) objects.delete('nodeClaim', name)
  const foreign = objects.all('node').flatMap(({ taints }) => taints.map(({ key }) => key))
  await until('End', () => objects.all('nodeClaim').length === 0 && objects.all('node').length === 0)
  await simulation.runUntil(() => false, 10_000)
  return { simulation, life: life as Life, foreign }
}

function putPod({ world, clock }: Simulation): void {
  const now = clock.now()
  world.objects.put('pod', pod({ name: 'app', createdAt: now, unschedulableSince: now }))
}

const WAYS = {
  'one process that works on its own messages': { dispatches: true, hosts: 1, isMadeByHand: false },
  'two processes': { dispatches: false, hosts: 2, isMadeByHand: false },
  'a claim that somebody made by hand': { dispatches: false, hosts: 1, isMadeByHand: true },
}

describe.each(Object.entries(WAYS))('the life of a claim while another client writes before each write, with %s', (_way, how) => {
  it.each(Object.entries(CLIENTS))('takes no longer if the client %s', async (_sentence, client) => {
    const alone = await live(undefined, how)
    const { simulation, life, foreign } = await live(client, how)
    expect(Object.keys(life)).toEqual(Object.keys(alone.life))
    for (const [stage, { tookMs, calls }] of Object.entries(life)) {
      const own = alone.life[stage] ?? expect.fail(`no stage ${stage}`)
      // A few seconds for a look that lost a race with a change that it has to know.
      expect({ stage, isInTime: tookMs <= own.tookMs + 5_000 }).toEqual({ stage, isInTime: true })
      // Each write costs at most four further tries with their reads.
      expect({ stage, isFew: calls <= 9 * own.calls + 18 }).toEqual({ stage, isFew: true })
    }
    if (client === CLIENTS['changes its taint and its conditions of the node']) expect(foreign).toContain(FOREIGN)
    expect(footprint(simulation)).toMatchObject({ machines: [], interfaces: 0, claims: 0, nodes: 0, tokens: 0, poison: 0 })
    expect(simulation.failures).toEqual([])
  })
})
