import type { AbortSignalLike, Clock } from '../../../ports/clock.ts'
import type { ArmClients } from '../clients.ts'
import type { ComputeClient } from '../sdk/groups.ts'

/** How long the newest version is kept. New images come about weekly, so a machine may get the version before for some hours. */
const KEPT_MS = 6 * 3_600_000

const COMMUNITY = /^\/CommunityGalleries\/([^/]+)\/images\/([^/]+)\/versions\/latest$/i
const SHARED =
  /^\/subscriptions\/([^/]+)\/resourceGroups\/([^/]+)\/providers\/Microsoft\.Compute\/galleries\/([^/]+)\/images\/([^/]+)\/versions\/latest$/i

/** Returns an image id with its actual version, so that a claim names the image its machine really has. Undefined if the image has no version. */
export type ImagePin = (imageId: string, signal: AbortSignalLike) => Promise<string | undefined>

/**
 * Replaces `latest` with the newest version of the gallery: shared galleries have no version `latest`, and in community galleries it hides the
 * version. Ids with a version are returned unchanged. Azure is asked again every few hours.
 */
export function createImagePin(clients: ArmClients, location: string, clock: Pick<Clock, 'now'>): ImagePin {
  const known = new Map<string, { readonly id: string; readonly until: number }>()
  return async (imageId, signal) => {
    const kept = known.get(imageId)
    if (kept !== undefined && kept.until > clock.now()) return kept.id
    const versions = await versionsOf(clients, location, imageId, signal)
    if (versions === undefined) return imageId
    const newest = versions.reduce<string | undefined>((best, each) => (best === undefined || isNewer(each, best) ? each : best), undefined)
    if (newest === undefined) return undefined
    const id = imageId.replace(/latest$/i, newest)
    known.set(imageId, { id, until: clock.now() + KEPT_MS })
    return id
  }
}

type Version = { readonly name?: string; readonly isLeftOut: boolean }

/** The versions of the image. Undefined if the id has a version. */
async function versionsOf(
  clients: ArmClients,
  location: string,
  imageId: string,
  abortSignal: AbortSignalLike,
): Promise<readonly string[] | undefined> {
  const [, publicGallery, publicImage] = COMMUNITY.exec(imageId) ?? []
  if (publicGallery !== undefined && publicImage !== undefined) {
    const compute = await clients.compute()
    return named(community(compute, location, publicGallery, publicImage, abortSignal))
  }
  const [, subscription, group, gallery, image] = SHARED.exec(imageId) ?? []
  if (subscription === undefined || group === undefined || gallery === undefined || image === undefined) return undefined
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

/** Compares versions such as `202511.03.0` and `202510.27.0` number by number. */
function isNewer(version: string, other: string): boolean {
  const [parts, others] = [version, other].map((text) => text.split('.').map(Number))
  for (let at = 0; at < Math.max(parts?.length ?? 0, others?.length ?? 0); at++) {
    const difference = (parts?.[at] ?? 0) - (others?.[at] ?? 0)
    if (difference !== 0) return difference > 0
  }
  return false
}
