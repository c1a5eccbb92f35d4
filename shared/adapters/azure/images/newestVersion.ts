import { compareDotted } from '../../../base/text.ts'
import type { AbortSignalLike } from '../../../ports/clock.ts'
import type { ArmClients } from '../clients.ts'
import type { ComputeClient } from '../sdk/groups.ts'

const COMMUNITY = /^\/CommunityGalleries\/([^/]+)\/images\/([^/]+)\/versions\/latest$/i
const SHARED =
  /^\/subscriptions\/([^/]+)\/resourceGroups\/([^/]+)\/providers\/Microsoft\.Compute\/galleries\/([^/]+)\/images\/([^/]+)\/versions\/latest$/i

/** Reports whether the id stands for the newest version of a gallery, so that only Azure knows the version. */
export function isLatest(imageId: string): boolean {
  return COMMUNITY.test(imageId) || SHARED.test(imageId)
}

/** Asks Azure for the newest version of the image that `latest` may stand for. Undefined if the image has none, or if Azure does not know it. */
export async function fetchNewestVersion(
  clients: ArmClients,
  location: string,
  imageId: string,
  signal: AbortSignalLike,
): Promise<string | undefined> {
  const versions = await versionsOf(clients, location, imageId, signal)
  return versions.reduce<string | undefined>((best, each) => (best === undefined || compareDotted(each, best) > 0 ? each : best), undefined)
}

type Version = { readonly name?: string; readonly isLeftOut: boolean }

/** The versions of the image. None if the id has a version. */
async function versionsOf(
  clients: ArmClients,
  location: string,
  imageId: string,
  abortSignal: AbortSignalLike,
): Promise<readonly string[]> {
  const [, publicGallery, publicImage] = COMMUNITY.exec(imageId) ?? []
  if (publicGallery !== undefined && publicImage !== undefined) {
    const compute = await clients.compute()
    return named(community(compute, location, publicGallery, publicImage, abortSignal))
  }
  const [, subscription, group, gallery, image] = SHARED.exec(imageId) ?? []
  if (subscription === undefined || group === undefined || gallery === undefined || image === undefined) return []
  return named(shared(await clients.computeOf(subscription), group, gallery, image, abortSignal))
}

async function* community(
  compute: ComputeClient,
  ...[location, gallery, image, abortSignal]: readonly [string, string, string, AbortSignalLike]
): AsyncGenerator<Version> {
  for await (const { name, excludeFromLatest } of compute.communityGalleryImageVersions.list(location, gallery, image, { abortSignal }))
    yield { ...(name === undefined ? {} : { name }), isLeftOut: excludeFromLatest === true }
}

async function* shared(
  compute: ComputeClient,
  ...[group, gallery, image, abortSignal]: readonly [string, string, string, AbortSignalLike]
): AsyncGenerator<Version> {
  for await (const { name, publishingProfile, provisioningState } of compute.galleryImageVersions.listByGalleryImage(
    group,
    gallery,
    image,
    {
      abortSignal,
    },
  )) {
    const isLeftOut = publishingProfile?.excludeFromLatest === true || (provisioningState ?? 'Succeeded') !== 'Succeeded'
    yield { ...(name === undefined ? {} : { name }), isLeftOut }
  }
}

async function named(versions: AsyncIterable<Version>): Promise<readonly string[]> {
  const names: string[] = []
  for await (const { name, isLeftOut } of versions) if (name !== undefined && !isLeftOut) names.push(name)
  return names
}
