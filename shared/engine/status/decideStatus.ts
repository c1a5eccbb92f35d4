import { canonicalJson } from '../../base/json.ts'
import { byKey, byText, leastOf } from '../../base/lists.ts'
import { defined, ownValue } from '../../base/values.ts'
import type { ClusterSnapshot } from '../../model/clusterSnapshot.ts'
import {
  type Condition,
  type ConditionStatus,
  type ConditionUpdate,
  clearCondition,
  isTrue,
  ROOT_CONDITION,
  setCondition,
  withRoot,
} from '../../model/condition.ts'
import type { Action, Decision, NodeClassStatusPatch, Subject } from '../../model/decision.ts'
import { nodePoolHashAnnotations } from '../../model/driftHash.ts'
import type { Uid } from '../../model/ids.ts'
import { CLASS_FINALIZER, type Meta } from '../../model/labels.ts'
import { adoptedImages, adoptedVersion, type NodeVersions } from '../../model/node.ts'
import { isOurs, localDnsState, type NodeClass, refersTo } from '../../model/nodeClass.ts'
import { CREATION_PAUSED, DISRUPTION_RULES_INVALID, DRIFT_PAUSED, type NodePool } from '../../model/nodePool.ts'
import { add, type Resources } from '../../model/resources.ts'
import { type EpochMs, epochMs } from '../../model/units.ts'
import type { FleetSnapshot } from '../cluster/fleet.ts'
import { rejectedOverlays } from '../overlay/overlaidTypes.ts'
import { classConditions, creationPauseOf, disruptionRulesOf, driftPauseOf, poolConditions } from './conditions.ts'

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
function hashOf({ name, meta, template, unknownValues }: NodePool): readonly Action[] {
  if (meta.deletedAt !== undefined || unknownValues !== undefined) return []
  const annotations = nodePoolHashAnnotations({ template })
  const isSame = Object.entries(annotations).every(([key, value]) => ownValue(meta.annotations, key) === value)
  return isSame ? [] : [{ kind: 'annotateNodePool', nodePool: name, annotations }]
}

