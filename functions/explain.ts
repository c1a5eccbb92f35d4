import { type HttpRequest, type HttpResponseInit, type InvocationContext, output } from '@azure/functions'
import { defined } from '../shared/base/defined.ts'
import { problem } from '../shared/model/problem.ts'
import { printExplainRequest } from '../shared/wire/message.ts'
import type { AppDeps } from './appDeps.ts'
import { authorize } from './authorize.ts'
import { workBudget } from './deadline.ts'
import { askForExplanation, type ExplainQuestion, findExplanation, type StoredAnswer } from './explanations.ts'
import type { FunctionApp } from './functionApp.ts'
import { httpProblem } from './httpProblem.ts'

const RETRY_AFTER_S = 1

/**
 * HTTP: why a pod has no node yet, or the one it gets; why a machine is what it is. As JSON, or as lines to whoever asks for text. An answer
 * takes the whole cluster, so another function works it out, which scales apart from the posts of the shim: 202 until it is there.
 */
export function registerExplain(app: FunctionApp, deps: AppDeps): void {
  const queue = output.storageQueue({ queueName: 'explain', connection: 'AzureWebJobsStorage' })
  const register = (name: string, route: string, questionOf: (params: Params) => Omit<ExplainQuestion, 'cluster'>): void =>
    app.http(name, {
      methods: ['GET'],
      authLevel: 'function',
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
  const runtime = await authorize(deps, request, 'read', signal)
  if (!runtime.ok) return httpProblem(runtime.error)
  const question = { cluster: runtime.value.deps.cluster, ...asked }
  const found = await findExplanation(deps, question, signal)
  if (found === undefined) send(printExplainRequest(await askForExplanation(deps, question, signal)))
  return found?.answer === undefined ? comeAgain(request) : shown(request, found.answer)
}

function comeAgain(request: HttpRequest): HttpResponseInit {
  const headers = { location: new URL(request.url).pathname, 'retry-after': String(RETRY_AFTER_S) }
  return { status: 202, headers, jsonBody: { status: 'asked', retryAfterSeconds: RETRY_AFTER_S } }
}

function shown(request: HttpRequest, { explained, refused }: StoredAnswer): HttpResponseInit {
  if (refused !== undefined) {
    const { code, message, ...details } = refused
    return httpProblem(problem(code, message, defined(details)))
  }
  if (request.headers.get('accept')?.startsWith('text/plain') !== true) return { status: 200, jsonBody: explained }
  return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: `${explained?.text.join('\n')}\n` }
}
