/** Random changes of a random cluster: objects of every kind come, change and go, pods are bound, machines begin their end, time passes. */
import { objectKeyOf } from '../../shared/engine/scheduling/snapshot/otherObjects.ts'
import { type ClusterSnapshot, type Delta, type ObjectOf, type SnapshotKind } from '../../shared/model/clusterSnapshot.ts'
import type { DisruptionCommand } from '../../shared/model/disruptionCommand.ts'
import { nodeName, nodePoolName, uid } from '../../shared/model/ids.ts'
import type { Node } from '../../shared/model/node.ts'
import type { NodeClaim } from '../../shared/model/nodeClaim.ts'
import type { Pod, PodOwner } from '../../shared/model/pod.ts'
import { durationMs, later } from '../../shared/model/units.ts'
import type { Random } from '../agreement/random.ts'
import { SECOND } from '../builders/clock.ts'
import { nominated } from './nominated.ts'
import { APPS, NAMESPACES, TAINTS, TEAM, TEAMS, ZONE, ZONES } from './words.ts'

export type RandomChange = { readonly delta: Delta; readonly after: ClusterSnapshot }

type Objects = ClusterSnapshot['objects']
const KINDS: readonly SnapshotKind[] = [
  'pod',
  'node',
  'nodeClaim',
  'nodePool',
  'nodeClass',
  'daemonSet',
  'podDisruptionBudget',
  'persistentVolumeClaim',
  'persistentVolume',
  'storageClass',
  'csiNode',
  'namespace',
  'nodeOverlay',
  'capacityBuffer',
  'podTemplate',
]

/**
 * Puts some objects of `other`, a cluster of the same generator, removes some objects, and changes some in place. The snapshot afterwards is
 * made from the lists alone, without any of the engine's state.
 */
export function randomChange(random: Random, before: ClusterSnapshot, other: ClusterSnapshot): RandomChange {
  const put: { [Each in SnapshotKind]?: ObjectOf<Each>[] } = {}
  const removed: { [Each in SnapshotKind]?: string[] } = {}
  for (const kind of random.some(KINDS, 0.3)) {
    Object.assign(put, { [kind]: random.some<ObjectOf<SnapshotKind>>(other.objects[kind], 0.25) })
    Object.assign(removed, { [kind]: random.some<ObjectOf<SnapshotKind>>(before.objects[kind], 0.15).map((each) => objectKeyOf(each)) })
  }
  const changed = {
    namespace: random.some(before.objects.namespace, 0.1).map((each) => ({ ...each, labels: { kind: random.pick(NAMESPACES) } })),
    pod: changedPods(random, before),
    node: changedNodes(random, before.objects),
    nodeClaim: changedClaims(random, before.objects),
  }
  const delta: Delta = {
    put: {
      ...put,
      namespace: [...changed.namespace, ...(put.namespace ?? [])],
      pod: [...changed.pod, ...(put.pod ?? [])],
      node: [...changed.node, ...(put.node ?? [])],
      nodeClaim: [...changed.nodeClaim, ...(put.nodeClaim ?? [])],
    },
    removed,
  }
  return { delta, after: elsewhere(random, { ...before, objects: applied(before.objects, delta) }, other) }
}

const OWNERS: readonly PodOwner[] = ['one', 'two'].map((name) => ({ apiVersion: 'apps/v1', kind: 'ReplicaSet', name, uid: uid(name) }))

function changedPods(random: Random, before: ClusterSnapshot): readonly Pod[] {
  const { pod, node } = before.objects
  return random.some(pod, 0.2).map((each) => {
    const { nodeName: _, nominatedNodeName: __, unschedulableSince: since, ...rest } = each
    switch (random.int(10)) {
      case 0:
      case 1:
        return node.length === 0 ? each : { ...rest, phase: 'Running', nodeName: random.pick(node).name }
      case 2:
        return { ...each, deletedAt: each.createdAt }
      case 3:
        return { ...each, phase: 'Succeeded' }
      case 4:
        return { ...each, labels: { ...each.labels, app: random.pick(APPS) } }
      case 5:
        return { ...rest, owner: random.pick(OWNERS), phase: 'Pending' }
      case 6:
        return { ...rest, owner: random.pick(OWNERS), unschedulableSince: since ?? each.createdAt, phase: 'Pending' }
      case 7:
      case 8:
        return nominated(random, { ...rest, unschedulableSince: since ?? each.createdAt, phase: 'Pending' }, before)
      default:
        return { ...rest, unschedulableSince: since ?? each.createdAt, phase: 'Pending' }
    }
  })
}

