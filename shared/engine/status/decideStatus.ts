import { canonicalJson } from '../../base/canonicalJson.ts'
import { defined } from '../../base/defined.ts'
import { leastOf } from '../../base/lists.ts'
import { byKey } from '../../base/order.ts'
import { ownValue } from '../../base/ownValue.ts'
import { type Condition, clearCondition } from '../../model/condition.ts'
import type { Action, Decision, NodeClassStatusPatch } from '../../model/decision.ts'
import { nodePoolHashAnnotations } from '../../model/driftHash.ts'
import { localDnsState } from '../../model/localDns.ts'
import { isOurs, type NodeClass } from '../../model/nodeClass.ts'
import { CREATION_PAUSED, DISRUPTION_RULES_INVALID, DRIFT_PAUSED, type NodePool } from '../../model/nodePool.ts'
import { adoptedImages, adoptedVersion, type NodeVersions } from '../../model/nodeVersions.ts'
import { add, type Resources } from '../../model/resources.ts'
import { epochMs } from '../../model/units.ts'
import type { FleetSnapshot } from '../cluster/fleetSnapshot.ts'
import { classFinalizer } from './classFinalizer.ts'
import { classConditions, creationPauseOf, disruptionRulesOf, driftPauseOf, poolConditions } from './conditions.ts'
import { overlayStatuses } from './overlayStatus.ts'
import { statusEvents } from './statusEvents.ts'
import { updated } from './updated.ts'
import { withStatus } from './withStatus.ts'

const POOL_DEPENDENTS = ['ValidationSucceeded', 'NodeClassReady'] as const
const CLASS_DEPENDENTS = ['KubernetesVersionReady', 'ImagesReady', 'SubnetsReady', 'LocalDNSReady', 'ValidationSucceeded'] as const
const NO_MACHINES: Resources = { cpu: 0, memory: 0, pods: 0, 'ephemeral-storage': 0, nodes: 0 }

/**
 * Decides the status of NodePools, NodeClasses and NodeOverlays, where it differs from the status they have. Pools are judged by the new status of
 * their NodeClass, so that a pool and its class become ready together. Pools of other providers are judged by those providers.
 */
export function decideStatus(snapshot: FleetSnapshot): Decision {
  const classes: readonly Action[] = [...snapshot.objects.nodeClass]
    .sort(byKey((each) => each.name))
    .flatMap((each) => [...classFinalizer(each, snapshot), ...classStatus(each, snapshot)])
  const judged = withStatus(snapshot, { actions: classes, reasons: [] })
  const pools = [...judged.objects.nodePool].sort(byKey((each) => each.name)).map((each) => poolStatus(each, judged))
  const wakes = pools.flatMap(({ wakeAt }) => wakeAt ?? [])
  const actions = [...classes, ...pools.flatMap((each) => each.actions), ...overlayStatuses(snapshot)]
  return { actions, reasons: [], ...(wakes.length === 0 ? {} : { wakeAt: epochMs(leastOf(wakes)) }) }
}

function poolStatus(pool: NodePool, snapshot: FleetSnapshot): Omit<Decision, 'reasons'> {
  if (!isOurs(pool.template.nodeClassRef)) return { actions: [] }
  const { status, meta, name } = pool
  const pause = creationPauseOf(pool, snapshot)
  const rules = [...disruptionRulesOf(pool, snapshot), ...driftPauseOf(pool, snapshot)]
  const updates = [...poolConditions(pool, snapshot), ...(pause === undefined ? [] : [pause.update]), ...rules]
  const stays = (type: string): boolean => updates.some((update) => update.type === type)
  const before = [CREATION_PAUSED, DISRUPTION_RULES_INVALID, DRIFT_PAUSED]
    .filter((type) => !stays(type))
    .reduce<readonly Condition[]>(clearCondition, status.conditions)
  const conditions = updated(before, updates, POOL_DEPENDENTS, meta, snapshot.takenAt)
  const { nodes, capacity } = snapshot.fleet.counted(name)
  const resources = { ...NO_MACHINES, ...add(capacity, { nodes }) }
  const nodeClass = snapshot.objects.nodeClass.find((each) => each.name === pool.template.nodeClassRef.name)
  const nodeClassObservedGeneration = nodeClass?.meta.generation ?? status.nodeClassObservedGeneration
  const next = defined({ conditions, resources, nodes, nodeClassObservedGeneration })
  const isSame =
    canonicalJson({ ...next, conditions: settled(conditions) }) === canonicalJson({ ...status, conditions: settled(status.conditions) })
  const patch: readonly Action[] = isSame ? [] : [{ kind: 'patchNodePoolStatus', nodePool: name, ...next }]
  const subject = { kind: 'nodePool', name } as const
  const actions = [...patch, ...hashOf(pool), ...statusEvents({ subject, uid: meta.uid, before: status.conditions, after: conditions })]
  return { actions, ...(pause?.wakeAt === undefined ? {} : { wakeAt: pause.wakeAt }) }
}

/** The hash of the template as annotations, where the pool has others. A pool that is being deleted is left alone. */
function hashOf({ name, meta, template }: NodePool): readonly Action[] {
  if (meta.deletedAt !== undefined) return []
  const annotations = nodePoolHashAnnotations({ template })
  const isSame = Object.entries(annotations).every(([key, value]) => ownValue(meta.annotations, key) === value)
  return isSame ? [] : [{ kind: 'annotateNodePool', nodePool: name, annotations }]
}

function classStatus(nodeClass: NodeClass, snapshot: FleetSnapshot): readonly Action[] {
  const { status, meta, name } = nodeClass
  const conditions = updated(status.conditions, classConditions(nodeClass, snapshot), CLASS_DEPENDENTS, meta, snapshot.takenAt)
  const versions = newVersions(status, snapshot.nodeVersions?.get(name) ?? NOT_KNOWN)
  const state = localDnsState(nodeClass)
  const localDns = state === status.localDnsState ? {} : { localDnsState: state }
  const isSame =
    versions === undefined &&
    state === status.localDnsState &&
    canonicalJson(settled(conditions)) === canonicalJson(settled(status.conditions))
  const patch: readonly Action[] = isSame ? [] : [{ kind: 'patchNodeClassStatus', nodeClass: name, conditions, ...versions, ...localDns }]
  const subject = { kind: 'nodeClass', name } as const
  return [...patch, ...statusEvents({ subject, uid: meta.uid, before: status.conditions, after: conditions })]
}

const NOT_KNOWN: NodeVersions = {}

/** Version and images where they become others. Undefined if both stay. */
function newVersions(
  status: NodeClass['status'],
  known: NodeVersions,
): Pick<NodeClassStatusPatch, 'kubernetesVersion' | 'images'> | undefined {
  const kubernetesVersion = adoptedVersion(status.kubernetesVersion, known)
  const images = adoptedImages(status.images, known)
  const isVersion = kubernetesVersion === status.kubernetesVersion
  const areImages = images === status.images || canonicalJson(images) === canonicalJson(status.images)
  if (isVersion && areImages) return undefined
  return defined({ kubernetesVersion: isVersion ? undefined : kubernetesVersion, images: areImages ? undefined : images })
}

function settled(conditions: readonly Condition[]): readonly Condition[] {
  return [...conditions].sort(byKey((each) => each.type))
}
