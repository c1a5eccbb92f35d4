import { isTrue, ROOT_CONDITION } from '../../model/condition.ts'
import type { Node } from '../../model/node.ts'

export function isReady(node: Node): boolean {
  return isTrue(node.conditions, ROOT_CONDITION)
}
