import { ownValue } from '../../../base/values.ts'
import { cloudFacts } from '../../../model/cloud.ts'
import { HYPERV_GENERATION_LABEL, LABEL } from '../../../model/labels.ts'
import type { NodeClass, NodeImage } from '../../../model/nodeClass.ts'
import type { RequirementSpec } from '../../../model/requirements.ts'
import type { ClusterConfig } from '../../../wire/clusterConfig.ts'
import { type ImageDefinition, imageDefinitions, resolveFamily } from './imageFamily.ts'

const SHARED = {
  ubuntu: { group: 'AKS-Ubuntu', gallery: 'AKSUbuntu' },
  azurelinux: { group: 'AKS-AzureLinux', gallery: 'AKSAzureLinux' },
} as const

export type Shape = { readonly arch: 'amd64' | 'arm64'; readonly generations: readonly string[] }

export function kubernetesVersionOf(nodeClass: NodeClass, config: ClusterConfig): string {
  return (nodeClass.status.kubernetesVersion ?? config.kubernetesVersion).replace(/^v/, '')
}

/** The image of a machine of this shape. Undefined if the NodeClass has none for it. */
export function chooseImage(nodeClass: NodeClass, config: ClusterConfig, shape: Shape): string | undefined {
  const family = resolveFamily(nodeClass.spec, kubernetesVersionOf(nodeClass, config))
  const definitions = imageDefinitions(family, nodeClass.spec, config.images.gallery)
  const definition = definitions.find((entry) => entry.arch === shape.arch && shape.generations.includes(entry.generation))
  return definition === undefined ? undefined : imageIdOf(definition, nodeClass, config)
}

/** The image id in the status of the NodeClass, or else the id in the settings, or else that of the gallery with the configured version. */
function imageIdOf(definition: ImageDefinition, nodeClass: NodeClass, config: ClusterConfig): string | undefined {
  const set = ownValue(config.images.byDefinition, definition.name)
  return statusImage(nodeClass, definition.name)?.id ?? set ?? galleryImage(definition, config)
}

/** The image of a definition by the settings alone: the status of the NodeClass does not count. The version of the image may be `latest`. */
export type WantedImage = NodeImage & { readonly definition: string }

/** The images of the NodeClass, best first, as the settings of the cluster name them. */
export function wantedImages(nodeClass: NodeClass, config: ClusterConfig): readonly WantedImage[] {
  const family = resolveFamily(nodeClass.spec, kubernetesVersionOf(nodeClass, config))
  return imageDefinitions(family, nodeClass.spec, config.images.gallery).flatMap((definition) => {
    const id = ownValue(config.images.byDefinition, definition.name) ?? galleryImage(definition, config)
    const requirements = [only(LABEL.arch, definition.arch), only(HYPERV_GENERATION_LABEL, definition.generation)]
    return id === undefined ? [] : [{ definition: definition.name, id, requirements }]
  })
}

function only(key: string, value: string): RequirementSpec {
  return { key, operator: 'In', values: [value] }
}

/** The image of the definition in the status of the NodeClass. Undefined if there is none. */
export function statusImage({ status }: Pick<NodeClass, 'status'>, definition: string): NodeImage | undefined {
  return status.images.find(({ id }) => id.toLowerCase().includes(`/images/${definition.toLowerCase()}/`))
}

/** Undefined if the gallery of the cloud is not known. */
function galleryImage(definition: ImageDefinition, config: ClusterConfig): string | undefined {
  const { gallery, gallerySubscriptionId, version } = config.images
  const system = /^V\d/.test(definition.name) ? 'azurelinux' : 'ubuntu'
  const { ubuntuGallery, azureLinuxGallery } = cloudFacts(config.location)
  const community = system === 'ubuntu' ? ubuntuGallery : azureLinuxGallery
  if (gallery === 'community') return community && `/CommunityGalleries/${community}/images/${definition.name}/versions/${version}`
  const shared = SHARED[system]
  return `/subscriptions/${gallerySubscriptionId}/resourceGroups/${shared.group}/providers/Microsoft.Compute/galleries/${shared.gallery}/images/${definition.name}/versions/${version}`
}

/** The image reference for ARM, which names images of community galleries in a field of their own. */
export function imageReference(imageId: string): { readonly communityGalleryImageId: string } | { readonly id: string } {
  return imageId.toLowerCase().startsWith('/communitygalleries/') ? { communityGalleryImageId: imageId } : { id: imageId }
}
