import { canonicalJson } from '../../base/canonicalJson.ts'
import { byKey } from '../../base/order.ts'
import type { ClusterSnapshot } from '../../model/clusterSnapshot.ts'
import { type Condition, type ConditionUpdate, setCondition, withRoot } from '../../model/condition.ts'
import type { Action, Decision } from '../../model/decision.ts'
import { LABEL } from '../../model/labels.ts'
import type { Meta } from '../../model/meta.ts'
import type { NodeClass } from '../../model/nodeClass.ts'
import type { NodePool } from '../../model/nodePool.ts'
import { add, type Resources, sum } from '../../model/resources.ts'
import type { EpochMs } from '../../model/units.ts'
import { capacityOf, labelsOf, type StateNode, stateNodes } from '../cluster/stateNode.ts'
import { classConditions, poolConditions } from './conditions.ts'

const POOL_DEPENDENTS = ['ValidationSucceeded', 'NodeClassReady'] as const
const CLASS_DEPENDENTS = ['KubernetesVersionReady', 'ImagesReady', 'SubnetsReady', 'ValidationSucceeded'] as const
const NO_MACHINES: Resources = { cpu: 0, memory: 0, pods: 0, 'ephemeral-storage': 0, nodes: 0 }

/** What NodePools and NodeClasses say about themselves, where it is not what they say already. */
export function decideStatus(snapshot: ClusterSnapshot): Decision {
  const machines = stateNodes(snapshot.objects)
  const { nodePool: pools, nodeClass: classes } = snapshot.objects
  return {
    actions: [
      ...[...classes].sort(byKey((each) => each.name)).flatMap((each) => classStatus(each, snapshot)),
      ...[...pools].sort(byKey((each) => each.name)).flatMap((each) => poolStatus(each, machines, snapshot)),
    ],
    reasons: [],
  }
}

function poolStatus(pool: NodePool, machines: readonly StateNode[], snapshot: ClusterSnapshot): readonly Action[] {
  const { status, meta } = pool
  const conditions = updated(status.conditions, poolConditions(pool, snapshot), POOL_DEPENDENTS, meta, snapshot.takenAt)
  const counted = machines.filter((machine) => isCounted(machine, pool))
  const capacity = sum(counted.map(capacityOf))
  const resources = { ...NO_MACHINES, ...add(capacity, { nodes: counted.length }) }
  const nodes = counted.length
  const isSame =
    canonicalJson([settled(conditions), resources, nodes]) === canonicalJson([settled(status.conditions), status.resources, status.nodes])
  return isSame ? [] : [{ kind: 'patchNodePoolStatus', nodePool: pool.name, conditions, resources, nodes }]
}

function classStatus(nodeClass: NodeClass, snapshot: ClusterSnapshot): readonly Action[] {
  const { status, meta } = nodeClass
  const conditions = updated(status.conditions, classConditions(nodeClass, snapshot), CLASS_DEPENDENTS, meta, snapshot.takenAt)
  const isSame = canonicalJson(settled(conditions)) === canonicalJson(settled(status.conditions))
  return isSame ? [] : [{ kind: 'patchNodeClassStatus', nodeClass: nodeClass.name, conditions }]
}

function updated(
  conditions: readonly Condition[],
  updates: readonly ConditionUpdate[],
  dependents: readonly string[],
  { generation, createdAt, deletedAt }: Meta,
  now: EpochMs,
): readonly Condition[] {
  const holder = { generation, createdAt, deleting: deletedAt !== undefined }
  const set = updates.reduce((all, update) => setCondition(all, update, holder, now), withRoot(conditions, dependents, holder, now))
  return withRoot(set, dependents, holder, now)
}

function settled(conditions: readonly Condition[]): readonly Condition[] {
  return [...conditions].sort(byKey((each) => each.type))
}

/** Machines there are: launched, and not on their way out. */
function isCounted(machine: StateNode, pool: NodePool): boolean {
  const isThere = machine.node !== undefined || machine.claim?.status.providerId !== undefined
  return isThere && !machine.isGoing && labelsOf(machine)[LABEL.nodePool] === pool.name
}
