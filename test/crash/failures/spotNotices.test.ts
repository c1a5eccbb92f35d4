/** Spot machines that Azure takes, many at once or again and again. */
import { describe, expect, it } from 'vitest'
import type { Machine } from '../../../shared/adapters/memory/machines.ts'
import type { ClusterDeps } from '../../../shared/flows/deps/clusterDeps.ts'
import { interrupt } from '../../../shared/flows/lifecycle/interrupt.ts'
import type { NodeClaimName } from '../../../shared/model/ids.ts'
import { LABEL, TAINT_KEY } from '../../../shared/model/labels.ts'
import { MINUTE, SECOND } from '../../builders/clock.ts'
import { instanceType } from '../../builders/instanceType.ts'
import { nodeNameOf } from '../../builders/nodeClaim.ts'
import { pod, REPLICA_SET } from '../../builders/pod.ts'
import { HOLDS_ALL } from '../../builders/podDisruptionBudget.ts'
import { createSimulation, type Simulation } from '../simulation.ts'
import { keepReplicas, scaleUp } from '../stories.ts'

const NEVER = new AbortController().signal
const NODES = 50
const NOTICED = 30
const WITHIN_MS = 5 * SECOND
/** The shortest notice that counts. */
const DEADLINE_MS = 25 * SECOND
const GRACE_SECONDS = 10

type Asked = { readonly at: number; readonly graceSeconds: number | undefined }

function noticeOf(claim: NodeClaimName) {
  return { claim, saidBy: 'node', when: 'announced', eventId: `notice-${claim}`, reason: 'Preempt' } as const
}

/** Sends notices for 30 of 50 nodes within five seconds. Returns what happens to each node and its pod, since its notice. */
async function noticeMost(prepare: (simulation: Simulation) => void) {
  const noticed = new Map<NodeClaimName, number>()
  const closed = new Map<string, number>()
  const asked = new Map<string, Asked>()
  const launches: number[] = []
  const between = (deps: ClusterDeps): ClusterDeps => {
    const ask = (node: string | undefined, graceSeconds: number | undefined): void => {
      if (node !== undefined && !asked.has(node)) asked.set(node, { at: clock.now(), graceSeconds })
    }
    return {
      ...deps,
      cloud: {
        ...deps.cloud,
        launch: (...given) => {
          if (noticed.size > 0) launches.push(clock.now())
          return deps.cloud.launch(...given)
        },
      },
      api: {
        ...deps.api,
        patchNode: (node, patch, signal) => {
          if (patch.taints?.some(({ key }) => key === TAINT_KEY.disrupted)) closed.set(node.name, clock.now())
          return deps.api.patchNode(node, patch, signal)
        },
        evict: async (pod, signal) => {
          const answer = await deps.api.evict(pod, signal)
          if (answer.ok) ask(pod.nodeName, undefined)
          return answer
        },
        deletePod: (pod, graceSeconds, signal) => {
          ask(pod.nodeName, graceSeconds)
          return deps.api.deletePod(pod, graceSeconds, signal)
        },
      },
    }
  }
  let victims: NodeClaimName[] = []
  const simulation: Simulation = createSimulation({
    isConcurrent: true,
    podExitMs: 2 * SECOND,
    between,
    workload: () => keepReplicas(simulation, NODES),
    caller: async () => {
      const due = victims.splice(0, Math.ceil((NOTICED * 250) / WITHIN_MS))
      for (const claim of due) noticed.set(claim, clock.now())
      await Promise.all(due.map((claim) => simulation.perform((deps) => interrupt(deps, noticeOf(claim), NEVER))))
    },
  })
  const { clock, objects } = simulation.world
  const shape = { cpus: 3, owner: REPLICA_SET, terminationGracePeriodSeconds: GRACE_SECONDS }
  expect(await scaleUp(simulation, NODES, shape)).toBeDefined()
  const claims = objects.all('nodeClaim')
  expect(claims.filter(({ meta }) => meta.labels[LABEL.capacityType] === 'spot')).toHaveLength(NODES)
  prepare(simulation)
  victims = claims.slice(0, NOTICED).map(({ name }) => name)
  const areAsked = (): boolean => noticed.size === NOTICED && [...noticed.keys()].every((claim) => asked.has(nodeNameOf(claim)))
  expect(await simulation.runUntil(areAsked, 60 * SECOND)).toBeDefined()
  const since = [...noticed].map(([claim, at]) => {
    const { at: askedAt = Number.NaN, graceSeconds } = asked.get(nodeNameOf(claim)) ?? {}
    return { closedMs: (closed.get(nodeNameOf(claim)) ?? Number.NaN) - at, askedMs: askedAt - at, graceSeconds }
  })
  return { since, launches, simulation, noticed }
}

