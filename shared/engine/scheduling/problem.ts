/** Everything a plan starts from: the snapshot, put into the terms that planning thinks in. */
import type { ClusterSnapshot } from '../../model/clusterSnapshot.ts'
import type { Pod } from '../../model/pod.ts'
import type { StateNode } from '../cluster/stateNode.ts'
import { overlaidTypes, type TypesOf } from '../overlay/overlaidTypes.ts'
import { type Axes, axesOf } from './amounts.ts'
import { daemonsOf } from './catalog/daemons.ts'
import { usageByPool } from './catalog/limits.ts'
import { type Pools, poolsOf } from './catalog/pools.ts'
import type { QueueEntry } from './firstFit/firstFit.ts'
import { sharedClaims } from './hosts/mounts.ts'
import type { Target } from './hosts/target.ts'
import { targetsOf } from './hosts/targets.ts'
import { type Plan, startsOf } from './plan.ts'
import { admit, type RefusedPod } from './pods/admission.ts'
import { constraintMaker } from './pods/constraint.ts'
import { withDefaultSpread } from './pods/defaultSpread.ts'
import type { PodClass } from './pods/podClass.ts'
import { podClasses } from './pods/podClasses.ts'
import { volumeIndex } from './pods/volumes.ts'
import { reservationsLeft } from './reserved/reservations.ts'
import { reservedStarts } from './reserved/reservedStarts.ts'
import { createGroups, type Groups } from './topology/group.ts'
import { groupsOfBound, seedCounts } from './topology/seed.ts'
import { addDomainsOfPools } from './topology/universe.ts'

export type Problem = {
  readonly snapshot: ClusterSnapshot
  readonly typesOf: TypesOf
  readonly axes: Axes
  readonly pools: Pools
  readonly targets: readonly Target[]
  readonly groups: Groups
  readonly classes: readonly PodClass[]
  /** Pods one after another, as Karpenter would take them. */
  readonly queue: readonly QueueEntry[]
  readonly refused: readonly RefusedPod[]
  readonly machines: readonly StateNode[]
}

export function problemOf(snapshot: ClusterSnapshot, wanted: readonly Pod[], machines: readonly StateNode[]): Problem {
  const { objects, settings } = snapshot
  const volumes = volumeIndex(snapshot)
  const { candidates, refused } = admit(withDefaultSpread(wanted, snapshot), volumes)
  const axes = axesOf(
    candidates.map(({ pod }) => pod.requests),
    candidates.flatMap((each) => [...each.volumes.attached.keys()]),
  )
  const daemons = daemonsOf(objects.daemonSet, objects.pod)
  const bound = machines.flatMap((machine) => machine.pods)
  const placing = new Set(wanted.map((pod) => pod.uid))
  const staying = bound.filter((pod) => !placing.has(pod.uid))
  const shared = axes.drivers.length === 0 ? NO_CLAIMS : sharedClaims([...candidates.map(({ pod }) => pod), ...staying])
  const typesOf = overlaidTypes(snapshot)
  const pools = poolsOf({ snapshot, typesOf, daemons, axes })
  const targets = targetsOf({ snapshot, typesOf, machines, daemons, axes, volumes, shared })
  const groups = createGroups(objects.namespace)
  const owned = groupsOfBound(groups, staying)
  const classes = podClasses({
    candidates,
    bound,
    shared,
    axes,
    groups,
    relaxation: {
      preferencePolicy: settings.preferencePolicy,
      hasSoftTaints: hasSoftTaints(snapshot),
      oneTermAtATime: settings.placement === 'firstFit',
    },
    constraint: constraintMaker(),
  })
  addDomainsOfPools(groups.all, pools.sources)
  seedCounts({ groups, machines, placing }, owned)
  return {
    snapshot,
    typesOf,
    axes,
    pools,
    targets,
    groups,
    classes,
    queue: queueOf(
      classes,
      candidates.map(({ pod }) => pod),
    ),
    refused,
    machines,
  }
}

const NO_CLAIMS: ReadonlySet<string> = new Set()

/** Attempts of a decision that sets no bound: far more than any should need. */
const MOST_STEPS = 20_000_000

export function newPlan({ snapshot, typesOf, axes, pools, targets, classes, machines }: Problem): Plan {
  const { placement, maxSteps = MOST_STEPS } = snapshot.settings
  const starts = startsOf(pools.templates, usageByPool(snapshot, machines, typesOf))
  const reservations = reservationsLeft(pools.templates, snapshot)
  const isFirstFit = placement === 'firstFit'
  return {
    targets,
    starts: isFirstFit ? starts : reservedStarts(starts, reservations),
    held: isFirstFit && reservations.size > 0 ? { left: reservations, of: new Map() } : undefined,
    steps: { left: maxSteps },
    postponed: new Map(),
    axes: axes.names.length + axes.drivers.length,
    isStrict: snapshot.settings.minValuesPolicy === 'Strict',
    commitment: isFirstFit ? 'late' : 'early',
    bins: [],
    log: [],
    left: new Map(classes.map((each) => [each, each.pods.length])),
    version: 0,
  }
}

function queueOf(classes: readonly PodClass[], pods: readonly Pod[]): readonly QueueEntry[] {
  const classOf = new Map(classes.flatMap((podClass) => podClass.pods.map((pod) => [pod, podClass] as const)))
  const queue: { podClass: PodClass; count: number }[] = []
  for (const pod of pods) {
    const podClass = classOf.get(pod)
    if (podClass === undefined) continue
    const last = queue.at(-1)
    if (last?.podClass === podClass) last.count++
    else queue.push({ podClass, count: 1 })
  }
  return queue
}

function hasSoftTaints({ objects }: ClusterSnapshot): boolean {
  const taints = [...objects.nodePool.flatMap((pool) => pool.template.taints), ...objects.node.flatMap((node) => node.taints)]
  return taints.some((taint) => taint.effect === 'PreferNoSchedule')
}
