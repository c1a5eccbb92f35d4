/** Waits for the pods of DaemonSets: the DaemonSet controller may see a new node later than the scheduler does. */
import type { KubeCalls } from './kubeCalls.ts'

type SeenDaemonSet = {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly generation: number }
  readonly spec: { readonly revisionHistoryLimit?: number }
  readonly status: {
    readonly observedGeneration?: number
    readonly desiredNumberScheduled?: number
    readonly currentNumberScheduled?: number
  }
}

const DAEMON_SETS = '/apis/apps/v1/daemonsets'

/**
 * Waits until each DaemonSet has its pods on the current nodes. The present status says nothing about nodes that were added since.
 * So each DaemonSet gets a harmless change of its spec, and the controller reports the generation that it has worked off.
 */
export async function rollOut({ call, list, until }: KubeCalls): Promise<void> {
  for (const { metadata, spec } of await list<SeenDaemonSet>(DAEMON_SETS))
    await call({
      method: 'PATCH',
      path: `/apis/apps/v1/namespaces/${metadata.namespace}/daemonsets/${metadata.name}`,
      body: { spec: { revisionHistoryLimit: (spec.revisionHistoryLimit ?? 0) + 1 } },
      contentType: 'application/merge-patch+json',
    })
  await until(async () => (await list<SeenDaemonSet>(DAEMON_SETS)).every(isRolledOut))
}

function isRolledOut({ metadata, status }: SeenDaemonSet): boolean {
  return status.observedGeneration === metadata.generation && (status.currentNumberScheduled ?? 0) >= (status.desiredNumberScheduled ?? 0)
}
