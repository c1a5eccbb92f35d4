import { settle } from '../shared/base/concurrency.ts'
import { answerEmptyPost, type IngestResult, ingestEvents } from '../shared/flows/state/ingestEvents.ts'
import { resync } from '../shared/flows/sweep/resync.ts'
import { problem } from '../shared/model/problem.ts'
import { type ParsedEnvelope, parseEnvelope } from '../shared/wire/envelope.ts'
import { type KeptLists, listsFor } from '../shared/wire/kept/told.ts'
import type { AppDeps, ClusterRuntime } from './appDeps.ts'
import { authorize } from './clusterGate.ts'
import { coveredAnswer, msUntilAgain, wantsStream } from './coveredAnswer.ts'
import { workBudget } from './deadline.ts'
import type { FunctionApp, HttpRequest, HttpResponseInit } from './functionApp.ts'
import { httpProblem, orProblem, readJsonBody } from './httpProblem.ts'

/**
 * HTTP: the shim posts changes. Answers 202 when they are in the log. Changes that cannot be parsed are listed in the answer, and the others are
 * kept. A shim that follows earlier lists of kept paths is told the lists of this app. A post without changes is not stored. If the caller takes lines,
 * the invocation stays open until the work is done, and the last line says when to come again. Such a caller posts without changes because it was told
 * to: then the work of the cluster is found again.
 */
export function registerEvents(app: FunctionApp, deps: AppDeps): void {
  app.http('events', {
    methods: ['POST'],
    // The token identifies the caller and is checked before the body. A function key would be a secret at rest in the cluster.
    authLevel: 'anonymous',
    route: 'clusters/{cluster}/events',
    handler: (request) => takeEvents(deps, request),
  })
}

async function takeEvents(deps: AppDeps, request: HttpRequest): Promise<HttpResponseInit> {
  const runtime = await authorize(deps, request, 'post', workBudget())
  if (!runtime.ok) return httpProblem(runtime.error)
  const { cluster } = runtime.value.deps
  const body = await readJsonBody(request)
  if (!body.ok) return httpProblem(body.error)
  const parsed = parseEnvelope(body.value)
  if (!parsed.ok) return httpProblem(parsed.error)
  const { envelope, rejected } = parsed.value
  if (envelope.cluster !== cluster) {
    return httpProblem(
      problem('INPUT.FORBIDDEN', `the envelope is of cluster ${envelope.cluster}, the address of ${cluster}`, { path: 'cluster' }),
    )
  }
  for (const { seq, problem: why } of rejected) {
    deps.telemetry.warn(`change ${seq} of ${cluster} was refused: ${why.message}`, { cluster, seq, code: why.code, path: why.path })
  }
  return orProblem(
    () => answerPost(deps, runtime.value, { ...parsed.value, isStreamed: wantsStream(request) }),
    ({ code, message }) => deps.telemetry.warn(`a post of ${cluster} was not taken: ${message}`, { cluster, code }),
  )
}

type Post = ParsedEnvelope & { readonly isStreamed: boolean }

async function answerPost(deps: AppDeps, runtime: ClusterRuntime, post: Post): Promise<HttpResponseInit> {
  const { cover } = runtime
  if (!post.isStreamed) {
    // This caller cannot keep an invocation open.
    cover.allow()
    return { status: 202, jsonBody: await take(runtime, post) }
  }
  const invocation = cover.open(true)
  const taken = await settle(() => take(runtime, post))
  if (!taken.ok) {
    invocation.close()
    throw taken.error
  }
  const found = { isMoving: false }
  const again = (): number => msUntilAgain(runtime, deps.schedules.disruption, found.isMoving)
  const work = async (): Promise<void> => {
    found.isMoving = await attend(deps, runtime)
  }
  return coveredAnswer(runtime, { invocation, result: taken.value, msUntilAgain: again, ...(isEmpty(post) ? { work } : {}) })
}

function isEmpty({ envelope: { body }, rejected }: ParsedEnvelope): boolean {
  return body.kind === 'changes' && body.changes.length === 0 && rejected.length === 0
}

type Taken = IngestResult & Pick<Post, 'rejected'> & { readonly kept?: KeptLists }

async function take({ deps, asked, wanted, reader }: ClusterRuntime, post: Post): Promise<Taken> {
  const { envelope, rejected } = post
  const signal = workBudget()
  const result = isEmpty(post)
    ? await answerEmptyPost({ log: deps.log, clock: deps.clock, wanted }, envelope.term, signal)
    : await ingestEvents({ ...deps, asked, wanted, reader }, deps.cluster, { ...envelope, unreadable: rejected }, signal)
  return { ...result, rejected, ...listsFor(envelope) }
}

/**
 * Finds all work of the cluster again, if this process holds none or has not looked for a while. Otherwise the post only opens an invocation for the
 * work that is held. Returns whether a NodeClaim comes or goes. Never rejects: the shim comes again after a failure as well.
 */
async function attend({ schedules, telemetry }: AppDeps, { attendance, cover, deps }: ClusterRuntime): Promise<boolean> {
  if (cover.queue.size() > 0 && !attendance.isDue(schedules.disruption)) return attendance.isMoving()
  attendance.began()
  const found = await settle(() => resync(deps, workBudget(), { isDue: attendance.isClaimDue }))
  if (!found.ok) telemetry.error(`the resync of ${deps.cluster} failed: ${String(found.error)}`, { cluster: deps.cluster, work: 'attend' })
  return attendance.found(!found.ok || found.value > 0)
}