describe('F19: 30 of 50 spot nodes get their notice within five seconds', () => {
  it('each is closed and its pods are asked to leave within a second, and the first replacements are requested within three', async () => {
    const { since, launches, simulation, noticed } = await noticeMost(() => undefined)
    for (const { closedMs, askedMs, graceSeconds } of since) {
      expect(closedMs).toBeLessThanOrEqual(SECOND)
      expect(askedMs).toBeLessThanOrEqual(SECOND)
      expect(graceSeconds).toBeUndefined()
    }
    expect((launches[0] ?? 0) - Math.min(...noticed.values())).toBeLessThanOrEqual(3 * SECOND)
    const { objects } = simulation.world
    const areBack = (): boolean =>
      objects.all('pod').filter(({ phase, deletedAt }) => phase === 'Running' && deletedAt === undefined).length === NODES
    expect(await simulation.runUntil(areBack, 30 * SECOND)).toBeDefined()
  })

  it('pods that a budget holds are deleted with their own grace period, early enough before the machine ends', async () => {
    const { since } = await noticeMost(({ world: { objects } }) => objects.put('podDisruptionBudget', HOLDS_ALL))
    for (const { askedMs, graceSeconds = Number.NaN } of since) {
      // Grace periods are whole seconds.
      expect(graceSeconds).toBeGreaterThanOrEqual(GRACE_SECONDS - 1)
      expect(askedMs + graceSeconds * SECOND).toBeLessThanOrEqual(DEADLINE_MS)
      expect(askedMs).toBeGreaterThan(DEADLINE_MS / 2)
    }
  })
})

const CHEAP = 'Standard_D4as_v6'
const TAKEN_AFTER_MS = 170 * SECOND
const BUYS_AGAIN_MS = 30 * MINUTE

describe('F20: a region that takes each spot machine of the cheapest size within three minutes', () => {
  it.each(['notice', 'no notice'] as const)('uses another size after two of them, and this one again later: with %s', async (how) => {
    const [firstSeen, sizes, taken] = [new Map<string, number>(), [] as string[], [] as string[]]
    let [isTaking, replicas] = [true, 1]
    const take = async ({ instance, claim }: Machine): Promise<void> => {
      if (!firstSeen.has(instance.name)) sizes.push(instance.size)
      firstSeen.set(instance.name, firstSeen.get(instance.name) ?? clock.now())
      const isDue = clock.now() - (firstSeen.get(instance.name) ?? 0) >= TAKEN_AFTER_MS
      if (!isTaking || !isDue || instance.size !== CHEAP || instance.capacityType !== 'spot') return
      taken.push(instance.zone)
      if (how === 'notice') await simulation.perform((deps) => interrupt(deps, noticeOf(claim.name), NEVER))
      machines.lose(claim.name)
    }
    const simulation: Simulation = createSimulation({
      tickMs: SECOND,
      instanceTypes: [instanceType({ name: CHEAP, price: 0.2 }), instanceType({ name: 'Standard_D4ds_v6', price: 0.3 })],
      workload: () => keepApp(simulation, replicas),
      caller: async () => {
        for (const machine of machines.all()) await take(machine)
      },
    })
    const { clock, objects, machines } = simulation.world
    await simulation.runUntil(() => sizes.at(-1) === 'Standard_D4ds_v6', 60 * MINUTE)
    expect([taken.length, new Set(taken).size, sizes.at(-1)]).toEqual([2, 2, 'Standard_D4ds_v6'])
    isTaking = false
    await simulation.runUntil(() => false, BUYS_AGAIN_MS)
    replicas = 2
    await simulation.runUntil(() => objects.all('pod').filter(({ phase }) => phase === 'Running').length === 2, 5 * MINUTE)
    expect(sizes.at(-1)).toBe(CHEAP)
  })
})

/** A Deployment whose pods need a node each. It also makes pods when there is no node. */
function keepApp({ world: { objects, clock } }: Simulation, replicas: number): void {
  for (let count = objects.all('pod').filter(({ deletedAt }) => deletedAt === undefined).length; count < replicas; count++) {
    const id = objects.newUid()
    const times = { createdAt: clock.now(), unschedulableSince: clock.now() }
    objects.put('pod', pod({ name: `app-${id}`, uid: id, cpus: 3, owner: REPLICA_SET, ...times }))
  }
}
