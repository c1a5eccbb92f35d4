import { err, ok, type Result } from '../../base/result.ts'
import { stableName } from '../../base/stableHash.ts'
import { defined } from '../../base/values.ts'
import type { NodePatch } from '../../model/claimStep.ts'
import type { ClusterEvent } from '../../model/decision.ts'
import type { ClusterId, NodeClaimName } from '../../model/ids.ts'
import { FINALIZER, POD_ANNOTATION } from '../../model/labels.ts'
import type { Node } from '../../model/node.ts'
import type { NodeClaim, NodeClaimDraft } from '../../model/nodeClaim.ts'
import type { PodRef } from '../../model/pod.ts'
import { type Problem, problem } from '../../model/problem.ts'
import type { EpochMs } from '../../model/units.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ClaimPatch, ClusterApi, PoolCalls } from '../../ports/clusterApi.ts'
import type { ClusterObjects } from './clusterObjects.ts'
import type { Connection } from './connection.ts'
import { evictPod } from './eviction.ts'
import { guarded, patchedMeta, settle } from './objectWrites.ts'

export type ClusterApiTruth = {
  readonly cluster: ClusterId
  readonly clock: Clock
  readonly objects: ClusterObjects
  /** How long a pod takes to terminate, in milliseconds. */
  readonly podExitMs: number
}

const QUIET_MS = 300_000

export function createMemoryClusterApi(truth: ClusterApiTruth, connection: Connection): ClusterApi {
  return {
    ...claimCalls(truth, connection),
    ...poolCalls(truth, connection),
    ...nodeCalls(truth, connection),
    ...podCalls(truth, connection),
    ...otherCalls(truth, connection),
  }
}

type ClaimCalls = Pick<ClusterApi, 'getClaim' | 'listClaims' | 'createClaim' | 'patchClaim' | 'patchClaimStatus' | 'deleteClaim'>

function claimCalls({ clock, objects }: ClusterApiTruth, connection: Connection): ClaimCalls {
  return {
    getClaim: (name, signal) => connection.read('api.getClaim', `nodeclaim/${name}`, signal, () => objects.get('nodeClaim', name)),
    listClaims: (signal) => connection.read('api.listClaims', 'nodeclaims', signal, () => objects.all('nodeClaim')),
    createClaim: (draft, _owner, signal) =>
      connection.write('api.createClaim', `nodeclaim/${draft.name}`, signal, () =>
        ok(objects.get('nodeClaim', draft.name) ?? objects.put('nodeClaim', claimFrom(draft, objects, clock))),
      ),
    patchClaim: (claim, patch, signal) =>
      connection.write('api.patchClaim', `nodeclaim/${claim.name}`, signal, () => patchClaim(objects, claim, patch)),
    patchClaimStatus: (claim, status, signal) =>
      connection.write('api.patchClaimStatus', `nodeclaim/${claim.name}`, signal, () => {
        const stored = guarded('nodeclaim', claim, objects.get('nodeClaim', claim.name))
        return stored.ok ? ok(objects.put('nodeClaim', { ...stored.value, status })) : stored
      }),
    deleteClaim: (name, uid, signal) =>
      connection.write('api.deleteClaim', `nodeclaim/${name}`, signal, () => {
        if (objects.get('nodeClaim', name)?.meta.uid !== uid) return undefined
        objects.delete('nodeClaim', name)
        return objects.get('nodeClaim', name)
      }),
  }
}

function claimFrom({ name, labels, annotations, spec }: NodeClaimDraft, objects: ClusterObjects, clock: Clock): NodeClaim {
  const meta = {
    uid: objects.newUid(),
    labels,
    annotations,
    createdAt: clock.now(),
    generation: 1,
    resourceVersion: '',
    finalizers: [FINALIZER],
  }
  return { name, meta, spec, status: { conditions: [], capacity: {}, allocatable: {} } }
}

function patchClaim(objects: ClusterObjects, claim: NodeClaim, patch: ClaimPatch): Result<NodeClaim, Problem> {
  const stored = guarded('nodeclaim', claim, objects.get('nodeClaim', claim.name))
  if (!stored.ok) return stored
  const meta = patchedMeta(`nodeclaim/${claim.name}`, stored.value.meta, patch)
  return meta.ok ? ok(settle(objects, 'nodeClaim', { ...stored.value, meta: meta.value })) : meta
}

