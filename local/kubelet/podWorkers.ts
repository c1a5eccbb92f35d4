import { type KubeApi, mustUnless } from '../cluster/client/api.ts'
import { objectKeyOf, type Pod } from '../cluster/client/objects.ts'
import { PODS } from '../cluster/client/resource.ts'
import { createKeyQueue, type KeyQueue } from '../cluster/client/workQueue.ts'
import { isReady, isTerminal, isTerminating, wholeCondition } from '../cluster/podState.ts'
import type { Amounts } from '../cluster/quantity.ts'
import { refusalOf } from './podAdmission.ts'
import { type PodPlan, type PodTimes, planOf } from './podPlan.ts'
import { KILLED, type PodPlace, type PodStage, podStatus } from './podStatus.ts'

/** The pods of one machine. Starts, runs, ends and stops each pod in its time, and reports its status. */
export interface PodWorkers {
  /** A pod that is bound to this machine came or changed. If `now` is undefined, the pod is gone from the cluster. */
  changed(now: Pod | undefined, before: Pod | undefined): void
  /** The power is off: nothing is reported any more. */
  close(): void
}

export type PodWorkersOptions = {
  readonly api: KubeApi
  readonly allocatable: () => Amounts
  readonly hostIP: string
  readonly nextPodIP: () => string
  readonly times: PodTimes
  readonly speed: number
  readonly now: () => number
  readonly log: (line: string) => void
  readonly programs?: Programs | undefined
}

/** What a program did: its exit code, and the content of its termination message file. */
export type ProgramEnd = { readonly exitCode: number; readonly message: string }

/** The program of a pod of this machine. Undefined: the pod behaves as its plan says. `off`: the machine or the pod is gone. */
export type Programs = (pod: Pod) => ((off: AbortSignal) => Promise<ProgramEnd>) | undefined

type Work = {
  pod: Pod
  stage: PodStage
  plan: PodPlan
  readonly place: PodPlace
  /** The next change of the pod that needs no event from outside. */
  timer: NodeJS.Timeout | undefined
  stopping: boolean
  stopped: boolean
  written: string | undefined
  /** Runs the pod's program once it has started. Undefined: it has none, or it runs already. */
  program: ReturnType<Programs>
  readonly off: AbortController
}

export function createPodWorkers(options: PodWorkersOptions): PodWorkers {
  const works = new Map<string, Work>()
  // Statuses are written one after the other, as a kubelet does. One connection is enough then, where eight at once would open eight.
  const queue = createKeyQueue({ name: 'kubelet', concurrency: 1, log: options.log, reconcile: (uid) => settle(options, works, uid) })
  return {
    changed: (now, before) => {
      if (before !== undefined && before.metadata.uid !== now?.metadata.uid) end(works, before.metadata.uid)
      if (now === undefined) return
      const { uid } = now.metadata
      const known = works.get(uid)
      if (known !== undefined) {
        known.pod = now
        followProbes(options, queue, uid, known)
      }
      const work = known ?? takeIn(options, works, queue, now)
      if (isTerminating(now) && !work.stopping) stop(options, queue, uid, work)
    },
    close: () => {
      queue.close()
      for (const uid of works.keys()) end(works, uid)
    },
  }
}

function end(works: Map<string, Work>, uid: string): void {
  clearTimeout(works.get(uid)?.timer)
  works.get(uid)?.off.abort()
  works.delete(uid)
}

