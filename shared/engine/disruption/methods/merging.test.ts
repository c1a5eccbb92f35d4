import { expect, it } from 'vitest'
import { disruptionOf } from '../../../../test/builders/decided.ts'
import { instanceType } from '../../../../test/builders/instanceType.ts'
import { node } from '../../../../test/builders/node.ts'
import { nodeClaim, nodeNameOf } from '../../../../test/builders/nodeClaim.ts'
import { nodePool } from '../../../../test/builders/nodePool.ts'
import { pod } from '../../../../test/builders/pod.ts'
import { snapshot } from '../../../../test/builders/snapshot.ts'

const NODES = 120
const MOST_TOGETHER = 16

it('SV-16 of more than a hundred nodes that fewer could replace, no move takes more than sixteen together', () => {
  const names = Array.from({ length: NODES }, (_, at) => `default-${String(at).padStart(3, '0')}`)
  const small = instanceType({ price: 0.2, spotPrice: null })
  const large = instanceType({ name: 'Standard_D128as_v6', cpus: 128, memoryGib: 512, price: 1, spotPrice: null })
  const { actions } = disruptionOf(
    snapshot({
      types: [small, large],
      objects: {
        nodePool: [nodePool({ disruption: { budgets: [{ nodes: '100%' }], consolidationPolicy: 'WhenEmptyOrUnderutilized' } })],
        node: names.map((claim) => node({ claim })),
        nodeClaim: names.map((name) => nodeClaim({ name })),
        pod: names.map((name) => pod({ name: `on-${name}`, cpus: 3, nodeName: nodeNameOf(name) })),
      },
    }),
  )
  const together = actions.flatMap((action) => (action.kind === 'startCommand' ? [action.command.candidates.length] : []))
  expect(Math.max(...together)).toBe(MOST_TOGETHER)
  expect(together.reduce((sum, count) => sum + count, 0)).toBe(NODES)
})
