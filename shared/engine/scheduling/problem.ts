/** Everything a plan starts from: the cluster and what waits, put into the terms that planning thinks in. */
import { instanceNameOf, type NodeClaimName, type Uid } from '../../model/ids.ts'
import type { Pod } from '../../model/pod.ts'
import type { TypesOf } from '../overlay/overlaidTypes.ts'
import { type Axes, axesOf } from './amounts.ts'
import type { Batch } from './batch.ts'
import type { QueueEntry } from './firstFit/firstFit.ts'
import { sharedClaims } from './hosts/mounts.ts'
import { type Plan, startsOf } from './plan.ts'
import { admit, type RefusedPod } from './pods/admission.ts'
import type { Candidate } from './pods/candidate.ts'
import { daemonQuarrels, keysAskedBy } from './pods/daemonQuarrels.ts'
import { withDefaultSpread } from './pods/defaultSpread.ts'
import type { PodClass } from './pods/podClass.ts'
import { groupAlike, labelledOf, podClasses, type Run } from './pods/podClasses.ts'
import { reservationsLeft } from './reserved/reservations.ts'
import { reservedStarts } from './reserved/reservedStarts.ts'
import type { Cluster } from './state/cluster.ts'
import type { Occasion } from './state/occasion.ts'
import type { PoolsNow } from './state/poolBook.ts'
import type { Room } from './state/room.ts'
import { createGroups, type Groups } from './topology/group.ts'
import { repellerTexts } from './topology/repellers.ts'
import { seedCounts } from './topology/seed.ts'
import { addDomainsOfPools } from './topology/universe.ts'
import type { Work } from './work.ts'

export type PlacementMode = NonNullable<Occasion['settings']['placement']>

export type Problem = {
  readonly cluster: Cluster
  readonly occasion: Occasion
  /** How places are looked for; the occasion's unless another way is tried besides. */
  readonly placement: PlacementMode
  readonly typesOf: TypesOf
  readonly axes: Axes
  readonly pools: PoolsNow
  readonly room: Room
  readonly groups: Groups
  readonly classes: readonly PodClass[]
  /** Pods one after another, as Karpenter would take them. */
  readonly queue: readonly QueueEntry[]
  readonly refused: readonly RefusedPod[]
  /** Whether a claim, a draft or a node has the name. */
  readonly isTaken: (name: NodeClaimName) => boolean
}

export function problemOf(cluster: Cluster, occasion: Occasion, { pods: wanted, going }: Batch, placement: PlacementMode): Problem {
  const { objects, machines } = cluster
  const { running } = cluster.pods
  const settled = cluster.settle(occasion)
  const { candidates, refused } = admit(withDefaultSpread(wanted, objects, occasion.settings), cluster.volumes())
  const drivers = driversOf(candidates)
  const placing = new Set<Uid>()
  // Those that wait run nowhere: only pods that move could be counted where they are.
  for (const pod of wanted) if (pod.nodeName !== undefined) placing.add(pod.uid)
  const moving = going.flatMap((machine) => machine.pods.filter((pod) => placing.has(pod.uid)))
  const shared = drivers.size === 0 ? NO_CLAIMS : sharedWith(cluster, candidates, moving)
  const groups = createGroups(objects.namespace)
  const { alike, runs } = groupAlike({ candidates, standingKeys: [...running.repellers().keys(), ...keysAskedBy(settled.daemons)], shared })
  const standing = running
    .repellers()
    .of(alike.map(labelledOf), moving.flatMap(repellerTexts))
    .map((repeller) => ({ group: groups.ofTerm('antiAffinity', repeller.term, repeller.pod), repeller }))
  const axes = axesOf(
    alike.map(([{ pod }]) => pod.requests),
    drivers,
  )
  const classes = podClasses(alike, {
    shared,
    axes,
    groups,
    relaxation: {
      preferencePolicy: occasion.settings.preferencePolicy,
      hasSoftTaints: cluster.hasSoftTaints(),
      oneTermAtATime: placement === 'firstFit',
    },
    looksAtTermsAlone: occasion.settings.placement === 'firstFit',
    constraints: cluster.constraints,
    apartFrom: daemonQuarrels(settled.daemons, objects.namespace),
  })
  const pools = cluster.poolsOn(occasion, settled, axes)
  addDomainsOfPools(groups.all, pools.sources)
  seedCounts({ groups, running, machines, standing, going, placing })
  return {
    cluster,
    occasion,
    placement,
    typesOf: settled.typesOf,
    axes,
    pools,
    room: cluster.roomOn(axes),
    groups,
    classes,
    queue: queueOf(classes, runs),
    refused,
    isTaken: takenIn(cluster, occasion),
  }
}

/** Claims that more than one of those that run and those that wait mount. Pods that move are among the candidates, if anywhere. */
function sharedWith({ pods }: Cluster, candidates: readonly Candidate[], moving: readonly Pod[]): ReadonlySet<string> {
  return sharedClaims(
    candidates.map(({ pod }) => pod),
    moving,
    pods.running.mountsOf,
  )
}

function takenIn({ index }: Cluster, { drafts }: Occasion): Problem['isTaken'] {
  const drafted = new Set(drafts.map(({ name }) => name))
  return (name) => drafted.has(name) || index.claims.has(name) || index.nodes.has(instanceNameOf(name))
}

const NO_CLAIMS: ReadonlySet<string> = new Set()

/** Attempts of a decision that sets no bound: far more than any should need. */
const MOST_STEPS = 20_000_000

export function newPlan({ cluster, occasion, placement, axes, pools, room, classes }: Problem, work: Work): Plan {
  const { minValuesPolicy, maxSteps = MOST_STEPS } = occasion.settings
  const starts = startsOf(pools.combinations, cluster.machines.usage)
  const reservations = reservationsLeft(pools.templates, cluster)
  const isFirstFit = placement === 'firstFit'
  return {
    targets: room.targets,
    room,
    touched: new Map(),
    starts: isFirstFit ? starts : reservedStarts(starts, reservations),
    held: isFirstFit && reservations.size > 0 ? { left: reservations, of: new Map() } : undefined,
    work,
    steps: { left: maxSteps },
    postponed: new Map(),
    axes: axes.names.length + axes.drivers.length,
    isStrict: minValuesPolicy === 'Strict',
    commitment: isFirstFit ? 'late' : 'early',
    bins: [],
    log: [],
    left: new Map(classes.map((each) => [each, each.pods.length])),
    version: 0,
  }
}

function queueOf(classes: readonly PodClass[], runs: readonly Run[]): readonly QueueEntry[] {
  return runs.flatMap(({ at, count }) => {
    const podClass = classes[at]
    return podClass === undefined ? [] : [{ podClass, count }]
  })
}

function driversOf(candidates: readonly Candidate[]): ReadonlySet<string> {
  const drivers = new Set<string>()
  for (const { volumes } of candidates) for (const driver of volumes.attached.keys()) drivers.add(driver)
  return drivers
}
