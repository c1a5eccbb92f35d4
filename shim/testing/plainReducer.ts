import { ok } from '../../shared/base/result.ts'
import type { Reducer } from '../sync/reducedVersion.ts'

/** Reduces to what tests look at, whatever the kind: for tests of how versions travel, not of what is in them. */
export const plainReducer: Reducer = (_kind, json) => {
  const { metadata, spec, status } = json as {
    metadata: { name: string; uid?: string; resourceVersion?: string }
    spec?: { nodeName?: string; value?: number }
    status?: { unschedulable?: number }
  }
  const compact = { name: metadata.name, value: spec?.value, nodeName: spec?.nodeName }
  return ok({ compact, pending: status?.unschedulable !== undefined && spec?.nodeName === undefined })
}
