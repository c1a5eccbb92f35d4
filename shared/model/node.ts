import { compareDotted } from '../base/text.ts'
import type { Condition } from './condition.ts'
import type { NodeName, ProviderId } from './ids.ts'
import { LABEL, type Meta, TAINT_KEY } from './labels.ts'
import type { NodeClass, NodeImage } from './nodeClass.ts'
import type { Resources } from './resources.ts'
import type { Taint } from './taint.ts'

export type Node = {
  readonly name: NodeName
  readonly meta: Meta
  readonly providerId?: ProviderId
  readonly taints: readonly Taint[]
  readonly unschedulable: boolean
  readonly capacity: Resources
  readonly allocatable: Resources
  /** Without heartbeat times: the time of a condition changes only with its status. */
  readonly conditions: readonly Condition[]
  /** As the kubelet reports it: `v1.34.2`. Undefined if it is not known. */
  readonly kubeletVersion?: string
  /** Another one at each boot of the machine. Undefined if it is not known: the change log does not have it. */
  readonly bootId?: string
}

/** Reports whether the node has a pool or class label of Joiner. The node of a claim without a pool has a class label only. */
export function isManaged({ meta }: Pick<Node, 'meta'>): boolean {
  return meta.labels[LABEL.nodePool] !== undefined || meta.labels[LABEL.nodeClass] !== undefined
}

/**
 * Reports whether the node belongs to a machine of Joiner, or will once it is registered. The name does not tell, since AKS names nodes of its own
 * pools alike.
 */
export function isMachineOfOurs({ meta, taints }: Pick<Node, 'meta' | 'taints'>): boolean {
  return isManaged({ meta }) || taints.some(({ key }) => key === TAINT_KEY.unregistered)
}

/** Reports whether the node has appeared and is not initialized yet. */
export function isJoining(node: Node): boolean {
  return isMachineOfOurs(node) && node.meta.labels[LABEL.initialized] !== 'true' && node.meta.deletedAt === undefined
}

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
