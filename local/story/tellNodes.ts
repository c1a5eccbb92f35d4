import type { Node } from '../cluster/client/objects.ts'
import { formatSeconds } from './formatSeconds.ts'
import type { StoryOptions } from './storyOptions.ts'

/** Tells of nodes that join, become ready and go. */
export function tellNodes({ print, now }: StoryOptions): {
  readonly seen: (now: Node | undefined, before: Node | undefined) => void
} {
  const joinedAt = new Map<string, number>()

  function present(node: Node, before: Node | undefined): void {
    const { name } = node.metadata
    if (before === undefined) {
      joinedAt.set(name, now())
      print(`node ${name} joined`)
    }
    const becameReady = isReady(node) && !(before && isReady(before))
    if (becameReady) print(`node ${name} is ready, ${formatSeconds(now() - (joinedAt.get(name) ?? now()))} after it joined`)
  }

  return {
    seen(node, before) {
      if (node) present(node, before)
      else if (before) {
        joinedAt.delete(before.metadata.name)
        print(`node ${before.metadata.name} is gone`)
      }
    },
  }
}

function isReady(node: Node): boolean {
  return node.status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') ?? false
}
