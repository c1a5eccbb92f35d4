import { compareDotted } from '../../base/text.ts'
import { type ClusterFactHashes, changedFacts, completed, hashesOf } from '../../model/clusterFacts.ts'
import type { DecisionSettings } from '../../model/clusterSnapshot.ts'
import { findCondition } from '../../model/condition.ts'
import { NODE_CLASS_HASH_VERSION, NODE_POOL_HASH_VERSION, nodeClassHash, nodePoolHash } from '../../model/driftHash.ts'
import type { InstanceType } from '../../model/instanceType.ts'
import { REGIONAL_ZONE, zoneText } from '../../model/inWords.ts'
import { ANNOTATION, LABEL, type Labels } from '../../model/labels.ts'
import { type Node, parseClientId, parseVersion } from '../../model/node.ts'
import { DRIFTED, type NodeClaim } from '../../model/nodeClaim.ts'
import type { NodeClass } from '../../model/nodeClass.ts'
import type { NodePool } from '../../model/nodePool.ts'
import { conflicts, describeConflict } from '../../model/requirementConflict.ts'
import { type Requirements, requirementsFrom, requirementsFromLabels } from '../../model/requirements.ts'
import { durationMs, type EpochMs, later } from '../../model/units.ts'
import { typeNamed } from '../offering/usableOfferings.ts'

/** The pool, the NodeClass and the sizes that a claim was made from, as they are now. */
export type Origin = {
  readonly pool: NodePool
  /** Undefined if the pool has values that are not known. What its machines would be then is not known either, and is no drift. */
  readonly asked: { readonly poolHash: string; readonly requirements: Requirements } | undefined
  /** Undefined if the NodeClass is gone, or has values that are not known. Neither is drift. */
  readonly nodeClass: (ClassVersions & { readonly hash: string }) | undefined
  /** The sizes of the NodeClass. Empty if they are unknown. */
  readonly instanceTypes: readonly InstanceType[]
}

export function originOf(
  pool: NodePool,
  nodeClass: NodeClass | undefined,
  instanceTypes: readonly InstanceType[],
  settings: DecisionSettings,
): Origin {
  return {
    pool,
    asked:
      pool.unknownValues === undefined
        ? { poolHash: nodePoolHash(pool), requirements: requirementsFrom(pool.template.requirements) }
        : undefined,
    nodeClass:
      nodeClass === undefined || nodeClass.unknownValues !== undefined
        ? undefined
        : { ...versionsOf(nodeClass, settings), hash: nodeClassHash(nodeClass) },
    instanceTypes,
  }
}

/** The reasons that are found here, in the order in which they are looked for. */
type DriftReason =
  | 'NodePoolDrifted'
  | 'RequirementsDrifted'
  | 'InstanceTypeNotFound'
  | 'NodeClassDrift'
  | 'K8sVersionDrift'
  | 'KubeletIdentityDrift'
  | 'ImageDrift'
  | 'ClusterConfigDrift'

/** `reason`: a `DriftReason`, or the reason that another provider wrote on a claim that was migrated. */
export type Drift = { readonly reason: string; readonly message: string }
type FoundDrift = Drift & { readonly reason: DriftReason }

/** The time from which a missing size counts as drift. Until then the catalog may lack a size that was sold a moment ago. */
export function typeKnownAt({ meta }: NodeClaim): EpochMs {
  return later(meta.createdAt, TYPE_IS_KNOWN_AFTER)
}

const TYPE_IS_KNOWN_AFTER = durationMs(3_600_000)

/** How a machine differs from what its pool and class would make now, in Karpenter's order of reasons. Undefined if it does not differ. */
export function driftOf(claim: NodeClaim, node: Node | undefined, origin: Origin, now: EpochMs): Drift | undefined {
  const ofPool = poolDrift(claim, origin) ?? requirementsDrift(claim, origin) ?? typeDrift(claim, origin, now)
  return ofPool ?? classDrift(claim, origin) ?? newerDrift(claim, node, origin) ?? verdictOfBefore(claim, origin)
}

/** Hashes of another version cannot be compared. A condition `Drifted` that is True then stays until the machine is replaced, as in Karpenter. */
function verdictOfBefore(claim: NodeClaim, origin: Origin): Drift | undefined {
  const said = findCondition(claim.status.conditions, DRIFTED)
  return said?.status === 'True' && hashesFor(claim, origin) !== undefined ? said : undefined
}

