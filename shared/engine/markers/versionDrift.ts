/** Drift by what new nodes are made from now: Kubernetes version, identity of the kubelet, images, facts of the cluster. What is not known drifts no node. */
import { compareDotted } from '../../base/text.ts'
import { type ClusterFactHashes, changedFacts, hashesOf } from '../../model/clusterFacts.ts'
import type { DecisionSettings } from '../../model/clusterSnapshot.ts'
import { ANNOTATION, LABEL } from '../../model/labels.ts'
import { type Node, parseClientId, parseVersion } from '../../model/node.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { NodeClass } from '../../model/nodeClass.ts'

/** What new nodes of a NodeClass get, as far as drift compares it. */
export type ClassVersions = {
  readonly name: string
  readonly kubernetesVersion: string | undefined
  /** Client id of the kubelet's identity, in lower case. It is the same for all classes of a cluster. */
  readonly kubeletIdentity: string | undefined
  /** The facts of the cluster that new machines get. Undefined: not known. They are the same for all classes of a cluster. */
  readonly clusterFacts: ClusterFactHashes | undefined
  /** Ids in lower case. Empty if they are not known. */
  readonly images: ReadonlySet<string>
}

export function versionsOf({ name, status }: NodeClass, { kubeletIdentityClientId, clusterFacts }: DecisionSettings): ClassVersions {
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
export function versionDrift(claim: NodeClaim, node: Node | undefined, { name, kubernetesVersion }: ClassVersions): string | undefined {
  if (kubernetesVersion === undefined || node === undefined || node.meta.deletedAt !== undefined) return undefined
  const asked = parseVersion(claim.meta.annotations[ANNOTATION.kubernetesVersion])
  const now = `aksnodeclass ${name} makes nodes of ${kubernetesVersion} now`
  if (asked !== undefined) return asked === kubernetesVersion ? undefined : `the node was made for Kubernetes ${asked}, and ${now}`
  const runs = parseVersion(node.kubeletVersion)
  if (runs === undefined || compareDotted(runs, kubernetesVersion) >= 0) return undefined
  return `the node runs Kubernetes ${runs}, and ${now}`
}

/** Why the kubelet has another identity than the kubelet of a new node would get. The label of the node is the record of its identity. */
export function identityDrift(node: Node | undefined, { kubeletIdentity }: ClassVersions): string | undefined {
  if (kubeletIdentity === undefined || node === undefined || node.meta.deletedAt !== undefined) return undefined
  const own = parseClientId(node.meta.labels[LABEL.kubeletIdentity])
  if (own === undefined || own === kubeletIdentity) return undefined
  return `label ${LABEL.kubeletIdentity} of the node is ${own}, and kubeletIdentityClientId of the cluster is ${kubeletIdentity} now`
}

/** Why the machine was made from other facts of the cluster than a new machine would be. A claim without their hashes is not compared. */
export function factsDrift({ meta }: NodeClaim, { clusterFacts }: ClassVersions): string | undefined {
  const changed = clusterFacts === undefined ? [] : changedFacts(hashesOf(meta.annotations), clusterFacts)
  if (changed.length === 0) return undefined
  return `${changed.join(', ')} of the cluster ${changed.length === 1 ? 'has' : 'have'} changed since the machine was launched`
}

/** Why the machine has another image than a new machine would get. An id that ends with `latest` does not name the image of the machine. */
export function imageDrift({ status: { imageId } }: NodeClaim, { name, images }: ClassVersions): string | undefined {
  if (images.size === 0 || imageId === undefined || imageId === '' || /\/latest$/i.test(imageId)) return undefined
  if (images.has(imageId.toLowerCase())) return undefined
  return `the machine has image ${imageId}, and aksnodeclass ${name} makes machines of others now`
}
