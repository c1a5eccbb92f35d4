import { markAll } from '../model/catalog/limits.ts'
import { markOf, putBack } from '../model/nodes/existingNode.ts'
import type { Work } from '../model/quantities/work.ts'
import type { TopologyGroup } from '../model/topology/topologyGroup.ts'
import type { Plan } from './plan.ts'

/** Puts the plan and the counts of neighbours back to their state at the restore point. */
export type Restore = () => void

export function restorePoint(plan: Plan, groups: readonly TopologyGroup[]): Restore {
  const marks = new Map([...plan.touched.keys()].map((existingNode) => [existingNode, markOf(existingNode)]))
  const limits = markAll(plan.poolOptions.map((poolOption) => poolOption.limits))
  const counts = countsOf(groups, plan.work)
  const left = [...plan.left]
  const postponed = [...plan.postponed]
  const refused = [...plan.refused]
  const held = plan.held && { left: [...plan.held.left], of: [...plan.held.of] }
  const { length: bins } = plan.bins
  const { length: log } = plan.log
  return () => {
    for (const [existingNode, untouched] of plan.touched) putBack(existingNode, marks.get(existingNode) ?? untouched)
    limits()
    counts()
    plan.left.clear()
    for (const [podClass, count] of left) plan.left.set(podClass, count)
    plan.postponed.clear()
    for (const [podClass, because] of postponed) plan.postponed.set(podClass, because)
    plan.refused.clear()
    for (const podClass of refused) plan.refused.add(podClass)
    if (plan.held && held) {
      refill(plan.held.left, held.left)
      refill(plan.held.of, held.of)
    }
    plan.bins.length = bins
    plan.log.length = log
    plan.version++
  }
}

/** A restore point for the counts of neighbours alone. */
export function countsOf(groups: readonly TopologyGroup[], work: Pick<Work, 'counts'>): Restore {
  const saved = groups.map(({ known, selected, possible, owners }) => ({
    known: [...known],
    selected: [...selected],
    possible: [...possible],
    owners: [...owners],
  }))
  const size = groups.reduce(
    (sum, { known, selected, possible, owners }) => sum + known.size + selected.size + possible.size + owners.size,
    0,
  )
  work.counts += size
  return () => {
    work.counts += size
    for (const [index, { known, selected, possible, owners }] of saved.entries()) {
      const group = groups[index]
      if (group === undefined) continue
      refill(group.selected, selected)
      refill(group.possible, possible)
      refill(group.owners, owners)
      group.known.clear()
      for (const domain of known) group.known.add(domain)
    }
  }
}

function refill<Key, Value>(map: Map<Key, Value>, entries: readonly (readonly [Key, Value])[]): void {
  map.clear()
  for (const [key, value] of entries) map.set(key, value)
}