function takeIn(options: PodWorkersOptions, works: Map<string, Work>, queue: KeyQueue, pod: Pod): Work {
  const now = options.now()
  const { uid } = pod.metadata
  const podIP = pod.status?.podIP ?? (pod.spec.hostNetwork === true ? options.hostIP : options.nextPodIP())
  const others = [...works.values()].filter(({ stage }) => stage.kind === 'starting' || stage.kind === 'running').map((work) => work.pod)
  const program = options.programs?.(pod)
  const { runMs: _, ...endless } = planOf(pod, options.times)
  const work: Work = {
    pod,
    program,
    off: new AbortController(),
    stage: firstStage(pod, now, refusalOf(pod, options.allocatable(), others)),
    plan: program === undefined ? planOf(pod, options.times) : endless,
    place: { acceptedAt: pod.status?.startTime === undefined ? now : Date.parse(pod.status.startTime), hostIP: options.hostIP, podIP },
    timer: undefined,
    stopping: false,
    stopped: false,
    written: undefined,
  }
  works.set(uid, work)
  advance(options, queue, uid, work)
  queue.add(uid)
  return work
}

/** A pod that ran before this kubelet started keeps its stage, because containers outlive their kubelet. */
function firstStage(pod: Pod, now: number, refusal: { readonly reason: string; readonly message: string } | undefined): PodStage {
  if (isTerminal(pod)) return { kind: 'ended', endedAt: now, exitCode: pod.status?.phase === 'Failed' ? 1 : 0 }
  if (pod.status?.phase === 'Running') {
    const [first] = pod.status.containerStatuses ?? []
    const [restarts, isStarting] = [first?.restartCount ?? 0, first?.started === false]
    return { kind: 'running', startedAt: startOf(pod) ?? now, ready: isReady(pod), restarts, isStarting }
  }
  return refusal === undefined ? { kind: 'starting' } : { kind: 'refused', ...refusal }
}

function startOf(pod: Pod): number | undefined {
  const text = pod.status?.containerStatuses?.[0]?.state?.running?.startedAt
  return text === undefined ? undefined : Date.parse(text)
}

/** Sets the timer of the next stage, if there is one. */
function advance(options: PodWorkersOptions, queue: KeyQueue, uid: string, work: Work): void {
  const later = (ms: number, next: () => PodStage) => {
    work.timer = setTimeout(() => {
      work.stage = next()
      advance(options, queue, uid, work)
      queue.add(uid)
    }, ms / options.speed)
  }
  const { stage, plan, pod } = work
  if (stage.kind === 'starting') {
    later(plan.startMs, () => begun(plan, options.now(), 0))
  } else if (stage.kind === 'crashed') {
    later(backOffMs(stage.restarts), () => begun(plan, options.now(), stage.restarts))
  } else if (stage.kind === 'running') {
    startProgram(options, queue, uid, work)
    const next = afterRunning(pod, plan, stage, options.now)
    if (next !== undefined) later(next.ms, next.stage)
  }
}

/** Starts the program of a pod, whose end is the end of the pod. */
function startProgram({ now }: PodWorkersOptions, queue: KeyQueue, uid: string, work: Work): void {
  const { program, stage } = work
  if (program === undefined || stage.kind !== 'running') return
  work.program = undefined
  void program(work.off.signal).then((end) => {
    if (work.stopping || work.off.signal.aborted) return
    clearTimeout(work.timer)
    work.stage = { kind: 'ended', startedAt: stage.startedAt, endedAt: now(), ...end }
    queue.add(uid)
  })
}

type Running = Extract<PodStage, { readonly kind: 'running' }>

/** The next stage of a running pod and the time until then. Undefined if it stays as it is. */
function afterRunning(
  pod: Pod,
  { probes, readyMs, runMs, exitCode }: PodPlan,
  stage: Running,
  now: () => number,
): { readonly ms: number; readonly stage: () => PodStage } | undefined {
  const { readiness, startup } = probes
  if (stage.isStarting && startup !== undefined) {
    if (startup.fails) return { ms: startup.delayMs + startup.noticedMs, stage: () => failedStart(pod, stage, now()) }
    return { ms: startup.delayMs, stage: () => ({ ...stage, isStarting: false, ready: readyMs === 0 && !readiness.fails }) }
  }
  if (stage.ready && readiness.fails) return { ms: readiness.noticedMs, stage: () => ({ ...stage, ready: false }) }
  const becomesReady = !stage.ready && !readiness.fails && (runMs ?? Number.POSITIVE_INFINITY) > readyMs
  if (becomesReady) return { ms: readyMs, stage: () => ({ ...stage, ready: true }) }
  if (runMs === undefined) return undefined
  const left = stage.ready ? Math.max(0, runMs - readyMs) : runMs
  return { ms: left, stage: () => ({ kind: 'ended', startedAt: stage.startedAt, endedAt: now(), exitCode }) }
}

