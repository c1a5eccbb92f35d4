import { compareDotted } from '../base/dottedNumbers.ts'
import type { NodeClass, NodeImage } from './nodeClass.ts'

/** The version and the images that new nodes of a NodeClass should have now. What is not known is undefined, and changes nothing. */
export type NodeVersions = {
  readonly kubernetesVersion?: string
  /** An operator set the version. Then it is followed even if it is lower than before. */
  readonly isVersionSet?: true
  readonly images?: readonly NodeImage[]
}

type Status = NodeClass['status']

/**
 * The version of new nodes. A lower version than before is not followed, as in Karpenter: control planes are not downgraded, so it is an old answer.
 */
export function adoptedVersion(before: Status['kubernetesVersion'], { kubernetesVersion, isVersionSet }: NodeVersions): string | undefined {
  if (kubernetesVersion === undefined || before === undefined || isVersionSet === true) return kubernetesVersion ?? before
  return compareDotted(kubernetesVersion, before) > 0 ? kubernetesVersion : before
}

/** The images of new machines. An empty list says nothing. */
export function adoptedImages(before: Status['images'], { images = [] }: NodeVersions): readonly NodeImage[] {
  return images.length === 0 ? before : images
}

/** The NodeClass as its status will be once the version and images are written. */
export function adopted(nodeClass: NodeClass, versions: NodeVersions): NodeClass {
  const { status } = nodeClass
  const kubernetesVersion = adoptedVersion(status.kubernetesVersion, versions)
  const known = kubernetesVersion === undefined ? {} : { kubernetesVersion }
  return { ...nodeClass, status: { ...status, ...known, images: adoptedImages(status.images, versions) } }
}

/** Parses the client id of an identity, which Azure writes in either case. Undefined if it is empty. */
export function parseClientId(text: string | undefined): string | undefined {
  return text === undefined || text === '' ? undefined : text.toLowerCase()
}

/** Parses a version as a kubelet reports it, such as `v1.34.2`. Undefined if it cannot be parsed. */
export function parseVersion(text: string | undefined): string | undefined {
  return /^v?(\d+\.\d+\.\d+)(?![\d.])/.exec(text ?? '')?.[1]
}