function poolDrift(claim: NodeClaim, { pool, asked }: Origin): FoundDrift | undefined {
  const hash = poolHashOf(claim)
  if (asked === undefined || hash === undefined || hash === asked.poolHash) return undefined
  return { reason: 'NodePoolDrifted', message: `spec.template of nodepool ${pool.name} has changed since the nodeclaim was made` }
}

/**
 * The hash of the pool that the claim was made from. Undefined if it has none, or one of another version, or if another provider wrote the hash of the
 * class: a claim that was migrated is compared with its pool from then on.
 */
function poolHashOf({ meta: { annotations } }: NodeClaim): string | undefined {
  const { [ANNOTATION.nodeClassHashVersion]: ofClass = NODE_CLASS_HASH_VERSION } = annotations
  if (ofClass !== NODE_CLASS_HASH_VERSION) return undefined
  return annotations[ANNOTATION.nodePoolHashVersion] === NODE_POOL_HASH_VERSION ? annotations[ANNOTATION.nodePoolHash] : undefined
}

/** The hash of the class that the claim was launched with. Undefined if it has none, or one of another version. */
function classHashOf({ meta: { annotations } }: NodeClaim): string | undefined {
  return annotations[ANNOTATION.nodeClassHashVersion] === NODE_CLASS_HASH_VERSION ? annotations[ANNOTATION.nodeClassHash] : undefined
}

function requirementsDrift({ meta: { labels } }: NodeClaim, { pool, asked }: Origin): FoundDrift | undefined {
  if (asked === undefined) return undefined
  const { requirements } = asked
  const [conflict] = conflicts(requirementsFromLabels(labels, requirements), requirements, NO_KEYS)
  if (conflict === undefined) return undefined
  const message = `the machine no longer meets the requirements of nodepool ${pool.name}: ${describeConflict(conflict)}`
  return { reason: 'RequirementsDrifted', message }
}

const NO_KEYS: ReadonlySet<string> = new Set()

function typeDrift(claim: NodeClaim, { instanceTypes }: Origin, now: EpochMs): FoundDrift | undefined {
  const { labels } = claim.meta
  const name = labels[LABEL.instanceType]
  if (instanceTypes.length === 0 || now < typeKnownAt(claim)) return undefined
  if (name === undefined) return { reason: 'InstanceTypeNotFound', message: `the nodeclaim has no label ${LABEL.instanceType}` }
  const type = typeNamed(instanceTypes, name)
  if (type?.offerings.some((offering) => isOffered(offering, labels)) === true) return undefined
  const place = `${labels[LABEL.capacityType] ?? 'any capacity type'} in ${zoneText(labels[LABEL.zone] ?? REGIONAL_ZONE)}`
  const message =
    type === undefined ? `instance type ${name} is not sold any more` : `instance type ${name} is not sold any more as ${place}`
  return { reason: 'InstanceTypeNotFound', message }
}

/** Reports whether the machine is still sold, whether or not it can be bought now. A reservation that is used up becomes on-demand. */
function isOffered({ zone, capacityType }: InstanceType['offerings'][number], labels: Labels): boolean {
  const wanted = labels[LABEL.capacityType]
  const isType = wanted === undefined || wanted === capacityType || (wanted === 'reserved' && capacityType === 'on-demand')
  return isType && (labels[LABEL.zone] === undefined || labels[LABEL.zone] === zone)
}

function classDrift(claim: NodeClaim, { nodeClass }: Origin): FoundDrift | undefined {
  const hash = classHashOf(claim)
  if (nodeClass === undefined || hash === undefined || hash === nodeClass.hash) return undefined
  return { reason: 'NodeClassDrift', message: `spec of aksnodeclass ${nodeClass.name} has changed since the machine was launched` }
}

function newerDrift(claim: NodeClaim, node: Node | undefined, { nodeClass }: Origin): FoundDrift | undefined {
  if (nodeClass === undefined) return undefined
  const version = versionDrift(claim, node, nodeClass)
  if (version !== undefined) return { reason: 'K8sVersionDrift', message: version }
  const identity = identityDrift(node, nodeClass)
  if (identity !== undefined) return { reason: 'KubeletIdentityDrift', message: identity }
  const image = imageDrift(claim, nodeClass)
  if (image !== undefined) return { reason: 'ImageDrift', message: image }
  const facts = factsDrift(claim, nodeClass)
  return facts === undefined ? undefined : { reason: 'ClusterConfigDrift', message: facts }
}

/**
 * The annotations for a claim that lacks a hash, or whose hashes have another version, such as a claim that Karpenter made. From then on it is
 * compared with the pool and class of that moment. A claim that has drifted keeps its verdict. Undefined if its hashes have this version.
 */
