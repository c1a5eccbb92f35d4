import type { Node, NodeCondition } from '../cluster/client/objects.ts'
import type { DemoOptions } from './demoOptions.ts'
import { formatSeconds } from './formatSeconds.ts'

/** Prints nodes that join, become ready and go. */
export function printNodes({ print, now }: DemoOptions): {
  readonly seen: (now: Node | undefined, before: Node | undefined) => void
} {
  const joinedAt = new Map<string, number>()
  const wereReady = new Set<string>()

  function present(node: Node, before: Node | undefined): void {
    const { name } = node.metadata
    if (before === undefined) {
      joinedAt.set(name, now())
      print(`node ${name} joined`)
    }
    const isReadyNow = isReady(node)
    if (isReadyNow === (before !== undefined && isReady(before))) return
    if (!isReadyNow) print(`node ${name} is no longer ready: ${whyNotReady(node)}`)
    else if (wereReady.has(name)) print(`node ${name} is ready again`)
    else print(`node ${name} is ready, ${formatSeconds(now() - (joinedAt.get(name) ?? now()))} after it joined`)
    if (isReadyNow) wereReady.add(name)
  }

  return {
    seen(node, before) {
      if (node) present(node, before)
      else if (before) {
        joinedAt.delete(before.metadata.name)
        wereReady.delete(before.metadata.name)
        print(`node ${before.metadata.name} is gone`)
      }
    },
  }
}

export function isReady(node: Node): boolean {
  return readyCondition(node)?.status === 'True'
}

function whyNotReady(node: Node): string {
  const { message, reason } = readyCondition(node) ?? {}
  return message ?? reason ?? 'its kubelet says nothing'
}

function readyCondition(node: Node): NodeCondition | undefined {
  return node.status?.conditions?.find(({ type }) => type === 'Ready')
}
