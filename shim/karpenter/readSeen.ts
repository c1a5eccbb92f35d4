import { defined } from '../../shared/base/values.ts'
import type { ObjectKind } from '../../shared/model/clusterObjects.ts'
import { type NodeName, nodeName } from '../../shared/model/ids.ts'
import type { Node } from '../../shared/model/node.ts'
import type { NodeClaim } from '../../shared/model/nodeClaim.ts'
import type { NodePool } from '../../shared/model/nodePool.ts'
import type { Pod } from '../../shared/model/pod.ts'
import { epochMs } from '../../shared/model/units.ts'
import { condition, duration, labels, metaOf } from '../../shared/wire/kube/meta.ts'
import { ownerOf } from '../../shared/wire/kube/podOwner.ts'
import { podRequestsOf } from '../../shared/wire/kube/podResources.ts'
import { podStatusOf } from '../../shared/wire/kube/podStatus.ts'
import { items, type KubeRead, maybe, need, object, quantities, readKube, resources, text } from '../../shared/wire/kube/read.ts'
import type { KubeObject } from '../kube/listObjects.ts'

/** What the metrics need of objects: little, since a cluster has very many. Its members are those of the objects that the app reads. */
export type SeenValues = {
  readonly pod: Pick<Pod, 'nodeName' | 'owner' | 'phase' | 'isUnready' | 'requests'>
  readonly node: Pick<Node, 'allocatable'> & { readonly meta: Pick<Node['meta'], 'labels'> }
  readonly nodePool: Pick<NodePool, 'limits'> & {
    readonly status: Pick<NodePool['status'], 'resources'>
    readonly disruption: { readonly consolidationPolicy?: string }
  }
  readonly nodeClaim: Pick<NodeClaim, 'meta'> & {
    readonly status: Pick<NodeClaim['status'], 'conditions'>
    readonly spec: Pick<NodeClaim['spec'], 'terminationGracePeriod'>
  }
}

export type SeenValue<Kind extends ObjectKind> = Kind extends keyof SeenValues ? SeenValues[Kind] : undefined

/** Reads an object for the metrics. Undefined if the metrics do not need its kind, or if it cannot be read. */
export function readSeen<Kind extends ObjectKind>(kind: Kind, json: KubeObject): SeenValue<Kind> | undefined {
  const reader: Readers[Kind] = READERS[kind]
  const read = reader && readKube(reader, json, { kind, code: 'INPUT.INVALID' })
  return read?.ok === true ? read.value : undefined
}

type Readers = { readonly [Kind in ObjectKind]?: KubeRead<SeenValue<Kind>> }

const pod: KubeRead<SeenValues['pod']> = (json, trail) => {
  const { metadata, spec, status } = partsOf(json, trail)
  const { phase, isUnready } = podStatusOf(status, epochMs(0), {}, trail)
  const name = maybe(spec, 'nodeName', text, trail) ?? ''
  const on: NodeName | undefined = name === '' ? undefined : nodeName(name)
  const requests = podRequestsOf({ spec, status, limitsAsRequests: false }, trail)
  return defined({ nodeName: on, owner: ownerOf(metadata, trail), phase, isUnready, requests })
}

const node: KubeRead<SeenValues['node']> = (json, trail) => {
  const { metadata, status } = partsOf(json, trail)
  return {
    meta: { labels: maybe(metadata, 'labels', labels, trail) ?? {} },
    allocatable: maybe(status, 'allocatable', resources, trail) ?? {},
  }
}

const nodePool: KubeRead<SeenValues['nodePool']> = (json, trail) => {
  const { spec, status } = partsOf(json, trail)
  const limits = maybe(spec, 'limits', quantities, trail)?.amounts ?? {}
  const consolidationPolicy = maybe(maybe(spec, 'disruption', object, trail) ?? {}, 'consolidationPolicy', text, trail)
  return { limits, status: { resources: maybe(status, 'resources', resources, trail) ?? {} }, disruption: defined({ consolidationPolicy }) }
}

const nodeClaim: KubeRead<SeenValues['nodeClaim']> = (json, trail) => {
  const { metadata, spec, status } = partsOf(json, trail)
  const grace = defined({ terminationGracePeriod: maybe(spec, 'terminationGracePeriod', duration, trail) })
  return { meta: meta(metadata, trail), status: { conditions: items(status, 'conditions', condition, trail) }, spec: grace }
}

const READERS: Readers = { pod, node, nodePool, nodeClaim }

const meta = metaOf((key) => key.startsWith('karpenter.sh/') || key.startsWith('joiner.dev/'))

type Parts = { readonly [Part in 'metadata' | 'spec' | 'status']: Readonly<Record<string, unknown>> }

const partsOf: KubeRead<Parts> = (json, trail) => {
  const root = object(json, trail)
  const part = (name: string): Parts['spec'] => maybe(root, name, object, trail) ?? {}
  return { metadata: need(root, 'metadata', object, trail), spec: part('spec'), status: part('status') }
}
