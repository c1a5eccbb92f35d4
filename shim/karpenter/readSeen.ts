import type { Result } from '../../shared/base/result.ts'
import type { ObjectByKind, ObjectKind } from '../../shared/model/clusterObjects.ts'
import { nodeFromKube } from '../../shared/wire/kube/node.ts'
import { nodeClaimFromKube } from '../../shared/wire/kube/nodeClaim.ts'
import { nodePoolFromKube } from '../../shared/wire/kube/nodePool.ts'
import { type PodUse, podUseFromKube } from '../../shared/wire/kube/pod.ts'
import type { KubeObject } from '../kube/kubeJson.ts'

/** What the metrics need of an object: of a pod little, since a cluster has very many. */
export type SeenValue<Kind extends ObjectKind> = Kind extends 'pod' ? PodUse : ObjectByKind[Kind]

type Readers = { readonly [Kind in ObjectKind]?: (json: unknown) => Result<SeenValue<Kind>, unknown> }

const READERS: Readers = { pod: podUseFromKube, node: nodeFromKube, nodePool: nodePoolFromKube, nodeClaim: nodeClaimFromKube }

/** Reads an object for the metrics. Undefined if the metrics do not need its kind, or if it cannot be read. */
export function readSeen<Kind extends ObjectKind>(kind: Kind, object: KubeObject): SeenValue<Kind> | undefined {
  const reader: Readers[Kind] = READERS[kind]
  const read = reader?.(object)
  return read?.ok === true ? read.value : undefined
}
