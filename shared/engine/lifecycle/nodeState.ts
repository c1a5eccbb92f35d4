import type { Node } from '../../model/node.ts'

export function isReady(node: Node): boolean {
  return node.conditions.some((each) => each.type === 'Ready' && each.status === 'True')
}
