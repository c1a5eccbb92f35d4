/** When the pods of DaemonSets are made: the controller may look at a new node later than the scheduler does. */
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
 * Waits until each DaemonSet has its pods on the nodes of now. The status of before tells nothing about nodes that came since.
 * So each DaemonSet is changed where it does no harm, and the controller reports the generation it has worked off.
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
