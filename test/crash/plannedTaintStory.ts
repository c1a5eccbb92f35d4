import { isCostPlanned } from '../../shared/engine/pod/eviction.ts'
import { LABEL, type Labels, TAINT_KEY } from '../../shared/model/labels.ts'
import type { Ledger } from '../../shared/model/ledger.ts'
import type { NodePool } from '../../shared/model/nodePool.ts'
import type { Pod } from '../../shared/model/pod.ts'
import { durationMs, type EpochMs } from '../../shared/model/units.ts'
import { instanceType } from '../builders/instanceType.ts'
import { nodePool } from '../builders/nodePool.ts'
import { pod, REPLICA_SET } from '../builders/pod.ts'
import { settings } from '../builders/snapshot.ts'
import { createSimulation, type Simulation, type SimulationOptions } from './simulation.ts'

const NEVER = new AbortController().signal
const LIMIT_MS = 600_000
/** The taint, and the deletion cost of pods, may stay on a node no longer than this while nothing uses up a budget. */
const SWEPT_WITHIN_MS = 60_000
/** Each node has a large pod at first, which leaves room for one small pod. One node holds all small pods. */
export const NODES = 3
const LARGE = 3
const SMALL = 0.5

export type PlannedTaintStory = {
  readonly simulation: Simulation
  /** Every node that had the taint at some time. */
  readonly tainted: ReadonlySet<string>
  /** Every pod that had the deletion cost at some time, and its node. */
  readonly costed: ReadonlyMap<string, string>
  readonly wrong: readonly string[]
  /** Removes the large pods. All nodes but one then go, one after another. */
  shrink(): void
  /** Lets time pass until one node is left, without the taint. Returns how long that takes, undefined if too long. */
  finish(): Promise<number | undefined>
}

/** `podDeletionCosts`: pods of planned nodes get a low deletion cost. */
export type PlannedTaintOptions = Omit<
  SimulationOptions,
  'deleteMs' | 'instanceTypes' | 'workload' | 'caller' | 'settings' | 'scheduler'
> & {
  readonly podDeletionCosts?: boolean
}

/** Plays until each of the nodes has a large and a small pod. */
export async function createPlannedTaintStory({
  podDeletionCosts = false,
  ...options
}: PlannedTaintOptions = {}): Promise<PlannedTaintStory> {
  let large = NODES
  const wrong: string[] = []
  const tainted = new Set<string>()
  const costed = new Map<string, string>()
  const judge = createJudge(wrong, tainted, costed)
  const simulation = createSimulation({
    ...options,
    // Longer than the time between two decisions about moves.
    deleteMs: 15_000,
    instanceTypes: [instanceType()],
    settings: settings({ mostPlannedTaints: 10, podDeletionCosts }),
    scheduler: { score: 'leastAllocated' },
    workload: () => {
      keepPods(simulation, 'large', large, LARGE)
      if (simulation.world.objects.all('node').length > 0 || large === 0) keepPods(simulation, 'small', NODES, SMALL)
    },
    caller: () => judge(simulation),
  })
  simulation.world.objects.put('nodePool', poolOf({}))
  if ((await simulation.runUntil(() => isQuiet(simulation, NODES, 2 * NODES), LIMIT_MS)) === undefined)
    throw new Error('the pods do not run')
  return {
    simulation,
    tainted,
    costed,
    wrong,
    shrink() {
      large = 0
      const { objects } = simulation.world
      for (const { key } of objects.all('pod')) if (key.startsWith('default/large-')) objects.remove('pod', key)
    },
    finish: () => simulation.runUntil(() => isQuiet(simulation, 1, NODES) && isUnmarked(simulation), LIMIT_MS),
  }
}

/** One node may go at a time. */
export function poolOf(annotations: Labels): NodePool {
  const requirements = [{ key: LABEL.capacityType, operator: 'In', values: ['on-demand'] } as const]
  const disruption = { budgets: [{ nodes: '1' }], consolidateAfter: durationMs(0) }
  return nodePool({ template: { requirements }, disruption, meta: { annotations } })
}

export function taintedNodes({ world }: Simulation): readonly string[] {
  return world.objects
    .all('node')
    .flatMap(({ name, taints }) => (taints.some(({ key }) => key === TAINT_KEY.disruptionPlanned) ? [name] : []))
}

/** The pods with the deletion cost of planned nodes. */
export function costedPods({ world }: Simulation): readonly Pod[] {
  return world.objects.all('pod').filter(isCostPlanned)
}

function isUnmarked(simulation: Simulation): boolean {
  return taintedNodes(simulation).length === 0 && costedPods(simulation).length === 0
}

/** Replaces missing pods, as a ReplicaSet does. */
function keepPods({ world: { objects, clock } }: Simulation, name: string, count: number, cpus: number): void {
  const present = objects.all('pod').filter(({ deletedAt, key }) => deletedAt === undefined && key.startsWith(`default/${name}-`))
  for (let missing = count - present.length; missing > 0; missing--) {
    const uid = objects.newUid()
    objects.put('pod', pod({ name: `${name}-${uid}`, uid, cpus, owner: REPLICA_SET, labels: { app: name }, createdAt: clock.now() }))
  }
}

function isQuiet({ world: { objects, machines } }: Simulation, nodes: number, pods: number): boolean {
  const running = objects.all('pod').filter(({ nodeName }) => nodeName !== undefined)
  const claims = objects.all('nodeClaim')
  return (
    running.length === pods &&
    claims.every(
      ({ meta, status }) =>
        meta.deletedAt === undefined && status.conditions.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
    ) &&
    [claims, objects.all('node'), machines.all(), new Set(running.map(({ nodeName }) => nodeName))].every((all) => sizeOf(all) === nodes)
  )
}

function sizeOf(all: ReadonlySet<unknown> | readonly unknown[]): number {
  return 'size' in all ? all.size : all.length
}

/**
 * Returns a check for each tick. A taint or a deletion cost is wrong that stays although no move is under way and no node ends, so that no budget is
 * used up.
 */
function createJudge(wrong: string[], tainted: Set<string>, costed: Map<string, string>): (simulation: Simulation) => Promise<void> {
  let idleSince: EpochMs | undefined
  return async (simulation) => {
    const { objects, clock, ports } = simulation.world
    const nodes = taintedNodes(simulation)
    for (const name of nodes) tainted.add(name)
    const pods = costedPods(simulation)
    for (const { key, nodeName } of pods) costed.set(key, nodeName ?? '')
    const loaded = await ports.ledger.load(NEVER)
    const commands: Ledger['commands'] = loaded.ok ? (loaded.value?.value.commands ?? []) : []
    const isBusy = commands.length > 0 || objects.all('nodeClaim').some(({ meta }) => meta.deletedAt !== undefined)
    if (isBusy || (nodes.length === 0 && pods.length === 0)) idleSince = undefined
    else idleSince ??= clock.now()
    if (idleSince !== undefined && clock.now() - idleSince > SWEPT_WITHIN_MS)
      wrong.push(`${clock.now()}: ${[...nodes, ...pods.map(({ key }) => key)].join()} planned for nothing`)
  }
}
