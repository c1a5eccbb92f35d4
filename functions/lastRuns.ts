import * as z from 'zod'
import { parsedJson } from '../shared/base/json.ts'
import type { ClusterId } from '../shared/model/ids.ts'
import { type EpochMs, epochMs } from '../shared/model/units.ts'
import type { BlobStore } from '../shared/ports/blobStore.ts'
import type { CoarseWork } from './schedules.ts'

/** When each kind of work was last done for a cluster, successful or not. Undefined: not known. */
export type LastRuns = { readonly [Work in CoarseWork]?: EpochMs }

const time = z.int().nonnegative().transform(epochMs)
const stored = z.strictObject({ v: z.literal(1), catalog: time.optional(), gc: time.optional() })

/** A document that cannot be parsed counts as not known. All work is then due once, which does no harm. */
export async function readLastRuns(documents: BlobStore, cluster: ClusterId, signal: AbortSignal): Promise<LastRuns> {
  const found = await documents.read(pathOf(cluster), signal)
  if (found === undefined) return {}
  const parsed = stored.safeParse(parsedJson(found.value))
  if (!parsed.success) return {}
  const { catalog, gc } = parsed.data
  return { ...(catalog === undefined ? {} : { catalog }), ...(gc === undefined ? {} : { gc }) }
}

/** The later writer wins: two concurrent timers did the same work. */
export async function writeLastRuns(documents: BlobStore, cluster: ClusterId, runs: LastRuns, signal: AbortSignal): Promise<void> {
  await documents.write(pathOf(cluster), JSON.stringify({ v: 1, ...runs }), 'any', signal)
}

function pathOf(cluster: ClusterId): string {
  return `clusters/${cluster}/timer`
}
