import type { HttpRequest, HttpResponseInit } from '@azure/functions'
import { explain, type Question } from '../shared/flows/explain.ts'
import { objectKey } from '../shared/model/ids.ts'
import type { AppDeps } from './appDeps.ts'
import { authorize } from './authorize.ts'
import { workBudget } from './deadline.ts'
import type { FunctionApp } from './functionApp.ts'
import { httpProblem } from './httpProblem.ts'

/** HTTP: why a pod has no node yet, or the one it gets; why a machine is what it is. As JSON, or as lines to whoever asks for text. */
export function registerExplain(app: FunctionApp, deps: AppDeps): void {
  app.http('explain-pod', {
    methods: ['GET'],
    authLevel: 'function',
    route: 'clusters/{cluster}/explain/pods/{namespace}/{name}',
    handler: (request) => {
      const { namespace = '', name = '' } = request.params
      return answer(deps, request, { kind: 'pod', key: objectKey(namespace, name) })
    },
  })
  app.http('explain-nodeclaim', {
    methods: ['GET'],
    authLevel: 'function',
    route: 'clusters/{cluster}/explain/nodeclaims/{name}',
    handler: (request) => answer(deps, request, { kind: 'nodeClaim', name: request.params['name'] ?? '' }),
  })
}

async function answer(deps: AppDeps, request: HttpRequest, question: Question): Promise<HttpResponseInit> {
  const signal = workBudget()
  const runtime = await authorize(deps, request, 'read', signal)
  if (!runtime.ok) return httpProblem(runtime.error)
  const found = await explain(runtime.value.deps, question, signal)
  if (!found.ok) return httpProblem(found.error)
  if (request.headers.get('accept')?.startsWith('text/plain') !== true) return { status: 200, jsonBody: found.value }
  return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: `${found.value.text.join('\n')}\n` }
}
