import { textOf } from '../../shared/base/result.ts'
import type { ObjectKind } from '../../shared/model/clusterObjects.ts'
import { KIND_PATHS } from '../kinds.ts'
import type { Log } from '../log.ts'
import type { ShimMetrics } from '../metrics.ts'

/** Whether the shim can read one kind. Changes go to the log. The current state is in `/metrics` and `/readyz`. */
export interface KindStatus {
  noteListed(isServed: boolean): void
  noteUnready(what: 'list' | 'watch', error: unknown): void
  noteWatched(): void
  unreadyReason(): string | undefined
}

export function createKindStatus(kind: ObjectKind, { log, metrics }: { readonly log: Log; readonly metrics: ShimMetrics }): KindStatus {
  const { path } = KIND_PATHS[kind]
  let unreadyReason: string | undefined
  let wasServed: boolean | undefined

  return {
    unreadyReason: () => unreadyReason,
    noteListed(isServed) {
      unreadyReason = undefined
      metrics.kindState.set({ kind }, isServed ? 1 : 0)
      if (wasServed === isServed) return
      wasServed = isServed
      if (isServed) log.info('watching', { kind })
      else log.warn('the API server does not serve the kind yet; asking again', { kind, path })
    },
    noteUnready(what, error) {
      metrics.kindState.set({ kind }, 0)
      unreadyReason = `${what} ${kind}: ${textOf(error)}`
      log.warn('cannot read the cluster; trying again', { kind, what, because: textOf(error) })
    },
    noteWatched() {
      unreadyReason = undefined
      metrics.kindState.set({ kind }, 1)
    },
  }
}
