import { type Informer, startInformer } from '../cluster/client/informer.ts'
import type { KubeClient } from '../cluster/client/kubeClient.ts'
import type { Pod } from '../cluster/client/objects.ts'
import { PODS } from '../cluster/client/resource.ts'

type Listener = (now: Pod | undefined, before: Pod | undefined) => void

/** Reports to kubelets the pods that are bound to their nodes. */
export interface PodFeed {
  /** Reports the pods that are bound already first. Returns the function that stops. `own` is the client of the kubelet itself. */
  follow(node: string, own: KubeClient, listener: Listener): () => void
  close(): void
}

/** One watch for each kubelet, with its own credential, as real kubelets do. */
export function createOwnPodFeed(log: (line: string) => void): PodFeed {
  return {
    follow: (node, own, listener) => {
      const informer = startInformer(PODS, { client: own, log, query: { fieldSelector: `spec.nodeName=${node}` } })
      informer.onChange(listener)
      return informer.close
    },
    close: () => {},
  }
}

/** One watch for all kubelets of the process, so that hundreds of kubelets stay cheap. Each kubelet still writes with its own credential. */
export function createSharedPodFeed(client: KubeClient, log: (line: string) => void): PodFeed {
  const informer: Informer<Pod> = startInformer(PODS, { client, log })
  const listeners = new Map<string, Listener>()
  const byNode = new Map<string, Map<string, Pod>>()
  informer.onChange((now, before) => {
    const node = now?.spec.nodeName ?? before?.spec.nodeName
    if (!node) return
    const pods = byNode.get(node) ?? new Map<string, Pod>()
    if (before !== undefined) pods.delete(before.metadata.uid)
    if (now !== undefined) pods.set(now.metadata.uid, now)
    if (pods.size > 0) byNode.set(node, pods)
    else byNode.delete(node)
    listeners.get(node)?.(now, before)
  })
  return {
    follow: (node, _own, listener) => {
      listeners.set(node, listener)
      for (const pod of byNode.get(node)?.values() ?? []) listener(pod, undefined)
      return () => listeners.delete(node)
    },
    close: informer.close,
  }
}