export function restamped(claim: NodeClaim, origin: Origin): Labels | undefined {
  const [hashes, facts] = [hashesFor(claim, origin), completed(claim.meta.annotations, origin.nodeClass?.clusterFacts)]
  return hashes === undefined && facts === undefined ? undefined : { ...hashes, ...facts }
}

function hashesFor(claim: NodeClaim, { asked, nodeClass }: Origin): Labels | undefined {
  const ofPool = asked === undefined || poolHashOf(claim) !== undefined
  const ofClass = nodeClass === undefined || classHashOf(claim) !== undefined
  if (ofPool && ofClass) return undefined
  return {
    ...(ofPool ? {} : { [ANNOTATION.nodePoolHash]: asked.poolHash, [ANNOTATION.nodePoolHashVersion]: NODE_POOL_HASH_VERSION }),
    ...(ofClass ? {} : { [ANNOTATION.nodeClassHash]: nodeClass.hash, [ANNOTATION.nodeClassHashVersion]: NODE_CLASS_HASH_VERSION }),
  }
}

/** What new nodes of a NodeClass get, as far as drift compares it. */
type ClassVersions = {
  readonly name: string
  readonly kubernetesVersion: string | undefined
  /** Client id of the kubelet's identity, in lower case. It is the same for all classes of a cluster. */
  readonly kubeletIdentity: string | undefined
  /** The facts of the cluster that new machines get. Undefined: not known. They are the same for all classes of a cluster. */
  readonly clusterFacts: ClusterFactHashes | undefined
  /** Ids in lower case. Empty if they are not known. */
  readonly images: ReadonlySet<string>
}

function versionsOf({ name, status }: NodeClass, { kubeletIdentityClientId, clusterFacts }: DecisionSettings): ClassVersions {
  return {
    name,
    kubernetesVersion: parseVersion(status.kubernetesVersion),
    kubeletIdentity: parseClientId(kubeletIdentityClientId),
    clusterFacts,
    images: new Set(status.images.map(({ id }) => id.toLowerCase())),
  }
}

/**
 * Why the node has another version than a new node would get. A machine that was made for the present version never drifts, whatever version its
 * image brings: another machine would be the same. For the same reason, a kubelet that is newer than the control plane is no drift.
 */
function versionDrift(claim: NodeClaim, node: Node | undefined, { name, kubernetesVersion }: ClassVersions): string | undefined {
  if (kubernetesVersion === undefined || node === undefined || node.meta.deletedAt !== undefined) return undefined
  const asked = parseVersion(claim.meta.annotations[ANNOTATION.kubernetesVersion])
  const now = `aksnodeclass ${name} makes nodes of ${kubernetesVersion} now`
  if (asked !== undefined) return asked === kubernetesVersion ? undefined : `the node was made for Kubernetes ${asked}, and ${now}`
  const runs = parseVersion(node.kubeletVersion)
  if (runs === undefined || compareDotted(runs, kubernetesVersion) >= 0) return undefined
  return `the node runs Kubernetes ${runs}, and ${now}`
}

/** Why the kubelet has another identity than the kubelet of a new node would get. The label of the node is the record of its identity. */
function identityDrift(node: Node | undefined, { kubeletIdentity }: ClassVersions): string | undefined {
  if (kubeletIdentity === undefined || node === undefined || node.meta.deletedAt !== undefined) return undefined
  const own = parseClientId(node.meta.labels[LABEL.kubeletIdentity])
  if (own === undefined || own === kubeletIdentity) return undefined
  return `label ${LABEL.kubeletIdentity} of the node is ${own}, and kubeletIdentityClientId of the cluster is ${kubeletIdentity} now`
}

/** Why the machine was made from other facts of the cluster than a new machine would be. A claim without their hashes is not compared. */
function factsDrift({ meta }: NodeClaim, { clusterFacts }: ClassVersions): string | undefined {
  const changed = clusterFacts === undefined ? [] : changedFacts(hashesOf(meta.annotations), clusterFacts)
  if (changed.length === 0) return undefined
  return `${changed.join(', ')} of the cluster ${changed.length === 1 ? 'has' : 'have'} changed since the machine was launched`
}

/** Why the machine has another image than a new machine would get. An id that ends with `latest` does not name the image of the machine. */
function imageDrift({ status: { imageId } }: NodeClaim, { name, images }: ClassVersions): string | undefined {
  if (images.size === 0 || imageId === undefined || imageId === '' || /\/latest$/i.test(imageId)) return undefined
  if (images.has(imageId.toLowerCase())) return undefined
  return `the machine has image ${imageId}, and aksnodeclass ${name} makes machines of others now`
}
