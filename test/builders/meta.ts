import { uid } from '../../shared/model/ids.ts'
import type { Labels, Meta } from '../../shared/model/labels.ts'
import { ago, MINUTE } from './clock.ts'

/** Metadata of a live object that was created ten minutes ago. The uid is derived from the name. */
export function meta(name: string, overrides: Partial<Meta> = {}): Meta {
  return {
    uid: uid(`uid-${name}`),
    labels: {},
    annotations: {},
    createdAt: ago(10 * MINUTE),
    generation: 1,
    resourceVersion: '1',
    finalizers: [],
    ...overrides,
  }
}

/** Returns a copy of the object without the label. */
export function withoutLabel<Each extends { readonly meta: { readonly labels: Labels } }>(each: Each, label: string): Each {
  const labels = Object.fromEntries(Object.entries(each.meta.labels).filter(([key]) => key !== label))
  return { ...each, meta: { ...each.meta, labels } }
}