function poolCalls({ objects }: ClusterApiTruth, connection: Connection): PoolCalls {
  return {
    getNodePool: (name, signal) => connection.read('api.getNodePool', `nodepool/${name}`, signal, () => objects.get('nodePool', name)),
    patchNodePoolStatus: (name, status, signal) =>
      connection.write('api.patchNodePoolStatus', `nodepool/${name}`, signal, () => {
        const pool = objects.get('nodePool', name)
        if (pool === undefined) return notFound(`nodepool/${name}`)
        objects.put('nodePool', { ...pool, status })
        return ok(undefined)
      }),
    annotateNodePool: (name, annotations, signal) =>
      connection.write('api.annotateNodePool', `nodepool/${name}`, signal, () => {
        const pool = objects.get('nodePool', name)
        if (pool === undefined) return notFound(`nodepool/${name}`)
        const meta = patchedMeta(`nodepool/${name}`, pool.meta, { annotations })
        if (!meta.ok) return meta
        objects.put('nodePool', { ...pool, meta: meta.value })
        return ok(undefined)
      }),
    getNodeClass: (name, signal) =>
      connection.read('api.getNodeClass', `aksnodeclass/${name}`, signal, () => objects.get('nodeClass', name)),
    patchNodeClassFinalizers: (nodeClass, finalizers, signal) =>
      connection.write('api.patchNodeClassFinalizers', `aksnodeclass/${nodeClass.name}`, signal, () => {
        const stored = guarded('aksnodeclass', nodeClass, objects.get('nodeClass', nodeClass.name))
        if (!stored.ok) return stored
        const meta = patchedMeta(`aksnodeclass/${nodeClass.name}`, stored.value.meta, { finalizers })
        if (!meta.ok) return meta
        settle(objects, 'nodeClass', { ...stored.value, meta: meta.value })
        return ok(undefined)
      }),
    patchNodeClassStatus: (name, status, signal) =>
      connection.write('api.patchNodeClassStatus', `aksnodeclass/${name}`, signal, () => {
        const nodeClass = objects.get('nodeClass', name)
        if (nodeClass === undefined) return notFound(`aksnodeclass/${name}`)
        objects.put('nodeClass', { ...nodeClass, status: { ...nodeClass.status, ...status } })
        return ok(undefined)
      }),
    listNodeOverlays: (signal) => connection.read('api.listNodeOverlays', 'nodeoverlays', signal, () => objects.all('nodeOverlay')),
    patchNodeOverlayStatus: (name, status, signal) =>
      connection.write('api.patchNodeOverlayStatus', `nodeoverlay/${name}`, signal, () => {
        const overlay = objects.get('nodeOverlay', name)
        if (overlay === undefined) return notFound(`nodeoverlay/${name}`)
        objects.put('nodeOverlay', { ...overlay, status })
        return ok(undefined)
      }),
    patchCapacityBufferStatus: (key, status, signal) =>
      connection.write('api.patchCapacityBufferStatus', `capacitybuffer/${key}`, signal, () => {
        const buffer = objects.get('capacityBuffer', key)
        if (buffer === undefined) return notFound(`capacitybuffer/${key}`)
        objects.put('capacityBuffer', { ...buffer, status })
        return ok(undefined)
      }),
  }
}

type NodeCalls = Pick<ClusterApi, 'getNode' | 'patchNode' | 'deleteNode' | 'getVolumeAttachment'>

function nodeCalls({ objects }: ClusterApiTruth, connection: Connection): NodeCalls {
  return {
    getNode: (name, signal) => connection.read('api.getNode', `node/${name}`, signal, () => objects.get('node', name)),
    getVolumeAttachment: (name, signal) =>
      connection.read('api.getVolumeAttachment', `volumeattachment/${name}`, signal, () => objects.get('volumeAttachment', name)),
    patchNode: (node, patch, signal) =>
      connection.write('api.patchNode', `node/${node.name}`, signal, () => patchNode(objects, node, patch)),
    deleteNode: (name, uid, signal) =>
      connection.write('api.deleteNode', `node/${name}`, signal, () => {
        if (objects.get('node', name)?.meta.uid === uid) objects.delete('node', name)
      }),
  }
}

function patchNode(objects: ClusterObjects, node: Node, patch: NodePatch): Result<Node, Problem> {
  const stored = guarded('node', node, objects.get('node', node.name))
  if (!stored.ok) return stored
  const meta = patchedMeta(`node/${node.name}`, stored.value.meta, patch)
  if (!meta.ok) return meta
  return ok(settle(objects, 'node', { ...stored.value, meta: meta.value, ...defined({ taints: patch.taints }) }))
}

type PodCalls = Pick<ClusterApi, 'listPodsOn' | 'listPodsNominatedFor' | 'getSchedulerMessage' | 'evict' | 'setDeletionCost' | 'deletePod'>

