import { app as functionsApp } from '@azure/functions'
import { oneLine } from '../shared/base/text.ts'
import { defined } from '../shared/base/values.ts'
import { type Problem, problem } from '../shared/model/problem.ts'
import { EXPLAIN_ROUTE } from './explain.ts'
import type { FunctionApp } from './functionApp.ts'
import { httpProblem } from './httpProblem.ts'

/** The HTTP routes of the app that belong to one cluster, by function name. Their callers send a token, which this app cannot check. */
const CLUSTER_ROUTES: { readonly [name: string]: { readonly method: 'GET' | 'POST'; readonly route: string } } = {
  'cluster-status': { method: 'GET', route: 'clusters/{cluster}/status' },
  events: { method: 'POST', route: 'clusters/{cluster}/events' },
  explain: { method: 'GET', route: EXPLAIN_ROUTE },
}

/**
 * Starts an app with refused settings: it reads no queue and runs no timer, and every HTTP route answers 503. An app that fails while it loads looks
 * healthy on Azure: the host says only that there are no functions, and every route answers 404. The host takes a line of standard error for an error
 * only if it holds a word like `error` (seen with host 4.1037), and drops all others.
 */
export function refuseToStart(
  problems: readonly Problem[],
  app: Pick<FunctionApp, 'http'> = functionsApp,
  write: (line: string) => void = (line) => console.error(line),
): void {
  for (const { message } of problems) write(`error: ${oneLine(message)}`)
  const refusal = openRefusal(problems)
  app.http('status', {
    methods: ['GET'],
    authLevel: 'function',
    route: 'status',
    handler: async () => ({ status: 503, jsonBody: { status: 'refused', problems: problems.map(shown) } }),
  })
  for (const [name, { method, route }] of Object.entries(CLUSTER_ROUTES))
    app.http(name, { methods: [method], authLevel: 'anonymous', route, handler: async () => httpProblem(refusal) })
}

/** The answer to callers that nobody has identified. It names the settings. Their values, and messages that may have values, are for key holders. */
function openRefusal(problems: readonly Problem[]): Problem {
  const names = [...new Set(problems.map(settingOf))].join(', ')
  const message = `the function app refuses its settings (${names}) and does no work for any cluster; its route /api/status gives each reason, for callers with a function key`
  return problem('SETTING.INVALID', message)
}

/** The name of a setting has no dot: what follows the first dot is a place in its value. */
function settingOf({ object, path }: Problem): string {
  return object ?? path?.split('.')[0] ?? 'unnamed'
}

function shown(refused: Problem): object {
  const { code, message, object, path } = refused
  const inside = object === undefined || path === undefined ? (object ?? path) : `${object}${path.startsWith('[') ? '' : '.'}${path}`
  return {
    code,
    ...defined({ field: inside }),
    message: oneLine(message),
    todo: `correct ${settingOf(refused)}: with azd, in the variable of docs/install.md that sets it, or in JOINER_APP_SETTINGS, and run azd up; otherwise run az functionapp config appsettings set. docs/reference.md has the rule of each setting`,
  }
}
