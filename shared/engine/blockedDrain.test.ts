import { describe, expect, it } from 'vitest'
import { ago, MINUTE } from '../../test/builders/clock.ts'
import { node } from '../../test/builders/node.ts'
import { nodeClaim } from '../../test/builders/nodeClaim.ts'
import { pod, REPLICA_SET } from '../../test/builders/pod.ts'
import { type SnapshotShape, snapshot } from '../../test/builders/snapshot.ts'
import { nodeName } from '../model/ids.ts'
import { ANNOTATION, TAINT_KEY } from '../model/labels.ts'
import { decide } from './loadedCluster.ts'

const WAITING = Array.from({ length: 80 }, (_, at) => pod({ name: `waits-${at}` }))
const DRAINING = { deletedAt: ago(60 * MINUTE) }
const HELD = pod({
  name: 'held',
  nodeName: nodeName('joiner-default-aaaaa'),
  phase: 'Running',
  owner: REPLICA_SET,
  annotations: { [ANNOTATION.doNotDisrupt]: 'true' },
})

/** The pods for which claims are made. */
function placed(objects: SnapshotShape['objects']): readonly string[] {
  const { actions } = decide(snapshot({ objects: { pod: WAITING, ...objects } }))
  return actions.flatMap((action) => (action.kind === 'createClaim' ? action.pods.map(({ key }) => key) : [])).sort()
}

describe('a drain that a pod has blocked for an hour (F31)', () => {
  const blocked = {
    nodeClaim: [nodeClaim({ meta: DRAINING })],
    node: [node({ meta: DRAINING, taints: [{ key: TAINT_KEY.disrupted, effect: 'NoSchedule' }] })],
    pod: [...WAITING, HELD],
  }

  it('keeps no pod that waits from its machine', () => {
    const free = placed({})
    expect(free).toHaveLength(80)
    expect(placed(blocked)).toEqual(expect.arrayContaining([...free]))
  })
})
