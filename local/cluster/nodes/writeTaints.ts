import { must } from '../client/api.ts'
import type { Node, Taint } from '../client/objects.ts'
import { NODES } from '../client/resource.ts'
import type { ControllerContext } from '../context.ts'

/** Replaces the taints of the node. If the node has changed meanwhile, the write fails and the caller's queue tries again. */
export async function writeTaints(context: ControllerContext, node: Node, taints: readonly Taint[]): Promise<void> {
  const { name, resourceVersion } = node.metadata
  const patch = { metadata: { resourceVersion }, spec: { taints: taints.length === 0 ? null : taints } }
  const answer = await context.api.patch(NODES, node.metadata, patch, 'merge')
  if (!answer.ok && answer.error.code === 404) return
  context.informers.nodes().observe(must(`write taints of node ${name}`, answer))
}