function podCalls({ objects, podExitMs }: ClusterApiTruth, connection: Connection): PodCalls {
  return {
    listPodsOn: (node, signal) =>
      connection.read('api.listPodsOn', `node/${node}`, signal, () => objects.all('pod').filter((pod) => pod.nodeName === node)),
    listPodsNominatedFor: (node, signal) =>
      connection.read('api.listPodsNominatedFor', `node/${node}`, signal, () =>
        objects.all('pod').filter((pod) => pod.nominatedNodeName === node && pod.nodeName === undefined),
      ),
    getSchedulerMessage: (pod, signal) =>
      connection.read('api.getSchedulerMessage', `pod/${pod.key}`, signal, () => {
        const found = objects.get('pod', pod.key)
        const isRefused = found?.uid === pod.uid && found.nodeName === undefined && found.unschedulableSince !== undefined
        return isRefused ? (objects.schedulerMessages.get(pod.uid) ?? '') : undefined
      }),
    evict: (pod, signal) => connection.write('api.evict', `pod/${pod.key}`, signal, () => evictPod(objects, pod, podExitMs)),
    setDeletionCost: (pod, cost, signal) =>
      connection.write('api.setDeletionCost', `pod/${pod.key}`, signal, () => setDeletionCost(objects, pod, cost)),
    deletePod: (pod, gracePeriodSeconds, signal) =>
      connection.write('api.deletePod', `pod/${pod.key}`, signal, () => {
        if (objects.get('pod', pod.key)?.uid === pod.uid) objects.endPod(pod.key, Math.min(podExitMs, gracePeriodSeconds * 1_000))
      }),
  }
}

function setDeletionCost(objects: ClusterObjects, { key, uid }: PodRef, cost: string | undefined): Result<void, Problem> {
  const stored = objects.get('pod', key)
  if (stored === undefined) return ok(undefined)
  if (stored.uid !== uid) return err(problem('KUBE.INVALID', `pod/${key} is another pod of that name`, { object: `pod/${key}` }))
  const { [POD_ANNOTATION.deletionCost]: _, ...others } = stored.annotations
  objects.put('pod', { ...stored, annotations: defined({ ...others, [POD_ANNOTATION.deletionCost]: cost }) })
  return ok(undefined)
}

type OtherCalls = Pick<ClusterApi, 'putBootstrapToken' | 'deleteBootstrapToken' | 'publish'>

function otherCalls({ cluster, clock, objects }: ClusterApiTruth, connection: Connection): OtherCalls {
  let made = 0
  return {
    putBootstrapToken: (claim, expiresAt, signal, launch) =>
      connection.write('api.putBootstrapToken', `token/${claim}`, signal, () => {
        const id = bootstrapTokenId(cluster, claim, launch?.number ?? 1)
        const token = `${id}.${stableName({ cluster, claim, made: ++made, by: connection.process.number }, 16)}`
        objects.tokens.set(id, { claim, token, expiresAt })
        return token
      }),
    deleteBootstrapToken: (claim, signal, launches = 1) =>
      connection.write('api.deleteBootstrapToken', `token/${claim}`, signal, () => {
        for (let launch = 1; launch <= Math.max(1, launches); launch++) objects.tokens.delete(bootstrapTokenId(cluster, claim, launch))
      }),
    publish: (event, signal, onFirstPublish) =>
      connection.write('api.publish', `${event.subject.kind}/${event.subject.name} ${event.reason}`, signal, () => {
        if (count(objects, event, clock.now())) onFirstPublish?.()
      }),
  }
}

function bootstrapTokenId(cluster: ClusterId, claim: NodeClaimName, launch: number): string {
  return stableName({ cluster, claim, launch }, 6)
}

/**
 * Counts an Event and returns whether it is new. An Event equal to an earlier one raises its count if the earlier one is old enough. If a test
 * empties the list of Events, each Event is new again.
 */
function count({ events, eventPlaces }: ClusterObjects, event: ClusterEvent, now: EpochMs): boolean {
  const says = wordsOf(event)
  const place = eventPlaces.get(says) ?? events.length
  const known = events[place]
  if (known === undefined) {
    eventPlaces.set(says, events.length)
    events.push({ event, count: 1, firstAt: now, lastAt: now })
  } else if (now - known.lastAt >= QUIET_MS) events[place] = { ...known, event, count: known.count + 1, lastAt: now }
  return known === undefined
}

function wordsOf({ subject, uid, reason, type, key, message }: ClusterEvent): string {
  return JSON.stringify([subject.kind, subject.name, uid, reason, type, key ?? message])
}

function notFound(object: string): Result<never, Problem> {
  return err(problem('KUBE.NOT_FOUND', `${object} does not exist`, { object }))
}
