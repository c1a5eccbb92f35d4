import { expect, it } from 'vitest'
import { capacityBuffer, podTemplate } from '../../../test/builders/capacityBuffer.ts'
import { node } from '../../../test/builders/node.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { snapshot } from '../../../test/builders/snapshot.ts'
import type { Decision } from '../../model/decision.ts'
import { loadCluster } from '../loadedCluster.ts'

const BUFFER = capacityBuffer({ podTemplate: 'shape', replicas: 1 })
const GIVEN = snapshot({
  objects: { node: [node()], nodeClaim: [nodeClaim()], podTemplate: [podTemplate('shape')], capacityBuffer: [BUFFER] },
})

function ended({ actions }: Decision): readonly string[] {
  return actions.flatMap((action) => (action.kind === 'deleteClaim' ? [`${action.because} ${action.claim}`] : []))
}

it('EB-02 an empty machine goes once the buffer that kept its room is gone, in a cluster that stayed loaded', () => {
  const { objects, ...context } = GIVEN
  const cluster = loadCluster(objects)
  expect(ended(cluster.decide(context))).toEqual([])
  cluster.apply({ put: {}, removed: { capacityBuffer: [BUFFER.key] } })
  expect(ended(cluster.decide(context))).toEqual(['Empty default-aaaaa'])
})
