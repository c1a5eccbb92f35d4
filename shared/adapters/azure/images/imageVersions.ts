/**
 * The newest versions of gallery images, one answer for all processes. A process that used an older answer than the others would make machines that
 * the others replace. So an answer stands in storage with the time of its question, and every process stops using the answer at the same moment.
 */
import { settleBounded } from '../../../base/concurrency.ts'
import type { EpochMs } from '../../../model/units.ts'
import type { BlobStore } from '../../../ports/blobStore.ts'
import type { AbortSignalLike, Clock } from '../../../ports/clock.ts'
import { type ImageVersion, readImageVersions, writeImageVersions } from '../../../wire/azure/imageVersionsBlob.ts'
import { isNotFound } from '../armFailure.ts'
import type { ArmClients } from '../clients.ts'
import { fetchNewestVersion, isLatest } from './newestVersion.ts'

/** The longest use of an answer. Azure publishes new images about once a week. */
const USED_FOR_MS = 6 * 3_600_000
/** The time between two looks into storage for an answer that this process does not have. */
const LOOK_AGAIN_MS = 60_000
const CALLS_AT_ONCE = 4

/** Returns an image id with its actual version, so that a claim names the image its machine really has. Undefined if the image has no version. */
export type ImagePin = (imageId: string, signal: AbortSignalLike) => Promise<string | undefined>

export interface ImageVersions {
  /** Asks Azure if no process has asked yet. An id with a version is returned unchanged. */
  readonly pin: ImagePin
  /**
   * As `pin`, without another question about an answer that is too old, so that all processes change to the next answer together. `unknown`: there is
   * no answer now.
   */
  current(imageId: string, signal: AbortSignalLike): Promise<string | 'unknown' | undefined>
  /** Asks Azure again about every image whose answer is too old. An image whose question fails keeps its old answer. */
  refresh(signal: AbortSignalLike): Promise<void>
}

export type ImageVersionsOptions = {
  readonly clients: ArmClients
  readonly location: string
  readonly clock: Pick<Clock, 'now'>
  /** Undefined: the answers are this process's alone. */
  readonly stored?: { readonly blobs: BlobStore; readonly path: string }
}

export function createImageVersions({ clients, location, clock, stored }: ImageVersionsOptions): ImageVersions {
  const answers = new Map<string, ImageVersion>()
  const failedAt = new Map<string, EpochMs>()
  let readAt: EpochMs | undefined

  const isGood = (answer: ImageVersion | undefined): answer is ImageVersion =>
    answer !== undefined && clock.now() - answer.askedAt < USED_FOR_MS

  async function reload(signal: AbortSignalLike): Promise<void> {
    if (stored === undefined) return
    const blob = await stored.blobs.read(stored.path, signal)
    for (const [imageId, answer] of Object.entries(blob === undefined ? {} : readImageVersions(blob.value))) answers.set(imageId, answer)
    readAt = clock.now()
  }

  async function known(imageId: string, signal: AbortSignalLike): Promise<ImageVersion | undefined> {
    const isDue = readAt === undefined || clock.now() - readAt >= LOOK_AGAIN_MS
    if (!isGood(answers.get(imageId)) && isDue) await reload(signal)
    return answers.get(imageId)
  }

  /** Stores the answers. Returns an error if there was one, even if it says that Azure does not know the image, which is an answer too. */
  async function ask(imageIds: readonly string[], signal: AbortSignalLike): Promise<Error | undefined> {
    const outcomes = await settleBounded(imageIds, CALLS_AT_ONCE, (imageId) => fetchNewestVersion(clients, location, imageId, signal))
    await reload(signal)
    for (const [at, imageId] of imageIds.entries()) {
      const outcome = outcomes[at]
      if (outcome?.ok === true) answers.set(imageId, { version: outcome.value ?? '', askedAt: clock.now() })
      else if (isNotFound(outcome?.error)) answers.set(imageId, { version: '', askedAt: clock.now() })
      else failedAt.set(imageId, clock.now())
    }
    await stored?.blobs.write(stored.path, writeImageVersions(Object.fromEntries(answers)), 'any', signal)
    const failed = outcomes.flatMap((outcome) => (outcome.ok ? [] : [asError(outcome.error)]))
    return failed.find((error) => !isNotFound(error)) ?? failed[0]
  }

  function failedLately(imageId: string): boolean {
    const at = failedAt.get(imageId)
    return at !== undefined && clock.now() - at < LOOK_AGAIN_MS
  }

  return {
    async pin(imageId, signal) {
      if (!isLatest(imageId)) return imageId
      const answer = await known(imageId, signal)
      // An image that had no version may have one by now.
      const error = isGood(answer) && answer.version !== '' ? undefined : await ask([imageId], signal)
      if (error !== undefined) throw error
      return named(imageId, answers.get(imageId))
    },
    async current(imageId, signal) {
      if (!isLatest(imageId)) return imageId
      const answer = await known(imageId, signal)
      if (answer === undefined && failedLately(imageId)) return 'unknown'
      const error = answer === undefined ? await ask([imageId], signal) : undefined
      if (error !== undefined && !isNotFound(error)) throw error
      const now = answers.get(imageId)
      return isGood(now) ? named(imageId, now) : 'unknown'
    },
    async refresh(signal) {
      await reload(signal)
      const due = [...answers].flatMap(([imageId, answer]) => (isGood(answer) ? [] : [imageId]))
      const error = due.length === 0 ? undefined : await ask(due, signal)
      if (error !== undefined && !isNotFound(error)) throw error
    },
  }
}

function named(imageId: string, answer: ImageVersion | undefined): string | undefined {
  return answer === undefined || answer.version === '' ? undefined : imageId.replace(/latest$/i, answer.version)
}

/** Where the answers for a region are stored. All clusters of a subscription and region share them. */
export function imageVersionsPath({ subscriptionId, location }: { readonly subscriptionId: string; readonly location: string }): string {
  return `regions/${subscriptionId}/${location}/catalog/images`
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
