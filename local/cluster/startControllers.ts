import type { MachineSource } from '../machine.ts'
import { createApi } from './client/api.ts'
import { type ConnectionSource, connectionFrom } from './client/connection.ts'
import { createKubeClient } from './client/kubeClient.ts'
import { type Controller, type ControllerContext, createInformers } from './context.ts'
import { createEventRecorder } from './eventRecorder.ts'
import { startCloudNodes } from './nodes/cloudNode.ts'
import { startNodeLifecycle } from './nodes/nodeLifecycle.ts'
import { startPodGarbage } from './nodes/podGarbage.ts'
import { startTaintEviction } from './nodes/taintEviction.ts'
import type { Strategy } from './scheduling/place.ts'
import { startScheduler } from './scheduling/scheduler.ts'
import { startDaemonSets } from './workloads/daemonSet.ts'
import { startDeployments } from './workloads/deployment.ts'
import { startJobs } from './workloads/job.ts'
import { startReplicaSets } from './workloads/replicaSet.ts'
import { startUnsupportedKinds } from './workloads/unsupportedKinds.ts'

export const CONTROLLER_NAMES = [
  'deployment',
  'replicaset',
  'daemonset',
  'job',
  'scheduler',
  'nodelifecycle',
  'tainteviction',
  'cloudnode',
  'podgc',
  'notrun',
] as const

export type ControllerName = (typeof CONTROLLER_NAMES)[number]

export type StartControllersOptions = ConnectionSource & {
  /** Divides waiting times that only imitate the slowness of a real cluster. Default 1. */
  readonly speed?: number
  /** Default: all controllers. */
  readonly which?: readonly ControllerName[]
  /** Reports to the cloud node controller which machines exist. */
  readonly machines?: MachineSource
  /** How the scheduler chooses among nodes that fit. Default: the node with the least allocated. */
  readonly strategy?: Strategy
  /** How long a kubelet may be silent before its node counts as lost, in milliseconds. Default 40 s, whatever the speed. */
  readonly silenceMs?: number
  /** Lines about refusals and lost connections, for a person. */
  readonly log?: (line: string) => void
}

/** Runs controllers, the scheduler among them, as clients of any API server. Resolves once all of them work. */
export async function startControllers(options: StartControllersOptions): Promise<Controller> {
  const log = options.log ?? (() => {})
  const client = createKubeClient(connectionFrom(options))
  const stop = new AbortController()
  const api = createApi(client, stop.signal)
  const { informers, close: closeInformers } = createInformers(client, log)
  const contextOf = (name: ControllerName): ControllerContext => ({
    api,
    events: createEventRecorder(api, COMPONENTS[name], log),
    log,
    now: Date.now,
    speed: options.speed ?? 1,
    informers,
  })
  const names = options.which ?? CONTROLLER_NAMES
  const controllers = await Promise.all(names.map((name) => STARTS[name](contextOf(name), options)))
  return {
    close: () => {
      for (const controller of controllers) controller.close()
      closeInformers()
      stop.abort()
      client.close()
    },
  }
}

type Start = (context: ControllerContext, options: StartControllersOptions) => Promise<Controller>

const STARTS: { readonly [Name in ControllerName]: Start } = {
  deployment: startDeployments,
  replicaset: startReplicaSets,
  daemonset: startDaemonSets,
  job: startJobs,
  scheduler: (context, { strategy }) => startScheduler(context, strategy),
  nodelifecycle: (context, { silenceMs }) => startNodeLifecycle(context, silenceMs),
  tainteviction: startTaintEviction,
  cloudnode: (context, { machines }) => startCloudNodes(context, machines),
  podgc: startPodGarbage,
  notrun: startUnsupportedKinds,
}

/** The source of events, as in a real cluster. */
const COMPONENTS: { readonly [Name in ControllerName]: string } = {
  deployment: 'deployment-controller',
  replicaset: 'replicaset-controller',
  daemonset: 'daemonset-controller',
  job: 'job-controller',
  scheduler: 'default-scheduler',
  nodelifecycle: 'node-controller',
  tainteviction: 'taint-eviction-controller',
  cloudnode: 'cloud-node-lifecycle-controller',
  podgc: 'pod-garbage-collector',
  notrun: 'embedded-cluster',
}