function changedNodes(random: Random, { node }: Objects): readonly Node[] {
  return random.some(node, 0.2).map((each) => {
    switch (random.int(5)) {
      case 0:
        return { ...each, unschedulable: !each.unschedulable }
      case 1:
        return { ...each, meta: { ...each.meta, deletedAt: each.meta.createdAt } }
      case 2:
        return { ...each, taints: random.some(TAINTS, 0.5) }
      case 3:
        return { ...each, meta: { ...each.meta, labels: { ...each.meta.labels, [ZONE]: random.pick(ZONES) } } }
      default:
        return { ...each, allocatable: { ...each.allocatable, cpu: random.int(8) * 500 } }
    }
  })
}

function changedClaims(random: Random, { nodeClaim }: Objects): readonly NodeClaim[] {
  return random.some(nodeClaim, 0.2).map((each) => {
    const { providerId: _, ...unlaunched } = each.status
    switch (random.int(3)) {
      case 0:
        return { ...each, meta: { ...each.meta, deletedAt: each.meta.createdAt } }
      case 1:
        return { ...each, status: unlaunched }
      default:
        return { ...each, meta: { ...each.meta, labels: { ...each.meta.labels, [TEAM]: random.pick(TEAMS) } } }
    }
  })
}

/** Random changes of inputs that are no objects: time, prices, failed offerings, nominations, settings. */
function elsewhere(random: Random, after: ClusterSnapshot, other: ClusterSnapshot): ClusterSnapshot {
  const { nodeClaim, pod } = after.objects
  const claims = [...nodeClaim.map(({ name }) => name), ...after.drafts.map(({ name }) => name)]
  const until = later(after.takenAt, durationMs(30 * SECOND))
  const [blocked] = [...after.instanceTypes.values()].flat()
  return {
    ...after,
    decision: after.decision + 1,
    takenAt: later(after.takenAt, durationMs(random.int(40) * SECOND)),
    ...(random.chance(0.15) ? { instanceTypes: other.instanceTypes } : {}),
    ...(random.chance(0.2) ? { drafts: [...after.drafts.slice(1), ...other.drafts] } : {}),
    ...(random.chance(0.15) ? { settings: other.settings } : {}),
    ...(random.chance(0.3) ? { commands: movesOf(random, after) } : {}),
    ...(random.chance(0.3) && claims.length > 0
      ? { nominations: random.some(pod, 0.3).map(({ uid }) => ({ pod: uid, claim: random.pick(claims), until })) }
      : {}),
    ...(random.chance(0.3) && blocked !== undefined
      ? {
          unavailable: [
            { scope: { kind: 'offering' as const, size: blocked.name }, until, code: 'SCHEDULING.OFFERING' as const, message: '' },
          ],
        }
      : {}),
  }
}

/** Moves of one or two claims each: in progress, completed, or past the deadline. */
function movesOf(random: Random, { objects: { nodeClaim }, takenAt, drafts }: ClusterSnapshot): readonly DisruptionCommand[] {
  return random.some(nodeClaim, 0.3).map(({ name, meta, status }, index) => ({
    id: `1-${index}`,
    reason: 'Underutilized',
    method: random.pick(['delete', 'replace']),
    candidates: [{ claim: name, uid: meta.uid, node: status.nodeName ?? nodeName(name), pool: nodePoolName('default'), pods: [] }],
    replacements: random.some([...drafts.map((draft) => draft.name), ...nodeClaim.map((claim) => claim.name)], 0.1),
    startedAt: takenAt,
    deadline: later(takenAt, durationMs((random.int(40) - 10) * SECOND)),
    markedAt: takenAt,
  }))
}

/** The objects after the change, computed from the lists. */
export function applied(objects: Objects, { put = {}, removed = {} }: Delta): Objects {
  const kinds = Object.keys(objects) as readonly SnapshotKind[]
  const next = kinds.map((kind) => {
    const gone = new Set(removed[kind])
    const present = objects[kind] as readonly ObjectOf<SnapshotKind>[]
    const come = (put[kind] ?? []) as readonly ObjectOf<SnapshotKind>[]
    const all = [...present.filter((each) => !gone.has(objectKeyOf(each))), ...come]
    const lastOf = new Map(all.map((each, index) => [objectKeyOf(each), index]))
    return [kind, all.filter((each, index) => lastOf.get(objectKeyOf(each)) === index)]
  })
  return Object.fromEntries(next) as Objects
}
