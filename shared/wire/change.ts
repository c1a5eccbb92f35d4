import type { Result } from '../base/result.ts'
import type { Change, ChangeHead, DeleteChange, InvalidChange, PutOf } from '../model/change.ts'
import { OBJECT_KINDS, type ObjectByKind, type ObjectKind } from '../model/clusterObjects.ts'
import type { Problem } from '../model/problem.ts'
import { type Codec, constant, decode, integer, isObject, oneOf, record, text, union } from './codec.ts'
import { capacityBuffer, nodeOverlay, podTemplate } from './objects/capacityBuffer.ts'
import { node, nodeClaim, nodeClass, nodePool } from './objects/node.ts'
import { pod } from './objects/pod.ts'
import { instant, problemCodec } from './objects/shared.ts'
import {
  csiNode,
  daemonSet,
  namespace,
  persistentVolume,
  persistentVolumeClaim,
  podDisruptionBudget,
  service,
  storageClass,
  volumeAttachment,
  workload,
} from './objects/workloads.ts'

/** The compact form of each kind: members with their usual value are omitted. */
export const OBJECT_CODECS: { readonly [Kind in ObjectKind]: Codec<ObjectByKind[Kind]> } = {
  pod,
  node,
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
  deployment: workload,
  statefulSet: workload,
  replicaSet: workload,
  replicationController: workload,
  service,
}

/** Parses one change. A problem names the number and key of the change, if it has them. */
export function parseChange(json: unknown): Result<Change, Problem> {
  const parsed = decode(changeCodec, json, { object: 'change' })
  // Building the name costs time, so only a failure gets one.
  return parsed.ok ? parsed : decode(changeCodec, json, { object: `change ${nameOf(json)}` })
}

export function printChange(change: Change): unknown {
  return changeCodec.write(change)
}

const head = { seq: integer, at: instant, key: text } satisfies { [Key in keyof ChangeHead]: Codec<ChangeHead[Key]> }
const kind: Codec<ObjectKind> = oneOf(...OBJECT_KINDS)

const puts = Object.fromEntries(
  OBJECT_KINDS.map((name) => [name, record({ ...head, op: constant('put'), kind, object: OBJECT_CODECS[name] as Codec<unknown> })]),
) as unknown as { readonly [Kind in ObjectKind]: Codec<PutOf<Kind>> }

const changeCodec: Codec<Change> = union<Change, 'op'>('op', {
  put: union<PutOf<ObjectKind>, 'kind'>('kind', puts as never),
  delete: record<DeleteChange>({ ...head, op: constant('delete'), kind }),
  invalid: record<InvalidChange>({ ...head, op: constant('invalid'), kind, problem: problemCodec }),
})

function nameOf(json: unknown): string {
  if (!isObject(json)) return '?'
  const seq = Number.isSafeInteger(json['seq']) ? String(json['seq']) : '?'
  return typeof json['key'] === 'string' ? `${seq} of ${json['key'].slice(0, 300)}` : seq
}
