import { defined } from '../../shared/base/values.ts'
import type { ContainerStatus, Pod, PodCondition } from '../cluster/client/objects.ts'
import { conditionOf, timestamp } from '../cluster/podState.ts'

/** The stage of a pod's life on its machine. */
export type PodStage =
  | { readonly kind: 'starting' }
  /** `isStarting`: the startup probe has not succeeded yet. `restarts`: how often its failure restarted the containers. */
  | {
      readonly kind: 'running'
      readonly startedAt: number
      readonly ready: boolean
      readonly isStarting?: boolean
      readonly restarts?: number
    }
  /** The startup probe failed. The containers wait for their next start. */
  | { readonly kind: 'crashed'; readonly startedAt: number; readonly endedAt: number; readonly restarts: number }
  /** `message`: what the program wrote to its termination message file. */
  | { readonly kind: 'ended'; readonly startedAt?: number; readonly endedAt: number; readonly exitCode: number; readonly message?: string }
  | { readonly kind: 'refused'; readonly reason: string; readonly message: string }

export type PodPlace = { readonly acceptedAt: number; readonly hostIP: string; readonly podIP: string }

type Status = NonNullable<Pod['status']>

/** Returns the status that the kubelet reports for a pod at a stage. */
export function podStatus(pod: Pod, stage: PodStage, place: PodPlace, now: number): Status {
  if (stage.kind === 'refused') {
    const message = `Pod was rejected: ${stage.message}`
    return { phase: 'Failed', reason: stage.reason, message, startTime: timestamp(place.acceptedAt) }
  }
  const ips = stage.kind === 'starting' ? {} : { podIP: place.podIP, podIPs: [{ ip: place.podIP }] }
  const initContainers = pod.spec.initContainers ?? []
  return {
    phase: phaseOf(stage),
    startTime: timestamp(place.acceptedAt),
    hostIP: place.hostIP,
    hostIPs: [{ ip: place.hostIP }],
    ...ips,
    conditions: conditionsOf(pod, stage, now),
    containerStatuses: pod.spec.containers.map((container) => containerStatus(pod, container, stage, false)),
    ...(initContainers.length === 0
      ? {}
      : {
          initContainerStatuses: initContainers.map((container) =>
            containerStatus(pod, container, stage, container.restartPolicy !== 'Always'),
          ),
        }),
  }
}

function phaseOf(stage: PodStage): string {
  if (stage.kind === 'starting') return 'Pending'
  if (stage.kind === 'running' || stage.kind === 'crashed') return 'Running'
  return stage.kind === 'ended' && stage.exitCode === 0 ? 'Succeeded' : 'Failed'
}

function conditionsOf(pod: Pod, stage: PodStage, now: number): readonly PodCondition[] {
  const ready = stage.kind === 'running' && stage.ready
  const completed = stage.kind === 'ended' && stage.exitCode === 0
  const waiting =
    stage.kind === 'ended'
      ? { reason: completed ? 'PodCompleted' : 'PodFailed' }
      : {
          reason: 'ContainersNotReady',
          message: `containers with unready status: [${pod.spec.containers.map(({ name }) => name).join(' ')}]`,
        }
  const isReady = (type: string) => condition(pod, now, { type, status: ready ? 'True' : 'False', ...(ready ? {} : waiting) })
  return [
    condition(pod, now, { type: 'PodReadyToStartContainers', status: stage.kind === 'running' ? 'True' : 'False' }),
    condition(pod, now, { type: 'Initialized', status: stage.kind === 'starting' && hasInit(pod) ? 'False' : 'True' }),
    isReady('Ready'),
    isReady('ContainersReady'),
    condition(pod, now, { type: 'PodScheduled', status: 'True' }),
  ]
}

function hasInit(pod: Pod): boolean {
  return (pod.spec.initContainers ?? []).length > 0
}

function condition(pod: Pod, now: number, next: PodCondition): PodCondition {
  const known = conditionOf(pod, next.type)
  const lastTransitionTime = known?.status === next.status ? (known.lastTransitionTime ?? timestamp(now)) : timestamp(now)
  return { ...next, lastTransitionTime }
}

type Container = { readonly name: string; readonly image?: string }

function containerStatus(pod: Pod, container: Container, stage: PodStage, isInit: boolean): ContainerStatus {
  const base = { name: container.name, image: container.image ?? '', imageID: '', restartCount: restartsOf(stage, isInit) }
  const containerID = `containerd://${pod.metadata.uid}-${container.name}`
  if (stage.kind === 'starting' || stage.kind === 'refused') {
    const reason = isInit || !hasInit(pod) ? 'ContainerCreating' : 'PodInitializing'
    return { ...base, ready: false, started: false, state: { waiting: { reason } } }
  }
  if (stage.kind === 'crashed' && !isInit) return { ...base, ...crashed(stage, containerID) }
  if (stage.kind === 'ended') {
    return { ...base, containerID, ready: isInit, started: false, state: terminated(endOf(stage, isInit), containerID) }
  }
  if (isInit) {
    const ended = { startedAt: stage.startedAt, endedAt: stage.startedAt, exitCode: 0 }
    return { ...base, containerID, ready: true, started: false, state: terminated(ended, containerID) }
  }
  return {
    ...base,
    containerID,
    ready: isReady(stage),
    started: !isStarting(stage),
    state: { running: { startedAt: timestamp(stage.startedAt) } },
  }
}

/** A container that initializes the pod ended well, whatever became of the others. */
function endOf({ startedAt, endedAt, exitCode, message }: Extract<PodStage, { kind: 'ended' }>, isInit: boolean): Ended {
  const from = { startedAt: startedAt ?? endedAt, endedAt }
  return isInit ? { ...from, exitCode: 0 } : { ...from, exitCode, ...defined({ message }) }
}

function crashed(
  stage: Extract<PodStage, { kind: 'crashed' }>,
  containerID: string,
): Pick<ContainerStatus, 'ready' | 'started' | 'state' | 'lastState'> {
  const waiting = { reason: 'CrashLoopBackOff', message: 'back-off restarting failed container' }
  return { ready: false, started: false, state: { waiting }, lastState: terminated({ ...stage, exitCode: KILLED }, containerID) }
}

/** The exit code of a program that was killed. */
export const KILLED = 137

function restartsOf(stage: PodStage, isInit: boolean): number {
  return !isInit && (stage.kind === 'running' || stage.kind === 'crashed') ? (stage.restarts ?? 0) : 0
}

function isReady(stage: PodStage): boolean {
  return stage.kind === 'running' && stage.ready
}

function isStarting(stage: PodStage): boolean {
  return stage.kind === 'running' && stage.isStarting === true
}

type Ended = { readonly startedAt: number; readonly endedAt: number; readonly exitCode: number; readonly message?: string }

/** The longest termination message, in bytes. A kubelet cuts the rest off (Kubernetes, Determine the Reason for Pod Failure, 2026-08). */
const MOST_MESSAGE = 4096

function terminated({ startedAt, endedAt, exitCode, message }: Ended, containerID: string): NonNullable<ContainerStatus['state']> {
  const reason = exitCode === 0 ? 'Completed' : 'Error'
  const said = message ? { message: Buffer.from(message).subarray(0, MOST_MESSAGE).toString('utf8') } : {}
  return { terminated: { startedAt: timestamp(startedAt), finishedAt: timestamp(endedAt), containerID, exitCode, reason, ...said } }
}
