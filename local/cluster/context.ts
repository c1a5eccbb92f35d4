import type { KubeApi } from './client/api.ts'
import { type Informer, startInformer } from './client/informer.ts'
import type { KubeClient } from './client/kubeClient.ts'
import type { DaemonSet, Deployment, Job, Lease, Namespace, Node, Pod, ReplicaSet, Stored } from './client/objects.ts'
import { DAEMON_SETS, DEPLOYMENTS, JOBS, LEASES, NAMESPACES, NODES, PODS, REPLICA_SETS, type Resource } from './client/resource.ts'
import type { EventRecorder } from './eventRecorder.ts'

/** What every controller works with. */
export type ControllerContext = {
  readonly api: KubeApi
  readonly events: EventRecorder
  readonly log: (line: string) => void
  readonly now: () => number
  /** Divides every waiting time that only imitates the slowness of a real cluster. */
  readonly speed: number
  readonly informers: Informers
}

export type Controller = { close(): void }

/** The informers that controllers share. Each is started at its first use. */
export type Informers = {
  readonly pods: () => Informer<Pod>
  readonly nodes: () => Informer<Node>
  readonly namespaces: () => Informer<Namespace>
  readonly leases: () => Informer<Lease>
  readonly deployments: () => Informer<Deployment>
  readonly replicaSets: () => Informer<ReplicaSet>
  readonly daemonSets: () => Informer<DaemonSet>
  readonly jobs: () => Informer<Job>
  /** For a kind that one controller alone watches. Each call starts a new informer. */
  readonly of: <Item extends Stored>(resource: Resource<Item>) => Informer<Item>
}

export function createInformers(client: KubeClient, log: (line: string) => void): { readonly informers: Informers; close(): void } {
  const closers: (() => void)[] = []
  const start = <Item extends Stored>(resource: Resource<Item>): Informer<Item> => {
    const started = startInformer(resource, { client, log })
    closers.push(started.close)
    return started
  }
  const once = <Item extends Stored>(resource: Resource<Item>): (() => Informer<Item>) => {
    let started: Informer<Item> | undefined
    return () => {
      started ??= start(resource)
      return started
    }
  }
  return {
    informers: {
      pods: once(PODS),
      nodes: once(NODES),
      namespaces: once(NAMESPACES),
      leases: once(LEASES),
      deployments: once(DEPLOYMENTS),
      replicaSets: once(REPLICA_SETS),
      daemonSets: once(DAEMON_SETS),
      jobs: once(JOBS),
      of: start,
    },
    close: () => {
      for (const close of closers) close()
    },
  }
}
