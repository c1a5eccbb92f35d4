import type { ClusterSnapshot } from '../../model/clusterSnapshot.ts'
import { type ConditionUpdate, findCondition, ROOT_CONDITION } from '../../model/condition.ts'
import type { NodeClass } from '../../model/nodeClass.ts'
import type { NodePool } from '../../model/nodePool.ts'
import { validateNodePool } from './validateNodePool.ts'

export function poolConditions(pool: NodePool, { objects }: ClusterSnapshot): readonly ConditionUpdate[] {
  const problems = validateNodePool(pool)
  const nodeClass = objects.nodeClass.find((each) => each.name === pool.template.nodeClassRef.name)
  return [
    problems.length === 0
      ? { type: 'ValidationSucceeded', status: 'True' }
      : { type: 'ValidationSucceeded', status: 'False', reason: 'NodePoolValidationFailed', message: problems.join('; ') },
    { type: 'NodeClassReady', ...readinessOf(pool, nodeClass) },
  ]
}

/** What can be said without asking Azure again. Version and image are taken from the cluster when a machine is launched. */
export function classConditions(nodeClass: NodeClass, { instanceTypes }: ClusterSnapshot): readonly ConditionUpdate[] {
  const isKnown = (instanceTypes.get(nodeClass.name) ?? []).length > 0
  const subnet = nodeClass.spec.vnetSubnetId
  const isSubnet = subnet === undefined || SUBNET_ID.test(subnet)
  return [
    { type: 'KubernetesVersionReady', status: 'True' },
    { type: 'ImagesReady', status: 'True' },
    isSubnet
      ? { type: 'SubnetsReady', status: 'True' }
      : {
          type: 'SubnetsReady',
          status: 'False',
          reason: 'SubnetIDInvalid',
          message: `spec.vnetSubnetID ${subnet} is not the id of a subnet`,
        },
    isKnown
      ? { type: 'ValidationSucceeded', status: 'True' }
      : {
          type: 'ValidationSucceeded',
          status: 'Unknown',
          reason: 'InstanceTypesUnknown',
          message: 'the sizes of the region are not known yet',
        },
  ]
}

const SUBNET_ID = /^\/subscriptions\/[^/]+\/resourceGroups\/[^/]+\/providers\/Microsoft\.Network\/virtualNetworks\/[^/]+\/subnets\/[^/]+$/i

function readinessOf(pool: NodePool, nodeClass: NodeClass | undefined): Omit<ConditionUpdate, 'type'> {
  const { name } = pool.template.nodeClassRef
  if (nodeClass === undefined) return { status: 'False', reason: 'NodeClassNotFound', message: `aksnodeclass ${name} does not exist` }
  if (nodeClass.meta.deletedAt !== undefined) {
    return { status: 'False', reason: 'NodeClassTerminating', message: `aksnodeclass ${name} is being deleted` }
  }
  const ready = findCondition(nodeClass.status.conditions, ROOT_CONDITION)
  if (ready === undefined || ready.status === 'Unknown') {
    return { status: 'False', reason: 'NodeClassReadinessUnknown', message: `aksnodeclass ${name} has not said yet whether it is ready` }
  }
  return ready.status === 'True' ? { status: 'True' } : { status: 'False', reason: ready.reason, message: ready.message }
}
