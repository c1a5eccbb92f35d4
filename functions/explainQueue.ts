import { createConcurrencyLimiter } from '../shared/base/concurrencyLimiter.ts'
import { explain, type Question } from '../shared/flows/answer/explain.ts'
import type { ExplainRequest } from '../shared/model/explainRequest.ts'
import { objectKey } from '../shared/model/ids.ts'
import { parseExplainRequest } from '../shared/wire/message.ts'
import type { AppDeps } from './appDeps.ts'
import { workBudget } from './deadline.ts'
import { forgetExplanations, isAwaited, keepAnswer } from './explanations.ts'
import type { FunctionApp } from './functionApp.ts'
import { refuseMessage } from './refuseMessage.ts'

/** Queue: answers one question about a cluster. One at a time: the first question loads the cluster, which makes the others fast. */
export function registerExplainQueue(app: FunctionApp, deps: AppDeps): void {
  const inTurn = createConcurrencyLimiter(1)
  app.storageQueue('explain', {
    queueName: 'explain',
    connection: 'AzureWebJobsStorage',
    handler: async (message) => {
      const request = parseExplainRequest(message)
      if (!request.ok) return refuseMessage('explain', request.error)
      await inTurn(() => answer(deps, request.value))
    },
  })
}

async function answer(deps: AppDeps, request: ExplainRequest): Promise<void> {
  const signal = workBudget()
  const gate = deps.clusters.get(request.cluster)
  if (gate === undefined || !(await isAwaited(deps, request, signal))) return
  const { deps: cluster, reader } = await gate.open(signal)
  const found = await explain(cluster, reader, questionOf(request), signal)
  const at = deps.clock.now()
  const { text } = found.ok ? found.value : { text: [] }
  const kept = found.ok ? { at, explained: { explanation: found.value.explanation, text: [...text] } } : { at, refused: found.error }
  await keepAnswer(deps, request, kept, signal)
  await forgetExplanations(deps, request.cluster, signal)
}

function questionOf({ about, name }: ExplainRequest): Question {
  if (about === 'nodeClaim') return { kind: 'nodeClaim', name }
  const slash = name.indexOf('/')
  return { kind: 'pod', key: objectKey(name.slice(0, slash), name.slice(slash + 1)) }
}
