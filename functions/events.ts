import { ingestEvents } from '../shared/flows/state/ingestEvents.ts'
import { problem } from '../shared/model/problem.ts'
import { parseEnvelope } from '../shared/wire/envelope.ts'
import type { AppDeps } from './appDeps.ts'
import { authorize } from './authorize.ts'
import { workBudget } from './deadline.ts'
import type { FunctionApp, HttpRequest, HttpResponseInit } from './functionApp.ts'
import { httpProblem, orProblem } from './httpProblem.ts'
import { readJsonBody } from './requestBody.ts'

/**
 * HTTP: the shim posts changes. Answers 202 when they are in the log. Changes that cannot be parsed are listed in the answer, and the others are
 * kept.
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
  const signal = workBudget()
  const runtime = await authorize(deps, request, 'post', signal)
  if (!runtime.ok) return httpProblem(runtime.error)
  const {
    cover,
    deps: { cluster },
  } = runtime.value
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
    async () => {
      // This answer does not wait for the work that it causes.
      cover.allow()
      const result = await ingestEvents(
        { ...runtime.value.deps, asked: runtime.value.asked, wanted: runtime.value.wanted },
        cluster,
        { ...envelope, unreadable: rejected },
        signal,
      )
      return { status: 202, jsonBody: { ...result, rejected } }
    },
    ({ code, message }) => deps.telemetry.warn(`a post of ${cluster} was not taken: ${message}`, { cluster, code }),
  )
}
