import type { NodeOverlay } from '../../shared/model/nodeOverlay.ts'
import { meta } from './meta.ts'

/** Of everything, unless requirements say otherwise. */
export function nodeOverlay(overrides: Partial<NodeOverlay> = {}): NodeOverlay {
  const { name = 'overlay' } = overrides
  return { name, meta: meta(name), requirements: [], status: { conditions: [] }, ...overrides }
}
