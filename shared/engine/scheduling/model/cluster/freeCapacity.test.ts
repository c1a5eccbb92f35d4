import { describe, expect, it } from 'vitest'
import { createRandom } from '../../../../../test/agreement/random.ts'
import { node } from '../../../../../test/builders/node.ts'
import { nodeClaim } from '../../../../../test/builders/nodeClaim.ts'
import { snapshot } from '../../../../../test/builders/snapshot.ts'
import { axesOf } from '../quantities/amounts.ts'
import { createCluster } from './cluster.ts'
import { freeCapacityOf } from './freeCapacity.ts'

const NODES = 200

function places() {
  const { objects, ...context } = snapshot({
    objects: {
      node: Array.from({ length: NODES }, (_, at) => node({ claim: `default-${at}` })),
      nodeClaim: Array.from({ length: NODES }, (_, at) => nodeClaim({ name: `default-${at}` })),
    },
  })
  const cluster = createCluster(objects)
  cluster.settle(context)
  const axes = axesOf([], new Set())
  return { axes, existingNodes: cluster.roomOn(axes).existingNodes }
}

describe('free capacity', () => {
  it('finds the first place with enough, as each place was told last', () => {
    const { axes, existingNodes } = places()
    expect(existingNodes).toHaveLength(NODES)
    const room = freeCapacityOf(existingNodes, axes, 'test')
    const random = createRandom(1)
    const told = existingNodes.map(({ free }) => Float64Array.from(free))
    for (let round = 0; round < 500; round++) {
      const existingNode = random.pick(existingNodes)
      existingNode.free = existingNode.free.map(() => random.int(round < 250 ? 100 : 5))
      if (random.chance(0.9)) {
        room.tell(existingNode)
        told[existingNode.id] = Float64Array.from(existingNode.free)
      }
      const wanted = Float64Array.from(existingNode.free, () => random.int(110))
      const from = random.int(NODES)
      const first = told.findIndex((free, place) => place >= from && wanted.every((amount, axis) => amount <= (free[axis] ?? 0)))
      expect(room.next(wanted, from)).toBe(first < 0 ? NODES : first)
    }
  })

  it('is not told of a place that is none of its own', () => {
    const { axes, existingNodes } = places()
    const [first, ...others] = existingNodes
    const room = freeCapacityOf(others, axes, 'test')
    const most = Float64Array.from(others[0]?.free ?? [])
    if (first === undefined) throw new Error('no place')
    first.free = first.free.map(() => -1)
    room.tell(first)
    expect(room.next(most, 0)).toBe(0)
  })
})
