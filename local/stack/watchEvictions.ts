import type { LocalAzure } from '../azure/startAzure.ts'
import { startInformer } from '../cluster/client/informer.ts'
import type { KubeClient } from '../cluster/client/kubeClient.ts'
import { NODES } from '../cluster/client/resource.ts'
import type { Machine } from '../machine.ts'
import type { Child } from './child.ts'
import { type SpotShimOptions, startSpotShim } from './shimProcess.ts'

export type EvictionOptions = Omit<SpotShimOptions, 'node'> & { readonly client: KubeClient; readonly azure: LocalAzure }

export interface Evictions {
  evict(node: string): Promise<void>
  close(): Promise<void>
}

/** `kubectl annotate node X joiner.dev/simulate=evict` requests an eviction. */
const ANNOTATION = 'joiner.dev/simulate'

/**
 * Evicts spot machines on request. In a real cluster the shim runs on every spot node. Here a shim is started on a node that is about to be evicted,
 * and ends with its machine.
 */
export function watchEvictions(options: EvictionOptions): Evictions {
  const { azure, client, onNotice } = options
  const shims = new Map<string, Child>()
  const stopListening = azure.machines.listen({
    started: () => undefined,
    stopped: ({ name }: Machine) => {
      void shims.get(name)?.stop()
      shims.delete(name)
    },
  })

  async function evict(node: string): Promise<void> {
    const vm = azure.state().vms.find(({ name }) => name === node)
    if (vm?.priority !== 'Spot') {
      onNotice(`node ${node} is not evicted: ${vm === undefined ? 'it has no machine' : 'its machine is not a spot machine'}`)
      return
    }
    if (shims.has(node)) return
    const shim = startSpotShim({ ...options, node })
    shims.set(node, shim)
    await shim.ready()
    onNotice(`Azure announces the eviction of spot machine ${node}`)
    azure.evictSpot(node)
  }

  const nodes = startInformer(NODES, { client })
  nodes.onChange((now, before) => {
    const isAsked = now?.metadata.annotations?.[ANNOTATION] === 'evict' && before?.metadata.annotations?.[ANNOTATION] !== 'evict'
    if (isAsked) evict(now.metadata.name).catch((cause: unknown) => onNotice(`node ${now.metadata.name} is not evicted: ${String(cause)}`))
  })
  return {
    evict,
    async close() {
      nodes.close()
      stopListening()
      await Promise.all([...shims.values()].map((shim) => shim.stop()))
    },
  }
}
