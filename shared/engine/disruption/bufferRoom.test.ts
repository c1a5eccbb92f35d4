import { expect, it } from 'vitest'
import { capacityBuffer, podTemplate } from '../../../test/builders/capacityBuffer.ts'
import { node } from '../../../test/builders/node.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { pod } from '../../../test/builders/pod.ts'
import { snapshot } from '../../../test/builders/snapshot.ts'
import type { Decision } from '../../model/decision.ts'
import { type ObjectKey, objectKey, uid } from '../../model/ids.ts'
import type { Workload } from '../../model/workloads.ts'
import { loadCluster } from '../loadedCluster.ts'

const BUFFER = capacityBuffer({ podTemplate: 'shape', replicas: 1 })
const SHAPE = podTemplate('shape')
const GIVEN = snapshot({
  objects: { node: [node()], nodeClaim: [nodeClaim()], podTemplate: [SHAPE], capacityBuffer: [BUFFER] },
})

function ended({ actions }: Decision): readonly string[] {
  return actions.flatMap((action) => (action.kind === 'deleteClaim' ? [`${action.because} ${action.claim}`] : []))
}

it('EB-02 BX-01 an empty machine goes once the buffer that kept its room is gone, in a cluster that stayed loaded', () => {
  const { objects, ...context } = GIVEN
  const cluster = loadCluster(objects)
  expect(ended(cluster.decide(context))).toEqual([])
  cluster.apply({ put: {}, removed: { capacityBuffer: [BUFFER.key] } })
  expect(ended(cluster.decide(context))).toEqual(['Empty default-aaaaa'])
})

it('BX-01 an empty machine goes once the template of the buffer that kept its room is gone', () => {
  const { objects, ...context } = GIVEN
  const cluster = loadCluster(objects)
  expect(ended(cluster.decide(context))).toEqual([])
  cluster.apply({ put: {}, removed: { podTemplate: [SHAPE.key] } })
  expect(ended(cluster.decide(context))).toEqual(['Empty default-aaaaa'])
})

it('BX-02 a machine stays as soon as the workload of a buffer is there and large enough, and no other workload keeps it', () => {
  const { objects, ...context } = GIVEN
  const ofWorkload = capacityBuffer({ scalable: { apiGroup: '', kind: 'Deployment', name: 'web' }, percentage: 50 })
  const cluster = loadCluster({ ...objects, capacityBuffer: [ofWorkload] })
  const deployment = (name: string, replicas: number, namespace = 'default') => ({
    put: { deployment: [workload(objectKey(namespace, name), replicas)] },
    removed: {},
  })
  const goes = (): boolean => ended(cluster.decide(context)).length > 0
  expect(goes()).toBe(true)
  cluster.apply(deployment('other', 2))
  cluster.apply(deployment('web', 2, 'shop'))
  expect(goes()).toBe(true)
  cluster.apply(deployment('web', 0))
  expect(goes()).toBe(true)
  cluster.apply(deployment('web', 2))
  expect(goes()).toBe(false)
})

function workload(key: ObjectKey, replicas: number): Workload {
  return { apiVersion: 'apps/v1', kind: 'Deployment', key, uid: uid(`uid-${key}`), pod: pod(), replicas }
}
