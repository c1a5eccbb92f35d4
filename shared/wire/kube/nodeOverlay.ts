import { defined } from '../../base/values.ts'
import type { NodeOverlay } from '../../model/nodePool.ts'
import { condition, isOwnAnnotation, metaOf } from './meta.ts'
import { integer, items, type KubeRead, maybe, need, object, requirements, resources, text, unknownValues } from './read.ts'

const meta = metaOf(isOwnAnnotation)

export const nodeOverlay: KubeRead<NodeOverlay> = (json, trail) => {
  const root = object(json, trail)
  const metadata = need(root, 'metadata', object, trail)
  const spec = need(root, 'spec', object, trail)
  return defined({
    name: need(metadata, 'name', text, trail),
    meta: meta(metadata, trail),
    requirements: requirements(spec, trail),
    price: maybe(spec, 'price', text, trail),
    priceAdjustment: maybe(spec, 'priceAdjustment', text, trail),
    capacity: maybe(spec, 'capacity', resources, trail),
    weight: maybe(spec, 'weight', integer, trail),
    ...unknownValues(root, trail),
    status: { conditions: items(maybe(root, 'status', object, trail) ?? {}, 'conditions', condition, trail) },
  })
}
