import { placeOnExistingNodes } from '../candidates/firstFit/firstFit.ts'
import type { Plan } from '../candidates/plan.ts'
import type { ExistingNode, ExistingNodeMark } from '../model/nodes/existingNode.ts'
import type { QueueEntry } from '../model/pods/queue.ts'
import { takeBack } from './plannedMove.ts'

/**
 * Places pods that move on nodes that stay, in a plan that has placed nothing yet. If some are left over, two more ways are tried. First these pods come
 * before the others, which may have taken the only room for them. Then all pods ask for as few preferences as in `less`. Such a way stands if it leaves
 * nothing over.
 */
export function fillNodes(plan: Plan, queue: readonly QueueEntry[], less: readonly QueueEntry[] | undefined): void {
  const undo = (): void => takeBack(plan, 0, NO_MARKS)
  const isLeft = ({ podClass }: QueueEntry): boolean => (plan.left.get(podClass) ?? 0) > 0
  placeOnExistingNodes(plan, queue)
  const left = queue.filter(isLeft)
  if (left.length === 0) return
  const others = queue.filter((each) => !left.includes(each))
  const ways = [...(others.length === 0 ? [] : [[...left, ...others]]), ...(less === undefined ? [] : [less])]
  for (const way of ways) {
    undo()
    placeOnExistingNodes(plan, way)
    if (!queue.some(isLeft)) return
  }
  if (ways.length === 0) return
  undo()
  placeOnExistingNodes(plan, queue)
}

const NO_MARKS: ReadonlyMap<ExistingNode, ExistingNodeMark> = new Map()
