import { attachmentsToAwait } from '../../engine/lifecycle/attachments.ts'
import type { Node } from '../../model/node.ts'
import type { EpochMs } from '../../model/units.ts'
import type { VolumeAttachment } from '../../model/workloads.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'

/**
 * Volumes that the end of these nodes waits for. The log names them, since an API server cannot list the attachments of one node; whether the
 * first of them is still there is read live. So a drain does not hang on a shim that is away.
 */
export async function attachedVolumes(
  { api, picture }: Pick<ClusterDeps, 'api' | 'picture'>,
  nodes: readonly Node[],
  now: EpochMs,
  signal: AbortSignalLike,
): Promise<readonly VolumeAttachment[]> {
  const state = await picture?.(signal)
  if (state === undefined) return []
  const known = attachmentsToAwait(state.objects(), nodes, now)
  for (const [index, { name, uid }] of known.entries()) {
    const live = await api.getVolumeAttachment(name, signal)
    if (live?.uid === uid) return known.slice(index)
  }
  return []
}
