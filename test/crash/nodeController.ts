import type { MemoryWorld } from '../../shared/adapters/memory/memoryWorld.ts'
import type { Node } from '../../shared/model/node.ts'
import type { EpochMs } from '../../shared/model/units.ts'

/** `--node-monitor-grace-period` of the kube-controller-manager since Kubernetes 1.32. */
const SILENT_MS = 50_000
/** The pod garbage collector of Kubernetes waits this long before it treats a node as gone. */
const QUARANTINE_MS = 40_000

/** The controllers of Kubernetes that react to a missing machine: readiness becomes Unknown, and the pods of a removed node are removed. */
export function createNodeController({ objects, machines, clock }: MemoryWorld): () => void {
  const silent = createWatch()
  const orphaned = createWatch()
  let seen: unknown
  objects.listen(({ kind }) => {
    if (kind === 'node' || kind === 'pod') seen = undefined
  })

  /** The list of machines is another one after each change of a machine. */
  function lookAgain(now: EpochMs): void {
    const running = machines.all()
    if (seen === running) return
    seen = running
    const names = new Set<string>(running.map(({ instance }) => instance.name))
    const nodes = new Set<string>()
    const silentNow: string[] = []
    for (const { name, providerId } of objects.all('node')) {
      nodes.add(name)
      if (providerId !== undefined && !names.has(name)) silentNow.push(name)
    }
    silent.keep(silentNow, now)
    const orphans = objects.all('pod').filter(({ nodeName }) => nodeName !== undefined && !nodes.has(nodeName))
    orphaned.keep(
      orphans.map(({ key }) => key),
      now,
    )
  }

  return () => {
    const now = clock.now()
    lookAgain(now)
    for (const name of silent.for(SILENT_MS, now)) {
      const node = objects.get('node', name)
      if (node !== undefined && isReady(node)) objects.put('node', unknown(node, now))
    }
    for (const key of orphaned.for(QUARANTINE_MS, now)) objects.remove('pod', key)
  }
}

type Watch = {
  /** Sets the names of which something is so now. */
  keep(names: readonly string[], now: EpochMs): void
  /** Returns the names of which it has been so for at least this time. */
  for(ms: number, now: EpochMs): readonly string[]
}

function createWatch(): Watch {
  let since = new Map<string, EpochMs>()
  return {
    keep: (names, now) => {
      since = new Map(names.map((name) => [name, since.get(name) ?? now]))
    },
    for: (ms, now) => [...since].flatMap(([name, at]) => (now - at >= ms ? [name] : [])),
  }
}

function isReady({ conditions }: Node): boolean {
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True')
}

function unknown(node: Node, now: EpochMs): Node {
  const silent = { status: 'Unknown', reason: 'NodeStatusUnknown', lastTransitionAt: now } as const
  return { ...node, conditions: node.conditions.map((each) => (each.type === 'Ready' ? { ...each, ...silent } : each)) }
}
