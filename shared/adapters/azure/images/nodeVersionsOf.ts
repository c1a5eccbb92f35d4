import { mapBounded } from '../../../base/concurrency.ts'
import { adoptedVersion, type NodeVersions } from '../../../model/node.ts'
import type { NodeClass, NodeImage } from '../../../model/nodeClass.ts'
import type { AbortSignalLike } from '../../../ports/clock.ts'
import type { ClusterConfig } from '../../../wire/clusterConfig.ts'
import { statusImage, type WantedImage, wantedImages } from './imageChoice.ts'
import type { ImageVersions } from './imageVersions.ts'

const AT_ONCE = 4

export type NodeVersionsInput = {
  readonly config: ClusterConfig
  readonly images: Pick<ImageVersions, 'current'>
  /** An operator set the version of the cluster. */
  readonly isVersionSet: boolean
}

/** The version and images that new nodes of a NodeClass should have, as Azure and the settings of the cluster say now. */
export async function nodeVersionsOf(
  nodeClass: NodeClass,
  { config, images, isVersionSet }: NodeVersionsInput,
  signal: AbortSignalLike,
): Promise<NodeVersions> {
  const version: NodeVersions = { kubernetesVersion: config.kubernetesVersion, ...(isVersionSet ? { isVersionSet } : {}) }
  const kubernetesVersion = adoptedVersion(nodeClass.status.kubernetesVersion, version)
  // A new version may bring another family of images, so both are taken together.
  const next = kubernetesVersion === undefined ? nodeClass : { ...nodeClass, status: { ...nodeClass.status, kubernetesVersion } }
  const wanted = wantedImages(next, config)
  const found = await mapBounded(wanted, AT_ONCE, (image) => imageNow(image, nodeClass, images, signal))
  if (found.includes('unknown')) return version
  return { ...version, images: found.filter((image): image is NodeImage => typeof image === 'object') }
}

/**
 * The image with its version. An image whose version is not known now stays the one in the status of the NodeClass. `unknown` if there is none: a list
 * without this image would drift machines that have it. Undefined if the image does not exist.
 */
async function imageNow(
  { definition, id, requirements }: WantedImage,
  nodeClass: NodeClass,
  images: NodeVersionsInput['images'],
  signal: AbortSignalLike,
): Promise<NodeImage | 'unknown' | undefined> {
  const now = await images.current(id, signal)
  if (now === 'unknown') return statusImage(nodeClass, definition) ?? now
  return now === undefined ? undefined : { id: now, requirements }
}
