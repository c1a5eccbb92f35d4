import { gunzipSync, gzipSync } from 'node:zlib'
import { byKey } from '../../shared/base/lists.ts'
import { decide } from '../../shared/engine/loadedCluster.ts'
import type { Change } from '../../shared/model/change.ts'
import type { Checkpoint } from '../../shared/model/logRecord.ts'
import type { NodeClaim } from '../../shared/model/nodeClaim.ts'
import { epochMs } from '../../shared/model/units.ts'
import type { ClusterLog } from '../../shared/ports/clusterLog.ts'
import { createCheckpointReader, printCheckpoint } from '../../shared/wire/checkpoint.ts'
import { NOW } from '../../test/builders/clock.ts'
import { nodeClass } from '../../test/builders/nodeClass.ts'
import { nodePool } from '../../test/builders/nodePool.ts'
import { snapshot } from '../../test/builders/snapshot.ts'
import { fullCluster } from '../scheduling/workloads/arrivals.ts'

// Makes the checkpoint of a cluster in storage, and a log that begins there.

const FASTEST = { level: 1 }
/** Returns the packed checkpoint of a cluster with 20 pods on each node. */
export function storedCluster(nodes: number): Buffer {
  const { node, nodeClaim, pod } = fullCluster(nodes)
  const changes = [
    ...putsOf('nodeClass', [nodeClass()]),
    ...putsOf('nodePool', [nodePool()]),
    ...putsOf('node', node),
    ...putsOf('nodeClaim', settled(nodeClaim)),
    ...putsOf('pod', pod),
  ]
  const floor = { term: 1, seq: 1 }
  return packed({ position: '0', floor, complete: floor, entries: changes.map((change) => ({ version: floor, change })) })
}

/** Returns claims as earlier decisions left them: with the hashes and conditions that a first decision would write. */
function settled(claims: readonly NodeClaim[]): readonly NodeClaim[] {
  const { node, nodeClaim, pod } = fullCluster(1)
  const objects = { node, nodeClaim, pod, nodeClass: [nodeClass()], nodePool: [nodePool()] }
  const { annotations = {}, conditions = [] } = decide(snapshot({ objects })).actions.find((action) => action.kind === 'markClaim') ?? {}
  const marks = conditions.filter(({ type }) => type === 'Consolidatable')
  return claims.map((claim) => ({
    ...claim,
    meta: { ...claim.meta, annotations: { ...claim.meta.annotations, ...annotations } },
    status: { ...claim.status, conditions: [...claim.status.conditions, ...marks] },
  }))
}

/** Packs a checkpoint as the storage adapter does, without the storage. */
function packed(state: Checkpoint): Buffer {
  return gzipSync([...printCheckpoint(state)].join('\n'), FASTEST)
}

/** Returns the log of a cluster with this checkpoint. `log` holds the records after it. */
export function startingWith(stored: Buffer, log: ClusterLog): ClusterLog {
  let bytes = stored
  return {
    ...log,
    loadCheckpoint() {
      const reader = createCheckpointReader()
      const text = gunzipSync(bytes)
      for (let start = 0, end = 0; start < text.length; start = end + 1) {
        end = text.indexOf(0x0a, start)
        if (end < 0) end = text.length
        reader.add(text.toString('utf8', start, end))
      }
      const state = reader.end()
      return state.ok ? Promise.resolve(state.value) : Promise.reject(new Error(state.error.message))
    },
    saveCheckpoint(state) {
      bytes = packed(state)
      return Promise.resolve()
    },
  }
}

/** Returns the changes in the order of their keys, as a checkpoint has them. */
function putsOf(kind: Change['kind'], objects: readonly object[]): readonly Change[] {
  const changes = objects.map((object) => {
    const key = 'name' in object ? object.name : Reflect.get(object, 'key')
    return { op: 'put', kind, key, object, seq: 1, at: epochMs(NOW) } as Change
  })
  return changes.sort(byKey(({ key }) => key))
}
