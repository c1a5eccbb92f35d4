import type { Result } from '../../base/result.ts'
import type { ObjectByKind, ObjectKind } from '../../model/clusterObjects.ts'
import type { Problem, ProblemCode } from '../../model/problem.ts'
import { capacityBuffer, podTemplate } from './capacityBuffer.ts'
import { watchedNode } from './node.ts'
import { nodeClaim } from './nodeClaim.ts'
import { nodeClass } from './nodeClass.ts'
import { nodeOverlay } from './nodeOverlay.ts'
import { nodePool } from './nodePool.ts'
import { pod } from './pod.ts'
import { type KubeRead, readKube } from './read.ts'
import { deployment, replicaSet, replicationController, service, statefulSet } from './replicated.ts'
import {
  csiNode,
  daemonSet,
  namespace,
  persistentVolume,
  persistentVolumeClaim,
  podDisruptionBudget,
  storageClass,
  volumeAttachment,
} from './workloads.ts'

/** Reduces a watched object to what decisions depend on. Two versions of an object that differ only in irrelevant members give equal results. */
export function objectFromKube<Kind extends ObjectKind>(kind: Kind, json: unknown): Result<ObjectByKind[Kind], Problem> {
  const read: KubeRead<ObjectByKind[Kind]> = READERS[kind]
  return readKube(read, json, { kind, code: CODES[kind] ?? 'INPUT.INVALID' })
}

const CODES: { readonly [Kind in ObjectKind]?: ProblemCode } = {
  pod: 'POD.INVALID',
  nodePool: 'POOL.INVALID',
  nodeClass: 'NODECLASS.INVALID',
}

const READERS: { readonly [Kind in ObjectKind]: KubeRead<ObjectByKind[Kind]> } = {
  pod,
  node: watchedNode,
  nodeClaim,
  nodePool,
  nodeClass,
  daemonSet,
  podDisruptionBudget,
  persistentVolumeClaim,
  persistentVolume,
  storageClass,
  csiNode,
  volumeAttachment,
  namespace,
  nodeOverlay,
  capacityBuffer,
  podTemplate,
  deployment,
  statefulSet,
  replicaSet,
  replicationController,
  service,
}
