import { attachmentsToAwait } from '../../engine/lifecycle/attachments.ts'
import type { Node } from '../../model/node.ts'
import type { EpochMs } from '../../model/units.ts'
import type { VolumeAttachment } from '../../model/workloads.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'

/**
 * The volumes that must be detached before these nodes end. They come from the log, since an API server cannot list the attachments of one node.
 * They are read live up to the first that still exists. So a drain does not hang if the shim is away.
 */
export async function attachedVolumes(
  { api, readClusterState }: Pick<ClusterDeps, 'api' | 'readClusterState'>,
  nodes: readonly Node[],
  now: EpochMs,
  signal: AbortSignalLike,
): Promise<readonly VolumeAttachment[]> {
  const state = await readClusterState?.(signal)
  if (state === undefined) return []
  const known = attachmentsToAwait(state.objects(), nodes, now)
  for (const [index, { name, uid }] of known.entries()) {
    const live = await api.getVolumeAttachment(name, signal)
    if (live?.uid === uid) return known.slice(index)
  }
  return []
}