function classStatus(nodeClass: NodeClass, snapshot: FleetSnapshot): readonly Action[] {
  const { status, meta, name } = nodeClass
  const conditions = updated(status.conditions, classConditions(nodeClass, snapshot), CLASS_DEPENDENTS, meta, snapshot.takenAt)
  // Images follow from the spec, and are not those of the class while a value of its spec is not known.
  const known = nodeClass.unknownValues === undefined ? snapshot.nodeVersions?.get(name) : undefined
  const versions = newVersions(status, known ?? NOT_KNOWN)
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

/** The most NodeClaims that an Event names, as in Karpenter's provider. */
const MOST_NAMED = 5

/**
 * A NodeClass has a finalizer from the start, so that it stays as long as a NodeClaim refers to it. A class that is being deleted loses it when none
 * does. Until then an Event names the NodeClaims.
 */
function classFinalizer({ name, meta }: NodeClass, { fleet }: FleetSnapshot): readonly Action[] {
  const isHeld = meta.finalizers.includes(CLASS_FINALIZER)
  if (meta.deletedAt === undefined) return isHeld ? [] : [{ kind: 'holdNodeClass', nodeClass: name }]
  if (!isHeld) return []
  const claims = [...fleet.all()]
    .flatMap(({ claim }) => (claim !== undefined && refersTo(claim.spec, name) ? [claim.name] : []))
    .sort(byText)
  if (claims.length === 0) return [{ kind: 'releaseNodeClass', nodeClass: name }]
  const more = claims.length > MOST_NAMED ? ` and ${claims.length - MOST_NAMED} more` : ''
  const message = `stays until the nodeclaims that refer to it are gone: ${claims.slice(0, MOST_NAMED).join(', ')}${more}`
  const reason = 'WaitingOnNodeClaimTermination'
  return [{ kind: 'publish', event: { subject: { kind: 'nodeClass', name }, uid: meta.uid, type: 'Normal', reason, message, key: reason } }]
}

const VALIDATION_CONDITION = 'ValidationSucceeded'

/** The status of NodeOverlays that has changed: whether they are applied, and why not. */
function overlayStatuses(snapshot: FleetSnapshot): readonly Action[] {
  const rejected = rejectedOverlays(snapshot)
  return [...snapshot.objects.nodeOverlay].sort(byKey((each) => each.name)).flatMap(({ name, meta, status }) => {
    const why = rejected.get(name)
    const update: ConditionUpdate =
      why === undefined ? { type: VALIDATION_CONDITION, status: 'True' } : { type: VALIDATION_CONDITION, status: 'False', ...why }
    const conditions = updated(status.conditions, [update], [VALIDATION_CONDITION], meta, snapshot.takenAt)
    const isSame = canonicalJson(conditions) === canonicalJson(status.conditions)
    return isSame ? [] : [{ kind: 'patchNodeOverlayStatus', nodeOverlay: name, conditions } as const]
  })
}

/** A reason that passes by itself within moments. It gets no Event. */
const PASSING = 'NodeClassReadinessUnknown'
/** Event reasons that stand for reasons which a pool copies from its NodeClass. The copied reasons say little. */
const COPIED: { readonly [reason: string]: string } = { UnhealthyDependents: 'NodeClassNotReady' }

const BAD_IF_TRUE: ReadonlySet<string> = new Set([CREATION_PAUSED, DISRUPTION_RULES_INVALID, DRIFT_PAUSED])

function badOf(type: string): ConditionStatus {
  return BAD_IF_TRUE.has(type) ? 'True' : 'False'
}

export type StatusChange = {
  readonly subject: Subject
  readonly uid: Uid
  readonly before: readonly Condition[]
  readonly after: readonly Condition[]
}

/**
 * The Events about the conditions of an object: a warning while a condition is not what it should be, and one Event when the object becomes ready.
 * The publisher keeps repeated warnings to one Event.
 */
function statusEvents({ subject, uid, before, after }: StatusChange): readonly Action[] {
  const failing = after.filter(({ type, status, reason }) => type !== ROOT_CONDITION && status === badOf(type) && reason !== PASSING)
  const becameReady = isTrue(after, ROOT_CONDITION) && !isTrue(before, ROOT_CONDITION)
  return [
    ...failing.map(({ reason, message }) => {
      const event = { subject, uid, type: 'Warning', reason: ownValue(COPIED, reason) ?? reason, message } as const
      return { kind: 'publish', event } as const
    }),
    ...(becameReady
      ? [{ kind: 'publish', event: { subject, uid, type: 'Normal', reason: ROOT_CONDITION, message: 'nodes can be created' } } as const]
      : []),
  ]
}

/** The conditions after the updates, with `Ready` as it follows from the dependents. */
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

type Judged = { readonly objects: Pick<ClusterSnapshot['objects'], 'nodePool' | 'nodeClass'> }

/** The cluster as it will be once the status patches of the decision are written, so that the next decisions need not wait for the watch. */
export function withStatus<Seen extends Judged>(seen: Seen, { actions }: Decision): Seen {
  const pools = new Map(actions.flatMap((action) => (action.kind === 'patchNodePoolStatus' ? [[action.nodePool, action] as const] : [])))
  const classes = new Map(
    actions.flatMap((action) => (action.kind === 'patchNodeClassStatus' ? [[action.nodeClass, action] as const] : [])),
  )
  if (pools.size === 0 && classes.size === 0) return seen
  const nodePool = seen.objects.nodePool.map((pool) => {
    const patch = pools.get(pool.name)
    if (patch === undefined) return pool
    const { kind: _, nodePool: __, ...status } = patch
    return { ...pool, status: { ...pool.status, ...status } }
  })
  const nodeClass = seen.objects.nodeClass.map((each) => {
    const patch = classes.get(each.name)
    if (patch === undefined) return each
    const { kind: _, nodeClass: __, ...status } = patch
    return { ...each, status: { ...each.status, ...status } }
  })
  return { ...seen, objects: { ...seen.objects, nodePool, nodeClass } }
}
