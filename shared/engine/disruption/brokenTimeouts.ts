import { byKey } from '../../base/order.ts'
import type { Action } from '../../model/decision.ts'
import { isOurs } from '../../model/nodeClass.ts'
import type { NodePool } from '../../model/nodePool.ts'
import { timeoutProblems } from '../../model/timeouts.ts'

/** Events about time-outs of pools that cannot be read. Such a time-out counts as absent. */
export function reportBrokenTimeouts(pools: readonly NodePool[]): readonly Action[] {
  const ours = pools.filter(({ template }) => isOurs(template.nodeClassRef))
  return ours.sort(byKey(({ name }) => name)).flatMap(({ name, meta, template }) => {
    const subject = { kind: 'nodePool', name } as const
    return timeoutProblems(template.annotations).map((problem): Action => {
      const message = `nodepool ${name}: spec.template.metadata.${problem}`
      return { kind: 'publish', event: { subject, uid: meta.uid, type: 'Warning', reason: 'InvalidAnnotation', message } }
    })
  })
}
