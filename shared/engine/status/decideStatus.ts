import { canonicalJson } from '../../base/canonicalJson.ts'
import { defined } from '../../base/defined.ts'
import { byKey } from '../../base/order.ts'
import type { ClusterSnapshot } from '../../model/clusterSnapshot.ts'
import type { Condition } from '../../model/condition.ts'
import type { Action, Decision } from '../../model/decision.ts'
import { LABEL } from '../../model/labels.ts'
import type { NodeClass } from '../../model/nodeClass.ts'
import type { NodePool } from '../../model/nodePool.ts'
import { add, type Resources, sum } from '../../model/resources.ts'
import { capacityOf, labelsOf, type StateNode, stateNodes } from '../cluster/stateNode.ts'
import { classConditions, LOCAL_DNS_CONDITION, poolConditions, requiresLocalDns } from './conditions.ts'
import { overlayStatuses } from './overlayStatus.ts'
import { statusEvents } from './statusEvents.ts'
import { updated } from './updated.ts'
import { withStatus } from './withStatus.ts'

const POOL_DEPENDENTS = ['ValidationSucceeded', 'NodeClassReady'] as const
const CLASS_DEPENDENTS = ['KubernetesVersionReady', 'ImagesReady', 'SubnetsReady', 'ValidationSucceeded'] as const
const NO_MACHINES: Resources = { cpu: 0, memory: 0, pods: 0, 'ephemeral-storage': 0, nodes: 0 }

/**
 * What NodePools, NodeClasses and NodeOverlays say about themselves, where it is not what they say already. Pools are judged by what their
 * class says now, so that what belongs together becomes ready together.
 */
export function decideStatus(snapshot: ClusterSnapshot): Decision {
  const machines = stateNodes(snapshot.objects)
  const classes: readonly Action[] = [...snapshot.objects.nodeClass]
    .sort(byKey((each) => each.name))
    .flatMap((each) => classStatus(each, snapshot))
  const judged = withStatus(snapshot, { actions: classes, reasons: [] })
  const pools = [...judged.objects.nodePool].sort(byKey((each) => each.name)).flatMap((each) => poolStatus(each, machines, judged))
  return { actions: [...classes, ...pools, ...overlayStatuses(snapshot)], reasons: [] }
}

function poolStatus(pool: NodePool, machines: readonly StateNode[], snapshot: ClusterSnapshot): readonly Action[] {
  const { status, meta, name } = pool
  const conditions = updated(status.conditions, poolConditions(pool, snapshot), POOL_DEPENDENTS, meta, snapshot.takenAt)
  const counted = machines.filter((machine) => isCounted(machine, pool))
  const capacity = sum(counted.map(capacityOf))
  const resources = { ...NO_MACHINES, ...add(capacity, { nodes: counted.length }) }
  const nodeClass = snapshot.objects.nodeClass.find((each) => each.name === pool.template.nodeClassRef.name)
  const nodeClassObservedGeneration = nodeClass?.meta.generation ?? status.nodeClassObservedGeneration
  const next = defined({ conditions, resources, nodes: counted.length, nodeClassObservedGeneration })
  const isSame =
    canonicalJson({ ...next, conditions: settled(conditions) }) === canonicalJson({ ...status, conditions: settled(status.conditions) })
  const patch: readonly Action[] = isSame ? [] : [{ kind: 'patchNodePoolStatus', nodePool: name, ...next }]
  const subject = { kind: 'nodePool', name } as const
  return [...patch, ...statusEvents({ subject, uid: meta.uid, before: status.conditions, after: conditions })]
}

function classStatus(nodeClass: NodeClass, snapshot: ClusterSnapshot): readonly Action[] {
  const { status, meta, name } = nodeClass
  const dependents = requiresLocalDns(nodeClass) ? [...CLASS_DEPENDENTS, LOCAL_DNS_CONDITION] : CLASS_DEPENDENTS
  const conditions = updated(status.conditions, classConditions(nodeClass, snapshot), dependents, meta, snapshot.takenAt)
  const isSame = canonicalJson(settled(conditions)) === canonicalJson(settled(status.conditions))
  const patch: readonly Action[] = isSame ? [] : [{ kind: 'patchNodeClassStatus', nodeClass: name, conditions }]
  const subject = { kind: 'nodeClass', name } as const
  return [...patch, ...statusEvents({ subject, uid: meta.uid, before: status.conditions, after: conditions })]
}

function settled(conditions: readonly Condition[]): readonly Condition[] {
  return [...conditions].sort(byKey((each) => each.type))
}

/** Machines there are: launched, and not on their way out. */
function isCounted(machine: StateNode, pool: NodePool): boolean {
  const isThere = machine.node !== undefined || machine.claim?.status.providerId !== undefined
  return isThere && !machine.isGoing && labelsOf(machine)[LABEL.nodePool] === pool.name
}
