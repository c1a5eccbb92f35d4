import type { ClusterSnapshot } from '../../model/clusterSnapshot.ts'
import type { Decision } from '../../model/decision.ts'

type Judged = { readonly objects: Pick<ClusterSnapshot['objects'], 'nodePool' | 'nodeClass'> }

/** The cluster as it will be once the status patches of the decision are written, so that the next decisions need not wait for the watch. */
export function withStatus<Seen extends Judged>(seen: Seen, { actions }: Decision): Seen {
  const pools = new Map(actions.flatMap((action) => (action.kind === 'patchNodePoolStatus' ? [[action.nodePool, action] as const] : [])))
  const classes = new Map(
    actions.flatMap((action) => (action.kind === 'patchNodeClassStatus' ? [[action.nodeClass, action] as const] : [])),
  )
  if (pools.size === 0 && classes.size === 0) return seen
  const nodePool = seen.objects.nodePool.map((pool) => {
    const patch = pools.get(pool.name)
    if (patch === undefined) return pool
    const { kind: _, nodePool: __, ...status } = patch
    return { ...pool, status: { ...pool.status, ...status } }
  })
  const nodeClass = seen.objects.nodeClass.map((each) => {
    const patch = classes.get(each.name)
    if (patch === undefined) return each
    const { kind: _, nodeClass: __, ...status } = patch
    return { ...each, status: { ...each.status, ...status } }
  })
  return { ...seen, objects: { ...seen.objects, nodePool, nodeClass } }
}
