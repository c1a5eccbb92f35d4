/** What the machine of a claim that is there must have room for: the pods of a node that is ready, before that the requests of the claim. */
import { byKey, leastOf } from '../../../base/lists.ts'
import { defined, ownValue } from '../../../base/values.ts'
import type { ClusterSnapshot } from '../../../model/clusterSnapshot.ts'
import { ANNOTATION } from '../../../model/labels.ts'
import { deadlineOf, type NodeClaimSpec } from '../../../model/nodeClaim.ts'
import type { Pod } from '../../../model/pod.ts'
import { requirementsFrom } from '../../../model/requirements.ts'
import { minOf, NO_RESOURCES, type Resources, sum } from '../../../model/resources.ts'
import { type EpochMs, epochMs } from '../../../model/units.ts'
import type { PodDisruptionBudget } from '../../../model/workloads.ts'
import type { StateNode } from '../../cluster/stateNode.ts'
import { admittedOfferings } from '../../offering/usableOfferings.ts'
import { blockingBudgets } from '../../pod/eviction.ts'
import { isDaemonPod, isDoNotDisrupt, isWaitingForEviction } from '../../pod/podPredicates.ts'
import type { Load } from '../decision/room.ts'
import type { Daemon } from '../model/catalog/daemons.ts'
import type { Template } from '../model/catalog/template.ts'
import { daemonAntiAffinity } from '../model/neighbours/comingDaemons.ts'
import { attachedIndex } from '../model/pods/volumes.ts'
import { type Axes, axesOf, DISK_DRIVER } from '../model/quantities/amounts.ts'
import type { Drain, Hold, Removal } from './explanation.ts'

export type StandingLoad = {
  readonly axes: Axes
  /** The pods without pods of DaemonSets: another instance type may run other DaemonSets. */
  readonly own: readonly Pod[]
  /** The load on a machine of the NodePool. */
  on(template: Template): Load
}

type Given = {
  /** Pods on the node, and pods that the plan places there. */
  readonly pods: readonly Pod[]
  /** The claim, if its requests count. Undefined if the pods count. */
  readonly spec: NodeClaimSpec | undefined
  readonly daemons: readonly Daemon[]
  readonly objects: ClusterSnapshot['objects']
}

/** The load on the axes that the pods or the claim ask for. */
export function standingLoad({ pods, spec, daemons, objects }: Given): StandingLoad {
  const own = pods.filter((pod) => !isDaemonPod(pod))
  const requests = spec?.requests ?? sum(own.map((pod) => pod.requests))
  const axes = axesOf([requests], [DISK_DRIVER])
  const attachedBy = attachedIndex(objects)
  const disks = [...new Set(own.flatMap((pod) => attachedBy(pod, DISK_DRIVER)))]
  const attached = new Map([[DISK_DRIVER, disks]])
  const apartFrom = daemonAntiAffinity(daemons, objects.namespace)
  const rest = { ports: own.flatMap((pod) => pod.hostPorts), pods: own.map((pod) => ({ apartFrom: apartFrom(pod) })) }
  const measured = (template: Template): Load => {
    const asked = spec === undefined ? requests : without(requests, leastOverhead(template, spec))
    return { ...rest, total: axes.amountsOf(asked, attached) }
  }
  // A NodePool has some thousand offerings, and each of them asks for the load.
  const known = new Map<Template, Load>()
  return {
    axes,
    own,
    on(template) {
      const load = known.get(template) ?? measured(template)
      known.set(template, load)
      return load
    },
  }
}

/** The part of the claim's requests that is for DaemonSets: the least that they request on any instance type that the claim allows. */
function leastOverhead({ sizes }: Template, { requirements }: NodeClaimSpec): Resources {
  const allowed = requirementsFrom(requirements)
  const overheads = sizes.flatMap((size) => (size !== undefined && admittedOfferings(allowed, size.type).length > 0 ? [size.overhead] : []))
  const [first, ...others] = overheads
  return first === undefined ? NO_RESOURCES : others.reduce(minOf, first)
}

function without(requests: Resources, overhead: Resources): Resources {
  return Object.fromEntries(Object.entries(requests).map(([name, amount]) => [name, Math.max(0, amount - (ownValue(overhead, name) ?? 0))]))
}

/** What keeps the pod from being evicted now. The eviction API refuses every pod that several PodDisruptionBudgets select. */
export function heldBy(pod: Pod, budgets: readonly PodDisruptionBudget[], now: EpochMs): readonly Hold[] {
  const holding = [...blockingBudgets(pod, budgets)].sort(byKey(({ key }) => key))
  return [
    ...holding.map(({ key }): Hold => ({ kind: holding.length > 1 ? 'oneOfSeveralBudgets' : 'budget', name: key })),
    ...(isDoNotDisrupt(pod, now) ? [{ kind: 'annotation', name: ANNOTATION.doNotDisrupt } as const] : []),
  ]
}

type Removing = Pick<ClusterSnapshot, 'objects' | 'commands' | 'takenAt'>

export function removalOf({ node, claim }: StateNode, { commands }: Pick<Removing, 'commands'>): Removal {
  const moves = commands.filter(({ candidates }) => candidates.some(({ uid }) => uid === claim?.meta.uid))
  const begun = [claim?.meta.deletedAt, node?.meta.deletedAt, ...moves.map(({ startedAt }) => startedAt)].filter((at) => at !== undefined)
  return defined({
    since: begun.length === 0 ? undefined : epochMs(leastOf(begun)),
    deadline: claim === undefined ? undefined : deadlineOf(claim),
  })
}

/** The pods that the machine waits for. Undefined if it is not being removed. */
export function drainOf(machine: StateNode, snapshot: Removing): Drain | undefined {
  if (!machine.isDeleting) return undefined
  const { objects, takenAt } = snapshot
  const leaving = machine.pods.filter((pod) => isWaitingForEviction(pod, takenAt)).sort(byKey(({ key }) => key))
  const holds = leaving.flatMap((pod) => heldBy(pod, objects.podDisruptionBudget, takenAt).map((by) => ({ by, pod })))
  const held = [...Map.groupBy(holds, ({ by }) => `${by.kind} ${by.name}`).values()].flatMap((own) => {
    const [first] = own
    return first === undefined ? [] : [{ by: first.by, pods: own.map(({ pod }) => pod.key) }]
  })
  return { ...removalOf(machine, snapshot), leaving: leaving.map(({ key }) => key), held }
}
