import { createSeries, MOST_SERIES } from '../../shared/adapters/telemetry/series.ts'
import { interrupt } from '../../shared/flows/lifecycle/interrupt.ts'
import { LABEL } from '../../shared/model/labels.ts'
import type { NodeClaim } from '../../shared/model/nodeClaim.ts'
import type { Telemetry } from '../../shared/ports/telemetry.ts'
import { condition } from '../../test/builders/condition.ts'
import { nodePool } from '../../test/builders/nodePool.ts'
import { pod, REPLICA_SET } from '../../test/builders/pod.ts'
import { resources } from '../../test/builders/resources.ts'
import { createSimulation } from '../../test/crash/simulation.ts'

const MINUTE_MS = 60_000
const LIMIT_MS = 20 * MINUTE_MS
const KINDS = ['spot', 'on-demand'] as const
/** The notice for a spot machine. */
const NOTICE = { saidBy: 'node', when: 'announced', reason: 'Preempt' } as const

export type SeriesOfCluster = {
  /** The series as the app keeps them. */
  readonly kept: number
  /** The series that there would be without an upper limit. */
  readonly wanted: number
  /** The values that found no room in any series. */
  readonly dropped: number
}

/**
 * Counts the metric series of a cluster to which everything happens, as the app's own telemetry keeps them. Pools with limits and machines of both
 * kinds come up, launches are refused, pods fit nowhere, one machine of each pool is interrupted, one breaks, half of the pods go, and all machines
 * drift. All series count together, although the app sends and forgets them every five minutes. Measures that only the adapters of Azure take are
 * missing.
 */
export async function seriesOfCluster(nodes: number, pools: number): Promise<SeriesOfCluster> {
  const series = createSeries(MOST_SERIES, (text) => text)
  const unlimited = createSeries(Number.POSITIVE_INFINITY, (text) => text)
  const measure: Telemetry['measure'] = (...measured) => [series, unlimited].forEach((each) => each.add(...measured))
  const simulation = createSimulation({
    isConcurrent: true,
    between: (deps) => ({ ...deps, telemetry: { ...deps.telemetry, measure } }),
  })
  const { objects, machines, clock } = simulation.world
  const names = Array.from({ length: pools }, (_, index) => `pool-${index}`)
  const pass = (ms: number) => simulation.runUntil(() => false, ms)
  for (const name of names) objects.put('nodePool', nodePool({ name, limits: resources(10_000, 40_000) }))
  machines.refuse({}, { times: 3 })
  for (let index = 0; index < nodes; index++) {
    const nodeSelector = { [LABEL.nodePool]: `pool-${index % pools}`, [LABEL.capacityType]: KINDS[Math.floor(index / pools) % 2] ?? 'spot' }
    const now = clock.now()
    objects.put('pod', pod({ name: `app-${index}`, cpus: 3, owner: REPLICA_SET, nodeSelector, createdAt: now, unschedulableSince: now }))
  }
  const waiting = { createdAt: clock.now(), unschedulableSince: clock.now() }
  objects.put('pod', pod({ name: 'large', cpus: 5_000, ...waiting }))
  objects.put('pod', pod({ name: 'nowhere', nodeSelector: { [LABEL.zone]: 'nowhere' }, ...waiting }))
  if ((await simulation.runUntil(() => objects.all('node').length >= nodes, LIMIT_MS)) === undefined)
    throw new Error(`only ${objects.all('node').length} of ${nodes} nodes joined`)
  const claims = Map.groupBy(objects.all('nodeClaim'), ({ meta }) => meta.labels[LABEL.nodePool])
  for (const own of claims.values()) {
    const [first, second] = own.filter(isSpot)
    if (first !== undefined)
      await simulation.perform((deps) =>
        interrupt(deps, { claim: first.name, eventId: first.name, ...NOTICE }, new AbortController().signal),
      )
    const sick = objects.get('node', second?.status.nodeName ?? '')
    const isBroken = condition('kubernetes.azure.com/NodeHealthy', { status: 'False' })
    if (sick !== undefined) objects.put('node', { ...sick, conditions: [...sick.conditions, isBroken] })
  }
  await pass(3 * MINUTE_MS)
  for (const [index, { key }] of objects.all('pod').entries()) if (index % 2 === 0) objects.remove('pod', key)
  await pass(7 * MINUTE_MS)
  for (const pool of objects.all('nodePool'))
    objects.put('nodePool', { ...pool, template: { ...pool.template, labels: { 'example.com/generation': '2' } } })
  await pass(5 * MINUTE_MS)
  return { kept: series.take().length, wanted: unlimited.take().length, dropped: series.dropped }
}

function isSpot({ meta }: NodeClaim): boolean {
  return meta.labels[LABEL.capacityType] === 'spot'
}
