import type { MemoryWorld } from '../../shared/adapters/memory/memoryWorld.ts'
import type { Node } from '../../shared/model/node.ts'
import { type EpochMs, epochMs } from '../../shared/model/units.ts'

/** `--node-monitor-grace-period` of the kube-controller-manager since Kubernetes 1.32. */
const SILENT_MS = 50_000
/** Its collector of pods waits so long before it believes that a node is gone. */
const QUARANTINE_MS = 40_000

/** What the controllers of Kubernetes do about a machine that is gone: it is unknown whether its node is ready, and pods of a node that is gone go too. */
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

/** For how long something is so, in milliseconds; 0 where it is not. */
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
