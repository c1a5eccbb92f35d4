import { DEFAULT_MACHINE_NAMES } from '../../shared/model/ids.ts'
import { startInformer } from '../cluster/client/informer.ts'
import type { KubeClient } from '../cluster/client/kubeClient.ts'
import { EVENTS, NODES, PODS } from '../cluster/client/resource.ts'
import { isTrue, NODE_CLAIMS } from './claimObject.ts'
import type { Demo } from './demo.ts'
import { isRunning } from './printPods.ts'
import { refusalOf } from './refusalOf.ts'
import type { StageTimes } from './stageTimes.ts'

/** The current contents of the cluster, as the watches show them. */
export interface ClusterView {
  runningPods(app: string): number
  pods(app: string): number
  claims(): number
  nodes(): number
  /** Returns the last event of Joiner about a pod that it cannot help. */
  refusal(): string | undefined
  close(): void
}

/** Watches pods, nodes and claims for the demo and for the stage times. */
export function watchCluster(client: KubeClient, demo: Demo, times: StageTimes): ClusterView {
  const pods = startInformer(PODS, { client })
  const nodes = startInformer(NODES, { client })
  const claims = startInformer(NODE_CLAIMS, { client })
  const events = startInformer(EVENTS, { client })
  let refusal: string | undefined
  events.onChange((now, before) => {
    if (now === undefined) return
    refusal = refusalOf(now) ?? refusal
    if (!before) demo.event(now)
  })
  pods.onChange((now, before) => demo.pod(now, before))
  nodes.onChange((now, before) => {
    demo.node(now, before)
    if (now && !before) times.reached(now.metadata.name.replace(DEFAULT_MACHINE_NAMES.prefix, ''), 'node joined', Date.now())
  })
  claims.onChange((now, before) => {
    demo.claim(now, before)
    if (now === undefined) return
    const { name } = now.metadata
    if (isTrue(now, 'Registered')) times.reached(name, 'registered', Date.now())
    if (isTrue(now, 'Initialized')) times.reached(name, 'initialized', Date.now())
  })
  const own = (app: string) => [...pods.items()].filter((pod) => pod.metadata.labels?.['app'] === app)
  return {
    runningPods: (app) => own(app).filter((pod) => isRunning(pod) && pod.metadata.deletionTimestamp === undefined).length,
    pods: (app) => own(app).length,
    claims: () => [...claims.items()].length,
    nodes: () => [...nodes.items()].length,
    refusal: () => refusal,
    close() {
      for (const informer of [pods, nodes, claims, events]) informer.close()
    },
  }
}
