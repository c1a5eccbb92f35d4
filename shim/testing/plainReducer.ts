import type { Reducer } from '../sync/reducedVersion.ts'

/** Reduces an object of any kind to the few members that tests look at. For tests of the transport of versions, not of their content. */
export const plainReducer: Reducer = (_kind, json) => {
  const { metadata, spec } = json as {
    metadata: { name: string; namespace?: string }
    spec?: { nodeName?: string; value?: number }
  }
  const { name, namespace } = metadata
  return { metadata: { name, namespace }, value: spec?.value, nodeName: spec?.nodeName }
}
