import { must, mustUnless, mustUnlessGone } from '../client/api.ts'
import { type Index, indexBy } from '../client/indexBy.ts'
import type { Informer } from '../client/informer.ts'
import { controllerOf, type Job, objectKeyOf, type Pod } from '../client/objects.ts'
import { JOBS, PODS } from '../client/resource.ts'
import { createKeyQueue } from '../client/workQueue.ts'
import type { Controller, ControllerContext } from '../context.ts'
import { isActive, isReady, isTerminating, timestamp } from '../podState.ts'
import { REAL_CONTROL_PLANE } from '../realControlPlane.ts'
import { podFrom } from './podFactory.ts'

type Parts = {
  readonly context: ControllerContext
  readonly jobs: Informer<Job>
  readonly pods: Informer<Pod>
  readonly podsOf: Index<Pod>
}

type Outcome = { readonly type: 'Complete' | 'Failed'; readonly reason: string; readonly message: string }

/** Runs Jobs to completion: completions, parallelism, backoffLimit, activeDeadlineSeconds, suspend. No indexed mode. */
export async function startJobs(context: ControllerContext): Promise<Controller> {
  const jobs = context.informers.jobs()
  const pods = context.informers.pods()
  await Promise.all([jobs.synced, pods.synced])
  const podsOf = indexBy(pods, (pod) => controllerOf(pod)?.uid)
  const parts = { context, jobs, pods, podsOf }
  const queue = createKeyQueue({
    name: 'job',
    log: context.log,
    reconcile: async (key) => {
      const againInMs = await reconcile(parts, key)
      if (againInMs !== undefined) queue.addAfter(key, againInMs)
    },
  })
  jobs.onChange((now) => now !== undefined && queue.add(objectKeyOf(now)))
  pods.onChange((now, before) => {
    const pod = now ?? before
    const owner = pod === undefined ? undefined : controllerOf(pod)
    if (owner?.kind === 'Job') queue.add(`${pod?.metadata.namespace}/${owner.name}`)
  })
  return queue
}

async function reconcile(parts: Parts, key: string): Promise<number | undefined> {
  const job = parts.jobs.get(key)
  if (job === undefined || isTerminating(job) || isFinished(job)) return undefined
  if (job.spec.completionMode === 'Indexed') return refuse(parts, job)
  const counts = count(parts, job)
  const leftMs = timeLeft(parts, job)
  const outcome = outcomeOf(job, counts, leftMs <= 0)
  const wanted = outcome !== undefined || job.spec.suspend === true ? 0 : wantedActive(job, counts)
  const { active } = counts
  await Promise.all(Array.from({ length: Math.max(0, wanted - active.length) }, () => create(parts, job)))
  await Promise.all(active.slice(wanted).map((pod) => remove(parts, pod)))
  await writeStatus(parts, job, outcome)
  return Number.isFinite(leftMs) && outcome === undefined ? leftMs : undefined
}

/** Returns the milliseconds until activeDeadlineSeconds are over. Infinite if the Job has no deadline. */
function timeLeft({ context }: Parts, job: Job): number {
  const { activeDeadlineSeconds } = job.spec
  if (activeDeadlineSeconds === undefined) return Number.POSITIVE_INFINITY
  const started = job.status?.startTime === undefined ? context.now() : Date.parse(job.status.startTime)
  return started + activeDeadlineSeconds * 1000 - context.now()
}

function isFinished(job: Job): boolean {
  return job.status?.conditions?.some(({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True') === true
}

type Counts = { readonly active: readonly Pod[]; readonly succeeded: number; readonly failed: number }

function count(parts: Parts, job: Job): Counts {
  const pods = [...parts.podsOf(job.metadata.uid)]
  return {
    active: pods.filter(isActive),
    succeeded: pods.filter((pod) => pod.status?.phase === 'Succeeded').length,
    failed: pods.filter((pod) => pod.status?.phase === 'Failed').length,
  }
}

function wantedActive(job: Job, { active, succeeded }: Counts): number {
  const parallelism = job.spec.parallelism ?? 1
  // Without `completions` the first success ends the Job: no new pod starts, and the running pods run to their end.
  if (job.spec.completions === undefined) return succeeded > 0 ? active.length : parallelism
  return Math.min(parallelism, Math.max(0, job.spec.completions - succeeded))
}

function outcomeOf(job: Job, { active, succeeded, failed }: Counts, late: boolean): Outcome | undefined {
  if (late) return { type: 'Failed', reason: 'DeadlineExceeded', message: 'Job was active longer than specified deadline' }
  if (failed > (job.spec.backoffLimit ?? 6)) {
    return { type: 'Failed', reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit' }
  }
  const done = job.spec.completions === undefined ? succeeded > 0 && active.length === 0 : succeeded >= job.spec.completions
  return done ? { type: 'Complete', reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' } : undefined
}

async function create({ context, pods }: Parts, job: Job): Promise<void> {
  const { name, uid, namespace } = job.metadata
  const labels = {
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
  }
  const pod = podFrom(job.spec.template, { resource: JOBS, object: job }, { labels })
  pods.observe(must(`create a pod of job ${objectKeyOf(job)}`, await context.api.create(PODS, pod, namespace)))
}

async function remove({ context, pods }: Parts, pod: Pod): Promise<void> {
  const left = mustUnlessGone(`delete pod ${objectKeyOf(pod)}`, await context.api.remove(PODS, pod.metadata, { uid: pod.metadata.uid }))
  if (left === undefined) pods.forget(pod)
  else pods.observe(left)
}

const COUNTS = ['active', 'ready', 'succeeded', 'failed'] as const

async function writeStatus(parts: Parts, job: Job, outcome: Outcome | undefined): Promise<void> {
  const { active, succeeded, failed } = count(parts, job)
  const at = timestamp(parts.context.now())
  const status = {
    startTime: job.status?.startTime ?? at,
    active: active.length,
    ready: active.filter(isReady).length,
    succeeded,
    failed,
    ...(outcome === undefined ? {} : { conditions: conditionsOf(outcome, at) }),
    ...(outcome?.type === 'Complete' ? { completionTime: at } : {}),
  }
  const known: { readonly [name: string]: unknown } = { ...job.status }
  const same = known['startTime'] !== undefined && COUNTS.every((name) => (known[name] ?? 0) === status[name])
  if (same && outcome === undefined) return
  const answer = await parts.context.api.patch(JOBS, job.metadata, { status }, 'merge', 'status')
  const written = mustUnless(`write status of job ${objectKeyOf(job)}`, [404, 409], answer)
  if (written.ok) parts.jobs.observe(written.value)
}

/** The API server requires the condition with the reason of the end before the end itself. */
function conditionsOf(outcome: Outcome, at: string): readonly object[] {
  const first = outcome.type === 'Complete' ? 'SuccessCriteriaMet' : 'FailureTarget'
  return [first, outcome.type].map((type) => ({ ...outcome, type, status: 'True', lastProbeTime: at, lastTransitionTime: at }))
}

function refuse(parts: Parts, job: Job): undefined {
  const subject = { apiVersion: 'batch/v1', kind: 'Job', metadata: job.metadata }
  const message = `the embedded job controller does not do completionMode Indexed; ${REAL_CONTROL_PLANE}`
  parts.context.events.record(subject, { type: 'Warning', reason: 'NotImplemented', message })
  return undefined
}