/** The containers have started. They are ready once their probes have succeeded. */
function begun({ readyMs, probes }: PodPlan, startedAt: number, restarts: number): PodStage {
  const isStarting = probes.startup !== undefined
  return { kind: 'running', startedAt, ready: readyMs === 0 && !probes.readiness.fails && !isStarting, isStarting, restarts }
}

/** A failed startup probe kills the containers. They are started again if the pod's restartPolicy says so. */
function failedStart(pod: Pod, { startedAt, restarts = 0 }: Running, endedAt: number): PodStage {
  if (pod.spec.restartPolicy === 'Never') return { kind: 'ended', startedAt, endedAt, exitCode: KILLED }
  return { kind: 'crashed', startedAt, endedAt, restarts: restarts + 1 }
}

/** The pause before containers are started again, as of a kubelet: none at first, then 10 s, doubled each time up to five minutes. */
function backOffMs(restarts: number): number {
  return restarts <= 1 ? 0 : Math.min(300_000, 10_000 * 2 ** (restarts - 2))
}

/** The set of probes that fail has changed. */
function followProbes(options: PodWorkersOptions, queue: KeyQueue, uid: string, work: Work): void {
  const plan = planOf(work.pod, options.times)
  if (work.stopping || JSON.stringify(plan.probes) === JSON.stringify(work.plan.probes)) return
  clearTimeout(work.timer)
  work.plan = plan
  advance(options, queue, uid, work)
}

/** Stops a pod: at once if nothing runs, else after the program's own time to stop or the grace period, whichever is shorter. */
function stop(options: PodWorkersOptions, queue: KeyQueue, uid: string, work: Work): void {
  work.stopping = true
  clearTimeout(work.timer)
  const { stage } = work
  const graceMs = (work.pod.metadata.deletionGracePeriodSeconds ?? work.pod.spec.terminationGracePeriodSeconds ?? 30) * 1000
  const inTime = work.plan.stopMs <= graceMs
  const ms = stage.kind === 'running' ? Math.min(work.plan.stopMs, graceMs) / options.speed : 0
  work.timer = setTimeout(() => {
    if (stage.kind === 'running') {
      const exitCode = inTime ? 0 : KILLED
      work.stage = { kind: 'ended', startedAt: stage.startedAt, endedAt: options.now(), exitCode }
    }
    work.stopped = true
    queue.add(uid)
  }, ms)
}

/** Writes the status if it has changed. The queue tries failed writes again. */
async function settle(options: PodWorkersOptions, works: Map<string, Work>, uid: string): Promise<void> {
  const work = works.get(uid)
  if (work === undefined) return
  const { pod } = work
  const status = podStatus(pod, work.stage, work.place, options.now())
  const text = JSON.stringify([
    status.phase,
    status.reason,
    status.podIP,
    status.containerStatuses,
    status.conditions?.map(({ type, status: is, reason, message }) => [type, is, reason, message]),
  ])
  if (text !== work.written && !isTerminal(pod)) {
    const patch = { metadata: { uid }, status: { ...status, conditions: status.conditions?.map(wholeCondition) } }
    const answer = mustUnless(
      `report pod ${objectKeyOf(pod)}`,
      [404, 409],
      await options.api.patch(PODS, pod.metadata, patch, 'strategic', 'status'),
    )
    if (answer.ok) work.written = text
  }
  if (!work.stopped) return
  mustUnless(`remove pod ${objectKeyOf(pod)}`, [404, 409], await options.api.remove(PODS, pod.metadata, { uid, graceSeconds: 0 }))
  end(works, uid)
}
