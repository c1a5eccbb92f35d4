import type { Result } from '../../base/result.ts'
import { defined } from '../../base/values.ts'
import { nodeName, providerId } from '../../model/ids.ts'
import { isJoining, type Node } from '../../model/node.ts'
import type { Problem } from '../../model/problem.ts'
import { NO_LABELS } from '../objects/shared.ts'
import { condition, metaOf, taint } from './meta.ts'
import { flag, items, type KubeRead, maybe, need, object, readKube, resources, text } from './read.ts'

export function nodeFromKube(json: unknown): Result<Node, Problem> {
  return readKube(liveNode, json, { kind: 'node', code: 'INPUT.INVALID' })
}

/**
 * Reads a node without what its kubelet rewrites all the time: heartbeats, images and the resource version. A node of Joiner that is not initialized
 * keeps its resource version, so that it can be patched without another read.
 */
export const watchedNode: KubeRead<Node> = (json, trail) => {
  const full = node(json, trail)
  return isJoining(full) ? full : { ...full, meta: { ...full.meta, resourceVersion: '' } }
}

const node: KubeRead<Node> = (json, trail) => {
  const root = object(json, trail)
  const metadata = need(root, 'metadata', object, trail)
  const spec = maybe(root, 'spec', object, trail) ?? {}
  const status = maybe(root, 'status', object, trail) ?? {}
  const info = maybe(status, 'nodeInfo', object, trail) ?? {}
  const provider = maybe(spec, 'providerID', text, trail)
  return defined({
    name: nodeName(need(metadata, 'name', text, trail)),
    meta: meta(metadata, trail),
    providerId: provider ? providerId(provider) : undefined,
    taints: items(spec, 'taints', taint, trail),
    unschedulable: maybe(spec, 'unschedulable', flag, trail) ?? false,
    capacity: maybe(status, 'capacity', resources, trail) ?? NO_RESOURCES,
    allocatable: maybe(status, 'allocatable', resources, trail) ?? NO_RESOURCES,
    conditions: items(status, 'conditions', condition, trail),
    kubeletVersion: maybe(info, 'kubeletVersion', text, trail) || undefined,
  })
}

/** Only a node that is read live has its boot id: the change log leaves it out. */
const liveNode: KubeRead<Node> = (json, trail) => {
  const status = maybe(object(json, trail), 'status', object, trail) ?? {}
  const info = maybe(status, 'nodeInfo', object, trail) ?? {}
  return { ...node(json, trail), ...defined({ bootId: maybe(info, 'bootID', text, trail) || undefined }) }
}

const NO_RESOURCES = NO_LABELS as unknown as Node['capacity']

/** Other annotations of nodes belong to network plugins and the like, and change all the time. */
const meta = metaOf((key) => ['karpenter.sh/', 'karpenter.azure.com/', 'joiner.dev/'].some((domain) => key.startsWith(domain)))
