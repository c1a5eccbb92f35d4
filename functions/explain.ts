import { type HttpRequest, type HttpResponseInit, type InvocationContext, output } from '@azure/functions'
import { defined } from '../shared/base/defined.ts'
import { type Problem, problem } from '../shared/model/problem.ts'
import { printExplainRequest } from '../shared/wire/message.ts'
import type { AppDeps } from './appDeps.ts'
import { authorize } from './authorize.ts'
import { workBudget } from './deadline.ts'
import { askForExplanation, type ExplainQuestion, findExplanation, type StoredAnswer } from './explanations.ts'
import type { FunctionApp } from './functionApp.ts'
import { type HttpAnswer, httpProblem } from './httpProblem.ts'

const RETRY_AFTER_S = 1

/**
 * HTTP: explains why a pod has no node or gets its node, and why a machine is as it is. Answers in JSON, or in lines if the caller asks for text. An
 * explanation needs the whole cluster, so another function computes it, which scales separately from the posts of the shim. Answers 202 until the
 * explanation is there.
 */
export function registerExplain(app: FunctionApp, deps: AppDeps): void {
  const queue = output.storageQueue({ queueName: 'explain', connection: 'AzureWebJobsStorage' })
  const register = (name: string, route: string, questionOf: (params: Params) => Omit<ExplainQuestion, 'cluster'>): void =>
    app.http(name, {
      methods: ['GET'],
      // The token identifies the caller, so a function key is not needed.
      authLevel: 'anonymous',
      route: `clusters/{cluster}/explain/${route}`,
      extraOutputs: [queue],
      handler: (request, context) => answer(deps, request, questionOf(request.params), (message) => sendTo(context, message)),
    })
  const sendTo = (context: InvocationContext, message: string): void => context.extraOutputs.set(queue, message)
  register('explain-pod', 'pods/{namespace}/{name}', ({ namespace = '', name = '' }) => ({ about: 'pod', name: `${namespace}/${name}` }))
  register('explain-nodeclaim', 'nodeclaims/{name}', ({ name = '' }) => ({ about: 'nodeClaim', name }))
}

type Params = Readonly<Partial<Record<string, string>>>

async function answer(
  deps: AppDeps,
  request: HttpRequest,
  asked: Omit<ExplainQuestion, 'cluster'>,
  send: (message: string) => void,
): Promise<HttpResponseInit> {
  const signal = workBudget()
  const form = wantsText(request) ? AS_TEXT : AS_JSON
  const runtime = await authorize(deps, request, 'read', signal)
  if (!runtime.ok) return form.refused(runtime.error)
  const question = { cluster: runtime.value.deps.cluster, ...asked }
  const found = await findExplanation(deps, question, signal)
  if (found === undefined) send(printExplainRequest(await askForExplanation(deps, question, signal)))
  return found?.answer === undefined ? comeAgain(request, form) : shown(found.answer, form)
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
  readonly asked: () => HttpAnswer
  readonly explained: (explained: NonNullable<StoredAnswer['explained']>) => HttpResponseInit
  readonly refused: (problem: Problem) => HttpResponseInit
}

const AS_JSON: Form = {
  asked: () => ({ headers: {}, jsonBody: { status: 'asked', retryAfterSeconds: RETRY_AFTER_S } }),
  explained: (jsonBody) => ({ jsonBody }),
  refused: httpProblem,
}

const TEXT = { 'content-type': 'text/plain; charset=utf-8' }

const AS_TEXT: Form = {
  asked: () => ({ headers: TEXT, body: `the explanation is being made; ask again in ${RETRY_AFTER_S} s\n` }),
  explained: ({ text }) => ({ headers: TEXT, body: `${text.join('\n')}\n` }),
  refused(problem) {
    const { headers, ...rest } = httpProblem(problem)
    return { ...rest, headers: { ...headers, ...TEXT }, body: `${problem.message} (${problem.code})\n` }
  },
}

function comeAgain(request: HttpRequest, form: Form): HttpResponseInit {
  const { pathname, search } = new URL(request.url)
  const { headers, ...rest } = form.asked()
  return { ...rest, status: 202, headers: { ...headers, location: `${pathname}${search}`, 'retry-after': String(RETRY_AFTER_S) } }
}

function shown({ explained, refused }: StoredAnswer, form: Form): HttpResponseInit {
  if (refused !== undefined) {
    const { code, message, ...details } = refused
    return form.refused(problem(code, message, defined(details)))
  }
  return { status: 200, ...form.explained(explained ?? { explanation: undefined, text: [] }) }
}
