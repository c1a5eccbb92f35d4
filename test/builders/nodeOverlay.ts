import type { NodeOverlay } from '../../shared/model/nodePool.ts'
import { meta } from './meta.ts'

/** An overlay for all instance types, unless `requirements` are given. */
export function nodeOverlay(overrides: Partial<NodeOverlay> = {}): NodeOverlay {
  const { name = 'overlay' } = overrides
  return { name, meta: meta(name), requirements: [], status: { conditions: [] }, ...overrides }
}
