import type { MemoryWorld } from '../../shared/adapters/memory/memoryWorld.ts'
import type { Node } from '../../shared/model/node.ts'
import { type EpochMs, epochMs } from '../../shared/model/units.ts'

/** `--node-monitor-grace-period` of the kube-controller-manager since Kubernetes 1.32. */
const SILENT_MS = 50_000
/** The pod garbage collector of Kubernetes waits this long before it treats a node as gone. */
const QUARANTINE_MS = 40_000

/** The controllers of Kubernetes that react to a missing machine: readiness becomes Unknown, and the pods of a removed node are removed. */
export function createNodeController({ objects, machines, clock }: MemoryWorld): () => void {
  const silent = createWatch()
  const orphaned = createWatch()
  return () => {
    const now = clock.now()
    const running = new Set<string>(machines.all().map(({ instance }) => instance.name))
    for (const node of objects.all('node')) {
      const isSilent = node.providerId !== undefined && !running.has(node.name)
      if (silent(node.name, isSilent, now) >= SILENT_MS && isReady(node)) objects.put('node', unknown(node, now))
    }
    const nodes = new Set(objects.all('node').map(({ name }) => name))
    for (const { key, nodeName } of objects.all('pod')) {
      const isOrphan = nodeName !== undefined && !nodes.has(nodeName)
      if (orphaned(key, isOrphan, now) >= QUARANTINE_MS) objects.remove('pod', key)
    }
  }
}

/** Returns how long something has been so, in milliseconds. 0 if it is not so. */
function createWatch(): (name: string, isSo: boolean, now: EpochMs) => number {
  const since = new Map<string, EpochMs>()
  return (name, isSo, now) => {
    if (!isSo) since.delete(name)
    else if (!since.has(name)) since.set(name, now)
    return now - (since.get(name) ?? epochMs(now))
  }
}

function isReady({ conditions }: Node): boolean {
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True')
}

function unknown(node: Node, now: EpochMs): Node {
  const silent = { status: 'Unknown', reason: 'NodeStatusUnknown', lastTransitionAt: now } as const
  return { ...node, conditions: node.conditions.map((each) => (each.type === 'Ready' ? { ...each, ...silent } : each)) }
}
