import { ok } from '../../shared/base/result.ts'
import type { Reducer } from '../sync/reducedVersion.ts'

/** Reduces an object of any kind to the few members that tests look at. For tests of the transport of versions, not of their content. */
export const plainReducer: Reducer = (_kind, json) => {
  const { metadata, spec, status } = json as {
    metadata: { name: string; uid?: string; resourceVersion?: string }
    spec?: { nodeName?: string; value?: number }
    status?: { unschedulable?: number }
  }
  const compact = { name: metadata.name, value: spec?.value, nodeName: spec?.nodeName }
  return ok({ compact, pending: status?.unschedulable !== undefined && spec?.nodeName === undefined })
}
