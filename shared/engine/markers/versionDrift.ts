/** Drift by what a NodeClass makes nodes from now: its Kubernetes version and its images. What is not known drifts no node. */
import { compareDotted } from '../../base/dottedNumbers.ts'
import { ANNOTATION } from '../../model/labels.ts'
import type { Node } from '../../model/node.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { NodeClass } from '../../model/nodeClass.ts'
import { parseVersion } from '../../model/nodeVersions.ts'

/** What drift needs to know of the status of a NodeClass. */
export type ClassVersions = {
  readonly name: string
  readonly kubernetesVersion: string | undefined
  /** Ids in lower case. Empty if they are not known. */
  readonly images: ReadonlySet<string>
}

export function versionsOf({ name, status }: NodeClass): ClassVersions {
  return {
    name,
    kubernetesVersion: parseVersion(status.kubernetesVersion),
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

/** Why the machine has another image than a new machine would get. An id that ends with `latest` does not name the image of the machine. */
export function imageDrift({ status: { imageId } }: NodeClaim, { name, images }: ClassVersions): string | undefined {
  if (images.size === 0 || imageId === undefined || imageId === '' || /\/latest$/i.test(imageId)) return undefined
  if (images.has(imageId.toLowerCase())) return undefined
  return `the machine has image ${imageId}, and aksnodeclass ${name} makes machines of others now`
}
