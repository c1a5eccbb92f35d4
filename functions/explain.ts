import type { HttpRequest, HttpResponseInit } from '@azure/functions'
import { settle } from '../shared/base/concurrency.ts'
import { err, ok, type Result } from '../shared/base/result.ts'
import { type Answer, explain, type Question } from '../shared/flows/answer/explain.ts'
import { objectKey } from '../shared/model/ids.ts'
import { Fault, type Problem, problem } from '../shared/model/problem.ts'
import type { AppDeps } from './appDeps.ts'
import { authorize } from './clusterGate.ts'
import { WORK_BUDGET_MS, workBudget } from './deadline.ts'
import type { FunctionApp } from './functionApp.ts'
import { httpProblem } from './httpProblem.ts'
import { createQuestionTurns, type QuestionTurns } from './questionTurns.ts'

/** Below `explain`: `pods/NAMESPACE/NAME` or `nodeclaims/NAME`. */
export const EXPLAIN_ROUTE = 'clusters/{cluster}/explain/{kind}/{first}/{second?}'

const RETRY_AFTER_MS = 5_000

/**
 * HTTP: explains why a pod has no node or gets its node, and why a machine is as it is. Answers in JSON, or in lines if the caller asks for text. The
 * process that is asked answers from the cluster that it holds for its decisions, so only the first answer after its start reads the whole cluster.
 */
export function registerExplain(app: FunctionApp, deps: AppDeps): void {
  const turns = createQuestionTurns(deps.clock)
  app.http('explain', {
    methods: ['GET'],
    // The token identifies the caller, so a function key is not needed.
    authLevel: 'anonymous',
    route: EXPLAIN_ROUTE,
    handler: (request) => answer(deps, turns, request),
  })
}

/** Reads the question from the address: `pods/NAMESPACE/NAME` or `nodeclaims/NAME`. */
function questionOf({ kind = '', first = '', second }: HttpRequest['params']): Result<Question, Problem> {
  switch (`${kind.toLowerCase()}/${second === undefined ? 1 : 2}`) {
    case 'pods/2':
      return ok({ kind: 'pod', key: objectKey(first, second ?? '') })
    case 'nodeclaims/1':
      return ok({ kind: 'nodeClaim', name: first })
    default: {
      const path = [kind, first, ...(second === undefined ? [] : [second])].join('/')
      return err(problem('INPUT.INVALID', `${path} is neither pods/NAMESPACE/NAME nor nodeclaims/NAME`))
    }
  }
}

async function answer(deps: AppDeps, turns: QuestionTurns, request: HttpRequest): Promise<HttpResponseInit> {
  const signal = workBudget()
  const form = wantsText(request) ? AS_TEXT : AS_JSON
  const answered = await settle(async () => {
    const runtime = await authorize(deps, request, 'read', signal)
    if (!runtime.ok) return runtime
    const question = questionOf(request.params)
    if (!question.ok) return question
    const { deps: cluster, reader } = runtime.value
    return turns(cluster.cluster, () => explain(cluster, reader, question.value, signal), signal)
  })
  const result = answered.ok ? answered.value : err(problemOf(answered.error, signal))
  return result.ok ? { status: 200, ...form.explained(result.value) } : form.refused(result.error)
}

/** The Problem of an answer that failed. Anything else that was thrown is a bug: the host answers 500. */
function problemOf(thrown: unknown, signal: AbortSignal): Problem {
  if (thrown instanceof Fault) return thrown.problem
  if (!signal.aborted) throw thrown
  const message = `no explanation within ${WORK_BUDGET_MS / 1_000} s: storage or Azure was slow; ask again`
  return problem('NETWORK.FAILED', message, { retryAfterMs: RETRY_AFTER_MS })
}

/** `?format=text` or `?format=json` decides. Without it, the accept header decides. */
function wantsText({ url, headers }: HttpRequest): boolean {
  const format = new URL(url).searchParams.get('format')
  if (format !== null) return format === 'text'
  const accepted = (headers.get('accept') ?? '').split(',').map((each) => each.split(';')[0]?.trim().toLowerCase())
  const text = accepted.indexOf('text/plain')
  const json = accepted.indexOf('application/json')
  return text >= 0 && (json < 0 || text < json)
}

/** The answers in one format. */
type Form = {
  readonly explained: (answer: Answer) => HttpResponseInit
  readonly refused: (problem: Problem) => HttpResponseInit
}

const AS_JSON: Form = { explained: (jsonBody) => ({ jsonBody }), refused: httpProblem }

const TEXT = { 'content-type': 'text/plain; charset=utf-8' }

const AS_TEXT: Form = {
  explained: ({ text }) => ({ headers: TEXT, body: `${text.join('\n')}\n` }),
  refused(problem) {
    const { headers, ...rest } = httpProblem(problem)
    return { ...rest, headers: { ...headers, ...TEXT }, body: `${problem.message} (${problem.code})\n` }
  },
}
